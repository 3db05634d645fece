import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import {
  anyText,
  plainChoices,
  responseOf,
  toolCalls,
  usages,
} from '../../../test/support/chatArbitraries.ts'
import type { AnswerEvent, Delta, ToolCallDelta } from '../../core/answer/event.ts'
import type { AssistantMessage, Choice } from '../../core/answer/wholeAnswer.ts'
import type { ReasoningDetail, ToolCall } from '../../core/chat/request.ts'
import { refuse } from '../../core/error.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { responseToEvents } from '../collect.ts'
import { readObject, readObjects, readText } from '../read.ts'
import type { Envelope } from '../wire.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

const ENVELOPE: Envelope = {
  id: 'resp_X',
  created: 1_795_000_000,
  model: 'acme/chat-1',
  includeUsage: true,
  kept: true,
  requestBody: { instructions: 'Be brief.', tools: [{ type: 'function', name: 'f' }] },
}

function said(delta: Delta): AnswerEvent {
  return { type: 'delta', index: 0, delta }
}

function piece(index: number, text: string, name?: string): ToolCallDelta {
  return name === undefined
    ? { index, function: { arguments: text } }
    : { index, id: `call_${index}`, type: 'function', function: { name, arguments: text } }
}

const STOP: AnswerEvent = { type: 'finish', index: 0, reason: 'stop' }

/** The events of a stream; each is named as its type, and they are numbered from 0. */
function eventsOf(events: readonly AnswerEvent[], repeatedLengthMax?: number): JsonObject[] {
  const encoder = encodeStream(ENVELOPE, repeatedLengthMax)
  const text = [...events.flatMap((event) => encoder.push(event)), ...encoder.end()].join('')
  return parsed(text)
}

function parsed(text: string): JsonObject[] {
  return text
    .split('\n\n')
    .filter((frame) => frame !== '')
    .map((frame, i) => {
      const [, event, data = ''] = /^event: (.+?)\ndata: (.+)$/s.exec(frame) ?? []
      const json = JSON.parse(data) as JsonObject
      expect([json.type, json.sequence_number]).toEqual([event ?? '', i])
      return json
    })
}

function typesOf(events: readonly JsonObject[]): readonly (Json | undefined)[] {
  return events.map(({ type }) => (type as string).replace('response.', ''))
}

function finalOf(events: readonly JsonObject[]): JsonObject {
  return readObject(events.at(-1)?.response) ?? {}
}

/** The response that the events make, put together from each of them as OpenAI's documents say. */
function outputMadeOf(events: readonly JsonObject[]): JsonObject[] {
  const done = events.filter(({ type }) => type === 'response.output_item.done')
  return done
    .toSorted((a, b) => Number(a.output_index) - Number(b.output_index))
    .map(({ item }) => readObject(item) ?? {})
}

describe('a streamed response', () => {
  test('writes the whole life of reasoning, a message and a call', () => {
    const events = eventsOf([
      { type: 'start' },
      said({ reasoning_content: 'Hm' }),
      said({ reasoning_content: '.' }),
      said({ content: 'Let me ' }),
      said({ content: 'see.' }),
      said({ tool_calls: [piece(0, '', 'f')] }),
      said({ tool_calls: [piece(0, '{}')] }),
      { type: 'finish', index: 0, reason: 'tool_calls' },
    ])
    expect(typesOf(events)).toEqual([
      'created',
      'in_progress',
      'output_item.added',
      'reasoning_summary_part.added',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.delta',
      'reasoning_summary_text.done',
      'reasoning_summary_part.done',
      'output_item.done',
      'output_item.added',
      'content_part.added',
      'output_text.delta',
      'output_text.delta',
      'output_text.done',
      'content_part.done',
      'output_item.done',
      'output_item.added',
      'function_call_arguments.delta',
      'function_call_arguments.done',
      'output_item.done',
      'completed',
    ])
    expect(events[11]).toEqual({
      type: 'response.output_text.delta',
      sequence_number: 11,
      item_id: 'msg_X_1',
      output_index: 1,
      content_index: 0,
      delta: 'Let me ',
      logprobs: [],
    })
    expect(events[18]).toMatchObject({ item_id: 'fc_X_2', output_index: 2, name: 'f', arguments: '{}' })
  })

  test('names each item the same in all its events', () => {
    const events = eventsOf([
      said({ reasoning_content: 'Hm.' }),
      said({ content: 'Well.' }),
      said({ tool_calls: [piece(0, '{}', 'f'), piece(1, '{}', 'f')] }),
      STOP,
    ])
    const ids = new Map<unknown, Set<unknown>>()
    for (const event of events) {
      if (event.output_index === undefined) continue
      const known = ids.get(event.output_index) ?? new Set()
      ids.set(event.output_index, known.add(event.item_id ?? readObject(event.item)?.id))
    }
    expect([...ids.values()].map((known) => [...known])).toEqual([
      ['rs_X_0'],
      ['msg_X_1'],
      ['fc_X_2'],
      ['fc_X_3'],
    ])
    expect(readObjects(finalOf(events).output).map(({ id }) => id)).toEqual([
      'rs_X_0',
      'msg_X_1',
      'fc_X_2',
      'fc_X_3',
    ])
  })

  test('keeps the pieces of two calls apart that come in turn', () => {
    const events = eventsOf([
      said({ tool_calls: [piece(0, '{"a"', 'f'), piece(1, '{"b"', 'g')] }),
      said({ tool_calls: [piece(0, ':1}'), piece(1, ':2}')] }),
      STOP,
    ])
    expect(outputMadeOf(events)).toMatchObject([
      { name: 'f', arguments: '{"a":1}' },
      { name: 'g', arguments: '{"b":2}' },
    ])
  })

  test('keeps a call open that lacks its end while text comes between its pieces', () => {
    const events = eventsOf([
      said({ tool_calls: [piece(0, '{"a"', 'f')] }),
      said({ content: '\n' }),
      said({ tool_calls: [piece(0, ':1}')] }),
      STOP,
    ])
    expect(outputMadeOf(events)).toMatchObject([{ arguments: '{"a":1}' }, { type: 'message' }])
  })

  test('ends a whole call before the reasoning that follows it', () => {
    const events = eventsOf([
      said({ tool_calls: [piece(0, '{}', 'f')] }),
      said({ reasoning_content: 'Hm.' }),
      said({ tool_calls: [piece(1, '{}', 'g')] }),
      STOP,
    ])
    const done = events.filter(({ type }) => type === 'response.output_item.done')
    expect(done.map(({ output_index: at }) => at)).toEqual([0, 1, 2])
  })

  test('fails where a call goes on after its end', () => {
    const events = eventsOf([
      said({ tool_calls: [piece(0, '{}', 'f')] }),
      said({ content: 'a' }),
      said({ tool_calls: [piece(0, '{}')] }),
      STOP,
    ])
    expect(events.at(-1)?.type).toBe('response.failed')
  })

  test('writes other tools than functions', () => {
    const first = { index: 0, id: 'call_0', type: 'custom', custom: { name: 'patch', input: '' } }
    const events = eventsOf([
      said({ tool_calls: [first as unknown as ToolCallDelta] }),
      said({ tool_calls: [{ index: 0, custom: { input: '***' } }] }),
      STOP,
    ])
    expect(typesOf(events).slice(2)).toEqual([
      'output_item.added',
      'custom_tool_call_input.delta',
      'custom_tool_call_input.done',
      'output_item.done',
      'completed',
    ])
    expect(outputMadeOf(events)).toMatchObject([
      { id: 'ctc_X_0', type: 'custom_tool_call', call_id: 'call_0', name: 'patch', input: '***' },
    ])
  })

  test('counts the places of citations from where their message begins', () => {
    const cited = (start: number): Delta => ({
      annotations: [
        {
          type: 'url_citation',
          url_citation: { url: 'https://a.example', title: 'A', start_index: start, end_index: start + 1 },
        },
      ],
    })
    const events = eventsOf([
      said({ content: 'one' }),
      said(cited(0)),
      said({ tool_calls: [piece(0, '{}', 'f')] }),
      said({ content: 'two' }),
      said(cited(3)),
      said(cited(4)),
      STOP,
    ])
    const added = events.filter(({ type }) => type === 'response.output_text.annotation.added')
    expect(
      added.map(({ annotation_index: index, annotation }) => [index, readObject(annotation)?.start_index]),
    ).toEqual([
      [0, 0],
      [0, 0],
      [1, 1],
    ])
  })

  test('passes signatures with the reasoning that they sign', () => {
    const format = 'anthropic-claude-v1'
    const events = eventsOf([
      said({ reasoning_content: 'Two ' }),
      said({ reasoning_content: 'cities.' }),
      said({ reasoning_details: [{ type: 'reasoning.text', text: 'Two cities.', signature: 's', format }] }),
      said({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'd', format }] }),
      said({ content: 'Paris.' }),
      STOP,
    ])
    expect(outputMadeOf(events)).toMatchObject([
      {
        summary: [{ text: 'Two cities.' }],
        encrypted_content: expect.stringMatching(/"Two cities\.".+"s".+"d"/) as unknown,
      },
      { type: 'message' },
    ])
  })

  test('ends each part of a summary that came before as text', () => {
    const of = { format: 'openai-responses-v1', index: 0, id: 'rs_1' }
    const events = eventsOf([
      said({ reasoning_content: 'A' }),
      said({ reasoning_details: [{ type: 'reasoning.summary', summary: 'A', ...of }] }),
      said({ reasoning_content: '\n\n' }),
      said({ reasoning_content: 'B' }),
      said({ reasoning_details: [{ type: 'reasoning.summary', summary: 'B', ...of }] }),
      said({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'gAAAAA', ...of }] }),
      STOP,
    ])
    expect(finalOf(events).output).toEqual([
      {
        id: 'rs_X_0',
        type: 'reasoning',
        summary: [
          { type: 'summary_text', text: 'A' },
          { type: 'summary_text', text: 'B' },
        ],
        encrypted_content: 'gAAAAA',
      },
    ])
  })

  test('says a piece of reasoning once that comes as text and as a block', () => {
    const pieces = ['ha', 'ha', '!'].map((text) =>
      said({ reasoning_content: text, reasoning_details: [{ type: 'reasoning.text', text, index: 0 }] }),
    )
    const events = eventsOf([...pieces, STOP])
    expect(finalOf(events).output).toMatchObject([{ summary: [{ text: 'haha!' }] }])
  })

  test.each([
    ['length', 'max_output_tokens'],
    ['content_filter', 'content_filter'],
  ] as const)('that was cut by %s says so', (reason, word) => {
    const events = eventsOf([
      said({ tool_calls: [piece(0, '{"a"', 'f')] }),
      { type: 'finish', index: 0, reason },
    ])
    expect(events.at(-1)?.type).toBe('response.incomplete')
    expect(finalOf(events)).toMatchObject({
      status: 'incomplete',
      incomplete_details: { reason: word },
      output: [{ status: 'incomplete', arguments: '{"a"' }],
    })
  })

  test('fails where it ends without a finish reason, or where its provider fails', () => {
    const failure: AnswerEvent = { type: 'error', failure: { kind: 'server', detail: 'secret' } }
    for (const events of [
      eventsOf([said({ content: 'a' })]),
      eventsOf([said({ content: 'a' }), failure, STOP]),
    ]) {
      const { message } = readObject(finalOf(events).error) ?? {}
      const error = { code: 'server_error', message, param: null }
      expect(events.at(-2)).toMatchObject({
        type: 'error',
        ...error,
        error: { type: 'server_error', ...error },
      })
      expect(events.at(-1)?.type).toBe('response.failed')
      expect(finalOf(events)).toMatchObject({ status: 'failed', error: { code: 'server_error' }, output: [] })
      expect(JSON.stringify(events)).not.toContain('secret')
    }
  })

  test('begins before it fails, and ends with the failure', () => {
    const encoder = encodeStream(ENVELOPE)
    const events = parsed(encoder.fail(refuse('invalid_request', 'The request was refused.')))
    expect(typesOf(events)).toEqual(['created', 'in_progress', 'error', 'failed'])
    expect(events[2]?.error).toEqual({
      type: 'invalid_request_error',
      code: 'invalid_request',
      message: 'The request was refused.',
      param: null,
    })
    expect(finalOf(events).error).toEqual({ code: 'invalid_request', message: 'The request was refused.' })
    expect([...encoder.push(said({ content: 'a' })), ...encoder.end()]).toEqual([])
  })

  test('repeats an item only as far as there is room, and says its pieces in full all the same', () => {
    const long = '☃'.repeat(60)
    const events = eventsOf(
      [
        said({ content: long }),
        said({ content: long }),
        said({ tool_calls: [piece(0, '{"a":1}', 'f')] }),
        STOP,
      ],
      100,
    )
    const deltas = events.filter(({ type }) => type === 'response.output_text.delta')
    expect(deltas.map(({ delta }) => delta)).toEqual([long, long])
    expect(JSON.stringify(events).split('☃').length - 1).toBe(120)
    expect(finalOf(events).output).toMatchObject([
      { id: 'msg_X_0', content: [{ type: 'output_text', text: '' }] },
      { id: 'fc_X_1', arguments: '{"a":1}' },
    ])
  })

  test('repeats the secrets of earlier items only as far as there is room', () => {
    const block = (i: number): ReasoningDetail => ({
      type: 'reasoning.encrypted',
      data: `${i}`.repeat(40),
      format: 'anthropic-claude-v1',
    })
    const turns = [1, 2, 3, 4].flatMap((i) => [
      said({ reasoning_details: [block(i)] }),
      said({ content: 'a' }),
    ])
    const secrets = outputMadeOf(eventsOf([...turns, STOP], 400)).flatMap(
      ({ encrypted_content: secret }) => readText(secret) ?? [],
    )
    expect(secrets.map((secret) => secret.match(/\d{40}/g)?.map(([first]) => first))).toEqual([
      ['1'],
      ['1', '2'],
      ['3'],
      ['4'],
    ])
  })

  test('gives a secret with its item, also where there is no room to repeat it', () => {
    const data = 'g'.repeat(200)
    const details = [{ type: 'reasoning.encrypted', data, format: 'openai-responses-v1', index: 0 }]
    const events = eventsOf([said({ reasoning_details: details }), STOP], 100)
    expect(outputMadeOf(events)).toMatchObject([{ encrypted_content: data }])
    expect(finalOf(events).output).toEqual([{ id: 'rs_X_0', type: 'reasoning', summary: [] }])
  })
})

const own = { format: 'openai-responses-v1' }

const ownThoughts: fc.Arbitrary<readonly ReasoningDetail[]> = fc
  .array(fc.tuple(fc.array(anyText, { maxLength: 2 }), anyText), { minLength: 1, maxLength: 2 })
  .map((items) =>
    items.flatMap(([summary, data], index) => [
      ...summary.map((text) => ({ type: 'reasoning.summary', summary: text, ...own, index })),
      { type: 'reasoning.encrypted', data, ...own, index },
    ]),
  )

const foreignThoughts: fc.Arbitrary<readonly ReasoningDetail[]> = fc.array(
  fc.oneof(
    fc.record({
      type: fc.constant('reasoning.text'),
      text: anyText,
      signature: anyText,
      format: fc.constant('anthropic-claude-v1'),
    }),
    fc.record({
      type: fc.constant('reasoning.encrypted'),
      data: anyText,
      format: fc.constant('anthropic-claude-v1'),
    }),
  ),
  { minLength: 1, maxLength: 3 },
)

function thinking(details: readonly ReasoningDetail[], calls: readonly ToolCall[] | null): AssistantMessage {
  const texts = details.map(({ text, summary }) => (summary as string | undefined) ?? text ?? '')
  const readable = texts.filter((text) => text !== '').join('\n\n')
  return {
    role: 'assistant',
    content: calls ? null : 'Well.',
    ...(readable !== '' && { reasoning_content: readable }),
    reasoning_details: details,
    ...(calls && { tool_calls: calls }),
  }
}

const thoughtfulChoices: fc.Arbitrary<Omit<Choice, 'index'>> = fc
  .tuple(fc.oneof(ownThoughts, foreignThoughts), fc.option(toolCalls))
  .map(([details, calls]) => ({
    message: thinking(details, calls),
    finishReason: calls ? 'tool_calls' : 'stop',
  }))

const signedCalls: fc.Arbitrary<Omit<Choice, 'index'>> = fc
  .tuple(fc.option(anyText), fc.oneof(fc.constant([]), foreignThoughts), toolCalls)
  .map(([content, thoughts, calls]) => {
    const signatures = calls.map(({ id }) => ({
      type: 'reasoning.encrypted',
      data: 'c2lnbmVk',
      id,
      format: 'google-gemini-v1',
    }))
    const details = [...thoughts, ...signatures]
    return { message: { ...thinking(details, calls), content }, finishReason: 'tool_calls' }
  })

const refusals: fc.Arbitrary<Omit<Choice, 'index'>> = anyText.map((refusal) => ({
  message: { role: 'assistant', content: null, refusal },
  finishReason: 'content_filter',
}))

test('a streamed answer and the whole answer are the same response', () => {
  const answers = responseOf(fc.oneof(plainChoices, thoughtfulChoices, signedCalls, refusals))
  fc.assert(
    fc.property(answers, fc.option(usages, { nil: undefined }), (given, usage) => {
      const { usage: _usage, ...rest } = given
      const answer = usage ? { ...rest, usage } : rest
      const whole = JSON.parse(JSON.stringify(encodeResponse(answer, ENVELOPE))) as JsonObject
      const events = eventsOf(responseToEvents(answer))
      expect(finalOf(events)).toEqual(whole)
      expect(outputMadeOf(events)).toEqual(readObjects(whole.output))
    }),
  )
})
