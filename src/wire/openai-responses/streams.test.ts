import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../core/answer/event.ts'
import type { Frame } from '../../core/answer/frame.ts'
import type { AssistantMessage } from '../../core/answer/wholeAnswer.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { functionCall, usageOf } from '../../../test/support/chatSamples.ts'
import { responsesFrame, responsesFrames } from '../../../test/support/responsesFrames.ts'
import { framesOfBytes } from '../../../test/support/streamBytes.ts'
import { collected, eventsOf, failureIn } from '../../../test/support/wireFixtures.ts'
import type { ProviderCodec } from '../wire.ts'
import outputs from './__fixtures__/outputs.json'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'

const client = { decodeStream } as ProviderCodec

const USAGE = { input_tokens: 9, output_tokens: 2, total_tokens: 11 }
const created = event('response.created', { response: { id: 'resp_1', status: 'in_progress', output: [] } })

function event(type: string, more: JsonObject = {}): Frame {
  return responsesFrame({ type, ...more })
}

function completed(output?: readonly Json[], more: JsonObject = {}): Frame {
  const response = { status: 'completed', usage: USAGE, ...(output && { output }), ...more }
  return event('response.completed', { response })
}

function added(output_index: number, item: JsonObject): Frame {
  return event('response.output_item.added', { output_index, item })
}

function done(output_index: number, item: JsonObject): Frame {
  return event('response.output_item.done', { output_index, item })
}

function text(delta: Json, more: JsonObject = {}): Frame {
  return event('response.output_text.delta', { delta, ...more })
}

function message(id: string, ...texts: string[]): JsonObject {
  const content = texts.map((said) => ({ type: 'output_text', text: said, annotations: [] }))
  return { type: 'message', id, role: 'assistant', content }
}

function call(id: string, name: string, given: string): JsonObject {
  return { type: 'function_call', id: `fc_${id}`, call_id: id, name, arguments: given }
}

function messageOf(frames: readonly Frame[]): AssistantMessage | undefined {
  return collected(eventsOf(client, frames)).choices[0]?.message
}

function deltasIn(events: readonly AnswerEvent[]) {
  return events.flatMap((each) => (each.type === 'delta' ? [each.delta] : []))
}

describe('the course of a stream', () => {
  test('the first event is the start, deltas come as they are, the usage before the finish, and nothing after', () => {
    const at = { item_id: 'msg_1', output_index: 0, content_index: 0, obfuscation: 'x7Fq' }
    const events = eventsOf(client, [
      created,
      event('response.in_progress'),
      added(0, message('msg_1')),
      text('Hel', at),
      text('lo', { ...at, sequence_number: 99 }),
      completed([message('msg_1', 'Hello')], { service_tier: 'flex' }),
      text(' again', at),
      completed([message('msg_1', 'Hello')]),
    ])
    expect(events).toEqual([
      { type: 'start' },
      { type: 'delta', index: 0, delta: { content: 'Hel' } },
      { type: 'delta', index: 0, delta: { content: 'lo' } },
      { type: 'usage', usage: usageOf(9, 2) },
      { type: 'finish', index: 0, reason: 'stop', extra: { service_tier: 'flex' } },
    ])
  })

  test('a call begins with the id of the call and its name; its index counts calls, not items', () => {
    const body = outputs['reasoning before calls'] as unknown as JsonObject
    const calls = deltasIn(eventsOf(client, responsesFrames(body))).flatMap((delta) => delta.tool_calls ?? [])
    const firsts = calls.filter(({ id }) => id !== undefined)
    expect(firsts as unknown[]).toEqual([
      { index: 0, id: 'call_A', type: 'function', function: { name: 'get_weather', arguments: '' } },
      { index: 1, id: 'call_B', type: 'custom', custom: { name: 'apply_patch', input: '' } },
      { index: 2, id: 'call_C', type: 'function', function: { name: 'get_time', arguments: '' } },
    ])
    expect(calls.at(-1)).toEqual({ index: 2, function: { arguments: '{}' } })
  })

  test('the report comes behind the last call, so that it holds', () => {
    const events = eventsOf(client, [created, done(0, call('c', 'f', '')), completed()])
    expect(events.slice(-3).map(({ type }) => type)).toEqual(['delta', 'usage', 'finish'])
    expect(collected(events)).toMatchObject({ usage: usageOf(9, 2) })
  })

  test('pieces of two calls that alternate go to their own call', () => {
    const piece = (output_index: number, delta: string) =>
      event('response.function_call_arguments.delta', { output_index, item_id: `fc_${output_index}`, delta })
    const frames = [
      added(0, { ...call('0', 'f', ''), id: 'fc_0' }),
      added(1, { ...call('1', 'g', ''), id: 'fc_1' }),
      piece(1, '{"b"'),
      piece(0, '{"a"'),
      piece(1, ':2}'),
      piece(0, ':1}'),
      completed([call('0', 'f', '{"a":1}'), call('1', 'g', '{"b":2}')]),
    ]
    expect(messageOf(frames)?.tool_calls).toEqual([
      functionCall('0', 'f', '{"a":1}'),
      functionCall('1', 'g', '{"b":2}'),
    ])
  })

  test.each(['[DONE]', ''])('response.completed is the end, whether or not %j follows', (data) => {
    const decode = decodeStream()
    for (const frame of [created, text('Hi'), completed()]) decode.push(frame)
    expect(decode.state).toBe('over')
    expect([...decode.push({ event: undefined, data }), ...decode.end()]).toEqual([])
  })

  test.each([
    ['nothing', []],
    ['[DONE]', [{ event: undefined, data: '[DONE]' }]],
  ])('a stream without a last event is cut, with %s in its place', (_says, last: Frame[]) => {
    const events = eventsOf(client, [created, text('Hi'), done(0, message('m', 'Hi')), ...last])
    expect(failureIn(events)?.kind).toBe('invalid_answer')
  })

  test('wherever the frames end before the last event, nothing is whole', () => {
    for (const body of Object.values(outputs) as unknown as JsonObject[]) {
      const frames = responsesFrames(body)
      for (let length = 0; length < frames.length; length++)
        expect(eventsOf(client, frames.slice(0, length)).at(-1)?.type).toBe('error')
    }
  })

  test('the end is there with the last event, and not before', () => {
    const decode = decodeStream(1)
    const frames = responsesFrames(outputs['refusal'])
    for (const frame of frames.slice(0, -1)) {
      decode.push(frame)
      expect(decode.state).toBe('open')
    }
    decode.push(frames.at(-1) as Frame)
    expect(decode.state).toBe('over')
  })

  test('names of events in the SSE field alone are read, and comments and blank events are nothing', () => {
    const bytes = new TextEncoder().encode(
      ': ping\n\nevent: keepalive\ndata: {"sequence_number":3}\n\ndata:\n\n' +
        'event: response.output_text.delta\ndata: {"delta":"Hi"}\n\n' +
        'event: response.completed\ndata: {"response":{"status":"completed"}}\n\n',
    )
    expect(messageOf(framesOfBytes([bytes]))).toEqual({ role: 'assistant', content: 'Hi' })
  })

  test('fewer choices than were asked for are a failure that says so', () => {
    expect(failureIn(eventsOf(client, [created, text('Hi'), completed()], 2))?.code).toBe('fewer_choices')
  })
})

describe('what comes in one form only is neither lost nor said twice', () => {
  const whole = message('msg_1', 'Hello')

  test.each<[string, Frame[]]>([
    ['only in output_text.done', [event('response.output_text.done', { text: 'Hello' }), completed()]],
    [
      'only in content_part.done',
      [event('response.content_part.done', { part: { type: 'output_text', text: 'Hello' } }), completed()],
    ],
    ['only in output_item.done', [done(0, whole), completed()]],
    ['only in output_item.done, as a string', [done(0, { ...whole, content: 'Hello' }), completed()]],
    ['only in response.completed', [completed([whole])]],
    ['in deltas of an item that was never opened', [text('Hel'), text('lo'), completed()]],
    [
      'in deltas, and in no final list',
      [added(0, message('msg_1')), text('Hello', { output_index: 0 }), completed([])],
    ],
    [
      'in deltas without ids and places',
      [added(0, message('msg_1')), text('Hel'), text('lo'), completed([whole])],
    ],
    ['in deltas without anything', [text('Hello'), done(0, whole), completed([whole])]],
    [
      'in deltas whose ids change',
      [
        added(0, message('a')),
        text('Hel', { item_id: 'b', output_index: 0 }),
        text('lo', { item_id: 'c', output_index: 0 }),
        done(0, message('d', 'Hello')),
        completed([message('e', 'Hello')]),
      ],
    ],
    [
      'in deltas of another place than their item',
      [
        added(0, message('msg_1')),
        text('Hello', { item_id: 'x', output_index: 1 }),
        done(0, whole),
        completed([]),
      ],
    ],
    [
      'at another place of the final list',
      [
        text('Hello', { item_id: 'a', output_index: 0 }),
        completed([{ type: 'reasoning', id: 'rs', summary: [] }, message('b', 'Hello')]),
      ],
    ],
    [
      'in a part of another place',
      [
        text('Hello', { item_id: 'msg_1', output_index: 0, content_index: 1 }),
        done(0, whole),
        completed([whole]),
      ],
    ],
    ['twice in output_item.done', [done(0, whole), done(0, whole), completed([whole])]],
    [
      'for an item that begins twice',
      [
        added(0, message('msg_1')),
        text('Hel', { item_id: 'msg_1' }),
        added(0, message('msg_1')),
        text('lo', { item_id: 'msg_1' }),
        completed([whole]),
      ],
    ],
  ])('text %s', (_says, frames) => {
    expect(messageOf(frames)).toEqual({ role: 'assistant', content: 'Hello' })
  })

  test('parts and items of one text are joined in their order, whichever of them come in pieces', () => {
    const at = { item_id: 'a', output_index: 0 }
    const list = [message('a', 'One, ', 'two, '), message('b', 'three.')]
    const [first = {}, second = {}] = list
    const frames = [
      added(0, message('a')),
      text('One, ', { ...at, content_index: 0 }),
      done(0, first),
      done(1, second),
      completed(list),
    ]
    expect(messageOf(frames)?.content).toBe('One, two, three.')
  })

  test('two items of one index are two items', () => {
    const list = [message('a', 'One, '), message('b', 'two.'), call('c', 'f', '{}'), call('d', 'f', '{}')]
    const frames = [
      ...list.flatMap((item) => [added(0, { ...item, content: [], arguments: '' }), done(0, item)]),
      completed(list),
    ]
    expect(messageOf(frames)).toMatchObject({
      content: 'One, two.',
      tool_calls: [functionCall('c', 'f', '{}'), functionCall('d', 'f', '{}')],
    })
  })

  test('two items of one index that only end are two items', () => {
    const frames = [done(0, message('a', 'One, ')), done(0, message('b', 'two.')), completed([])]
    expect(messageOf(frames)?.content).toBe('One, two.')
  })

  test('two items of one index that never begin are two items', () => {
    const list = [message('a', 'One, '), message('b', 'two.')]
    const frames = list.flatMap((item, i) => [
      text(['One, ', 'two.'][i] ?? '', { item_id: item.id ?? null, output_index: 0 }),
      done(0, item),
    ])
    expect(messageOf([...frames, completed(list)])?.content).toBe('One, two.')
  })

  test.each<[string, JsonObject, string]>([
    ['its id', { item_id: 'b' }, 'b'],
    ['its index', { item_id: 'x', output_index: 1 }, 'other'],
  ])('of two items the one that came in pieces is found in the final list by %s', (_says, at, id) => {
    const frames = [text('two.', at), completed([message('a', 'One, '), message(id, 'two.')])]
    expect(messageOf(frames)?.content).toBe('two.One, ')
  })

  test.each<[string, JsonObject]>([
    ['one index', { output_index: 0 }],
    ['no index', {}],
  ])('parallel calls with %s are told apart by their ids', (_says, at) => {
    const begin = (item: JsonObject) => event('response.output_item.added', { ...at, item })
    const piece = (item_id: string, delta: string) =>
      event('response.function_call_arguments.delta', { ...at, item_id, delta })
    const frames = [
      begin(call('a', 'f', '')),
      begin(call('b', 'g', '')),
      piece('fc_a', '{"a"'),
      piece('fc_b', '{"b"'),
      piece('fc_a', ':1}'),
      piece('fc_b', ':2}'),
      completed([]),
    ]
    expect(messageOf(frames)?.tool_calls).toEqual([
      functionCall('a', 'f', '{"a":1}'),
      functionCall('b', 'g', '{"b":2}'),
    ])
  })

  const city = '{"city":"Oslo"}'
  const argument = (type: string, more: JsonObject) => event(`response.function_call_arguments.${type}`, more)

  test.each<[string, Frame[]]>([
    [
      'only in arguments.done',
      [added(0, call('c', 'f', '')), argument('done', { arguments: city }), completed()],
    ],
    ['only in output_item.done', [added(0, call('c', 'f', '')), done(0, call('c', 'f', city)), completed()]],
    ['only in response.completed', [completed([call('c', 'f', city)])]],
    [
      'in deltas before the call has a name',
      [
        argument('delta', { output_index: 0, delta: '{"city"' }),
        argument('delta', { output_index: 0, delta: ':"Oslo"}' }),
        added(0, call('c', 'f', '')),
        completed(),
      ],
    ],
    [
      'in deltas before a call that comes whole',
      [
        argument('delta', { output_index: 0, delta: '{"city"' }),
        done(0, call('c', 'f', city)),
        completed([call('c', 'f', city)]),
      ],
    ],
    [
      'in deltas, and whole',
      [
        added(0, call('c', 'f', '')),
        argument('delta', { item_id: 'fc_c', output_index: 0, delta: city }),
        argument('done', { item_id: 'fc_c', output_index: 0, arguments: city }),
        done(0, call('c', 'f', city)),
        completed([call('c', 'f', city)]),
      ],
    ],
    [
      'in a final list with other item ids',
      [
        added(3, call('c', 'f', '')),
        argument('delta', { output_index: 3, delta: city }),
        completed([{ ...call('c', 'f', city), id: 'fc_other' }]),
      ],
    ],
  ])('arguments %s', (_says, frames) => {
    expect(messageOf(frames)?.tool_calls).toEqual([functionCall('c', 'f', city)])
  })

  test('an input of a custom tool that comes only in input.done', () => {
    const item = { type: 'custom_tool_call', id: 'ctc', call_id: 'c', name: 'sh', input: '' }
    const frames = [
      added(0, item),
      event('response.custom_tool_call_input.done', { input: 'ls' }),
      completed(),
    ]
    expect(messageOf(frames)?.tool_calls as unknown).toEqual([
      { id: 'c', type: 'custom', custom: { name: 'sh', input: 'ls' } },
    ])
  })

  test.each<[string, Frame[]]>([
    ['refusal.delta', [event('response.refusal.delta', { delta: 'No.' }), completed()]],
    ['refusal.done', [event('response.refusal.done', { refusal: 'No.' }), completed()]],
    [
      'all',
      responsesFrames({ output: [{ type: 'message', content: [{ type: 'refusal', refusal: 'No.' }] }] }),
    ],
  ])('a refusal in %s', (_says, frames) => {
    expect(messageOf(frames)).toEqual({ role: 'assistant', content: null, refusal: 'No.' })
  })

  test('an annotation that comes by itself and in its part', () => {
    const annotation = {
      type: 'url_citation',
      url: 'https://example.com',
      title: 'E',
      start_index: 0,
      end_index: 2,
    }
    const other = { ...annotation, url: 'https://example.org' }
    const part = { type: 'output_text', text: 'Hi', annotations: [annotation, other] }
    const item = { type: 'message', id: 'm', content: [part] }
    const frames = [
      text('Hi'),
      event('response.output_text.annotation.added', { annotation, annotation_index: 0 }),
      done(0, item),
      completed([item]),
    ]
    expect(messageOf(frames)?.annotations?.map(({ url_citation: cited }) => cited)).toMatchObject([
      { url: 'https://example.com' },
      { url: 'https://example.org' },
    ])
  })

  test('log probabilities of deltas are those of the tokens, once', () => {
    const token = (said: string) => ({ token: said, logprob: -0.5, bytes: [1], top_logprobs: [] })
    const part = { type: 'output_text', text: 'Hi!', logprobs: [token('Hi'), token('!')] }
    const item = { type: 'message', content: [part] }
    const frames = [
      text('Hi', { logprobs: [token('Hi')] }),
      text('!', { logprobs: [token('!')] }),
      event('response.output_text.done', { text: 'Hi!', logprobs: part.logprobs }),
      done(0, item),
      completed([item]),
    ]
    const expected = decodeResponse({ output: [item] }).choices[0]?.logprobs
    expect(expected).toMatchObject({ content: [{ token: 'Hi' }, { token: '!' }] })
    expect(collected(eventsOf(client, frames)).choices[0]?.logprobs).toEqual(expected as JsonObject)
    expect(eventsOf(client, frames)[1]).toEqual({
      type: 'delta',
      index: 0,
      delta: { content: 'Hi' },
      logprobs: { content: [token('Hi')], refusal: null },
    })
  })
})

describe('reasoning', () => {
  const summary = (summary_index: number, delta: string, more: JsonObject = {}) =>
    event('response.reasoning_summary_text.delta', { output_index: 0, summary_index, delta, ...more })
  const item = {
    type: 'reasoning',
    id: 'rs_1',
    encrypted_content: 'gAAAA==',
    summary: [
      { type: 'summary_text', text: 'First.' },
      { type: 'summary_text', text: 'Second.' },
    ],
  }
  const details = [
    { type: 'reasoning.summary', summary: 'First.', format: 'openai-responses-v1', index: 0 },
    { type: 'reasoning.summary', summary: 'Second.', format: 'openai-responses-v1', index: 0 },
    { type: 'reasoning.encrypted', data: 'gAAAA==', format: 'openai-responses-v1', index: 0 },
  ]

  test('a blank line is between parts, and the details come when the item ends', () => {
    const events = eventsOf(client, [
      added(0, { ...item, summary: [] }),
      event('response.reasoning_summary_part.added', { output_index: 0, summary_index: 0 }),
      summary(0, 'Fir'),
      summary(0, 'st.'),
      event('response.reasoning_summary_part.added', { output_index: 0, summary_index: 1 }),
      summary(1, 'Second.'),
      done(0, item),
      text('Hi', { output_index: 1 }),
      completed([item, message('m', 'Hi')]),
    ])
    expect(deltasIn(events)).toEqual([
      { reasoning_content: 'Fir' },
      { reasoning_content: 'st.' },
      { reasoning_content: '\n\nSecond.' },
      { reasoning_details: details },
      { content: 'Hi' },
    ])
  })

  test('an item that never ends keeps what came of it', () => {
    const frames = [added(0, { ...item, summary: [] }), summary(0, 'First.'), completed([])]
    expect(messageOf(frames)).toMatchObject({ reasoning_content: 'First.', reasoning_details: [details[0]] })
  })

  test('an end that repeats no summary keeps that of the deltas', () => {
    const frames = [
      summary(0, 'First.'),
      summary(1, 'Second.'),
      done(0, { ...item, summary: [] }),
      completed(),
    ]
    expect(messageOf(frames)).toMatchObject({
      reasoning_content: 'First.\n\nSecond.',
      reasoning_details: details,
    })
  })

  test('a summary is what is shown where the thoughts come after it', () => {
    const content = [{ type: 'reasoning_text', text: 'Hidden.' }]
    const output = [{ ...item, content }]
    const whole = decodeResponse({ output }).choices[0]?.message
    expect(whole?.reasoning_content).toBe('First.\n\nSecond.')
    expect(whole?.reasoning_details?.map(({ type }) => type)).toEqual([
      'reasoning.summary',
      'reasoning.summary',
      'reasoning.text',
      'reasoning.encrypted',
    ])
    expect(messageOf(responsesFrames({ output }))).toEqual(whole as AssistantMessage)
  })

  test('an item before a call has its place before it, whatever indexes the provider gives', () => {
    const second = { ...item, id: 'rs_2', encrypted_content: 'gBBBB==' }
    const frames = [
      done(0, item),
      done(4, { type: 'web_search_call', id: 'ws' }),
      done(1e9, call('c', 'f', '{}')),
      done(-1, second),
      done(7, call('d', 'f', '{}')),
      completed(),
    ]
    const details = messageOf(frames)?.reasoning_details?.filter(({ data }) => data !== undefined)
    expect(details?.map(({ data, index }) => [data, index])).toEqual([
      ['gAAAA==', 0],
      ['gBBBB==', 2],
    ])
  })

  test('all messages of an answer are one place', () => {
    const output = [message('a', 'One, '), message('b', 'two.'), item]
    const whole = decodeResponse({ output }).choices[0]?.message
    expect(whole?.reasoning_details).toMatchObject([{ index: 1 }, { index: 1 }, { index: 1 }])
    expect(messageOf(responsesFrames({ output }))).toEqual(whole as AssistantMessage)
  })

  test('encrypted texts and ids stay byte for byte', () => {
    const secret = 'gAAA-_/+==\u{1F512}\u0000ß'
    const output = [
      { type: 'reasoning', id: 'rs_ß', summary: [], encrypted_content: secret },
      call('call ß', 'f', '{}'),
    ]
    const message = messageOf(responsesFrames({ output }))
    expect(message?.reasoning_details).toMatchObject([{ data: secret }])
    expect(message?.tool_calls?.[0]?.id).toBe('call ß')
  })
})

describe('failures', () => {
  const quota = {
    type: 'insufficient_quota',
    code: 'insufficient_quota',
    message: 'You exceeded your quota.',
    param: null,
  }

  test.each<[string, Frame]>([
    ['an error event with the error inside', event('error', { error: quota })],
    [
      'an error event that is the error',
      event('error', { code: 'insufficient_quota', message: 'Quota.', param: null }),
    ],
    ['a failed response', event('response.failed', { response: { status: 'failed', error: quota } })],
    [
      'a failed response with its usage',
      event('response.failed', { response: { error: quota, usage: USAGE } }),
    ],
    ['a failed response with the error beside it', event('response.failed', { error: quota })],
    ['an error object without a type', responsesFrame({ error: quota })],
    ['a completed response that says it failed', completed([], { status: 'failed', error: quota })],
  ])('%s ends the stream as its kind, and begins nothing', (_says, frame) => {
    expect(eventsOf(client, [frame, text('Hi')])).toEqual([
      { type: 'error', failure: expect.objectContaining({ kind: 'billing', code: 'insufficient_quota' }) },
    ])
    const [start, ...rest] = eventsOf(client, [created, frame, text('Hi')])
    expect(start).toEqual({ type: 'start' })
    expect(rest.at(-1)).toMatchObject({ type: 'error', failure: { kind: 'billing' } })
  })

  test('the usage of a response that failed comes before the failure', () => {
    const response = { status: 'failed', error: { code: 'server_error', message: 'Oh.' }, usage: USAGE }
    const events = eventsOf(client, [created, text('Hi'), event('response.failed', { response })])
    expect(events.slice(-2)).toMatchObject([
      { type: 'usage', usage: usageOf(9, 2) },
      { type: 'error', failure: { kind: 'server', code: 'server_error' } },
    ])
  })

  test('a completed response that says it is incomplete is cut', () => {
    const cut = { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } }
    expect(eventsOf(client, [text('Hi'), completed([], cut)]).at(-1)).toMatchObject({ reason: 'length' })
  })

  test('the usage of an incomplete response is reported', () => {
    const response = {
      status: 'incomplete',
      incomplete_details: { reason: 'max_output_tokens' },
      usage: USAGE,
    }
    const events = eventsOf(client, [created, text('Hi'), event('response.incomplete', { response })])
    expect(events.slice(-2)).toEqual([
      { type: 'usage', usage: usageOf(9, 2) },
      { type: 'finish', index: 0, reason: 'length' },
    ])
  })

  test.each(['{', 'null', '7', '[]', '"text"', '<html>'])('a frame of %s is no answer', (data) => {
    expect(failureIn(eventsOf(client, [created, { event: undefined, data }]))?.kind).toBe('invalid_answer')
  })
})

test('unknown events and items, and deltas of vendor tools, are nothing', () => {
  const frames = [
    created,
    added(0, { type: 'code_interpreter_call', id: 'ci', code: '' }),
    event('response.code_interpreter_call_code.delta', { output_index: 0, item_id: 'ci', delta: 'x = 1' }),
    event('response.mcp_call_arguments.delta', { output_index: 1, delta: '{}' }),
    event('response.moon.delta', { delta: 'moon' }),
    event('moon', { delta: 'moon' }),
    added(2, { type: 'moon', text: 'moon' }),
    text('Hi', { output_index: 0 }),
    completed([
      { type: 'code_interpreter_call', id: 'ci', code: 'x = 1' },
      message('m', 'Hi'),
      { type: 'moon' },
    ]),
  ]
  expect(messageOf(frames)).toEqual({ role: 'assistant', content: 'Hi' })
})

test.each<[string, Json]>([
  ['huge', 1e9],
  ['negative', -1],
  ['a fraction', 0.5],
  ['text', 'x'],
  ['null', null],
  ['an object', {}],
  ['beyond doubles', 2 ** 60],
])('indexes that are %s lose nothing and say nothing twice', (_says, index) => {
  const at = { output_index: index, content_index: index, summary_index: index }
  const thought = { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: 'Hm.' }] }
  const list = [thought, message('m', 'Hi'), call('c', 'f', '{}')]
  const frames = [
    event('response.reasoning_summary_text.delta', { ...at, item_id: 'r', delta: 'Hm.' }),
    event('response.output_item.done', { ...at, item: thought }),
    text('Hi', { ...at, item_id: 'm' }),
    event('response.output_item.added', { ...at, item: call('c', 'f', '') }),
    event('response.function_call_arguments.delta', { ...at, item_id: 'fc_c', delta: '{}' }),
    completed(list),
  ]
  const whole = decodeResponse({ output: list }).choices[0]?.message
  expect(messageOf(frames)).toEqual(whole as AssistantMessage)
})
