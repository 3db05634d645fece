import { describe, expect, test } from 'bun:test'
import type {
  EasyInputMessage,
  ResponseCreateParams,
  ResponseInputItem,
  Tool as ResponseTool,
} from 'openai/resources/responses/responses'
import { chatRequest, encodeTarget, functionCall, HELLO } from '../../../test/support/chatSamples.ts'
import type {
  ChatRequest,
  Message,
  ReasoningDetail,
  Tool,
  ToolCall,
  ToolChoice,
} from '../../core/chat/request.ts'
import { parseJson, type JsonObject } from '../../core/json.ts'
import type { EncodeTarget } from '../wire.ts'
import { UnsupportedField } from '../wire.ts'
import { encodeRequest } from './encodeRequest.ts'

const TARGET = encodeTarget('gpt-5.5', { maxOutputTokens: 128_000 })
const REASONS: Partial<EncodeTarget> = { hiddenReasoning: 'always' }

function encode(more: Partial<ChatRequest>, target: Partial<EncodeTarget> = {}) {
  return encodeRequest(chatRequest(more), { ...TARGET, ...target })
}

/** The items of the messages. */
function inputOf(messages: readonly Message[], target: Partial<EncodeTarget> = REASONS): unknown {
  return encode({ messages }, target).body.input
}

/** The type of each item, with the mark of a thought in place of its type. */
function orderOf(message: Message): unknown[] {
  return (inputOf([message]) as JsonObject[]).map(({ type, encrypted_content: mark }) => mark ?? type)
}

function refusedField(more: Partial<ChatRequest>, target: Partial<EncodeTarget> = {}): string | undefined {
  try {
    encode(more, target)
    return undefined
  } catch (error) {
    if (error instanceof UnsupportedField) return error.param
    throw error
  }
}

function customCall(id: string, name: string, input: string): ToolCall {
  return { id, type: 'custom', custom: { name, input } } as unknown as ToolCall
}

function encrypted(data: string, more: Partial<ReasoningDetail> = {}): ReasoningDetail {
  return { type: 'reasoning.encrypted', data, format: 'openai-responses-v1', ...more }
}

function summary(text: string, more: Partial<ReasoningDetail> = {}): ReasoningDetail {
  return { type: 'reasoning.summary', summary: text, format: 'openai-responses-v1', ...more }
}

const WEATHER = { name: 'weather', parameters: { type: 'object', properties: {} } }

describe('the request', () => {
  test('the least one stores nothing', () => {
    expect(encode({})).toEqual({
      path: '/responses',
      headers: {},
      body: {
        model: 'gpt-5.5',
        input: [{ role: 'user', content: 'Hello' }],
        store: false,
      } satisfies ResponseCreateParams,
      dropped: [],
    })
  })

  test('fields that the format has go out by its names', () => {
    const { body, dropped } = encode({
      stream: true,
      includeUsage: true,
      maxTokens: 500,
      temperature: 0.5,
      topP: 0.9,
      logprobs: true,
      topLogprobs: 3,
      reasoningEffort: 'low',
      user: 'u',
      promptCacheKey: 'k',
      extra: {
        metadata: { a: 'b' },
        safety_identifier: 's',
        prompt_cache_retention: '24h',
        prompt_cache_options: { ttl: '30m' },
        service_tier: 'default',
        verbosity: 'low',
        stream_options: { include_obfuscation: false },
        store: false,
      },
    })
    expect(body as unknown).toEqual({
      model: 'gpt-5.5',
      input: [{ role: 'user', content: 'Hello' }],
      stream: true,
      stream_options: { include_obfuscation: false },
      store: false,
      include: ['reasoning.encrypted_content', 'message.output_text.logprobs'],
      max_output_tokens: 500,
      temperature: 0.5,
      top_p: 0.9,
      top_logprobs: 3,
      text: { verbosity: 'low' },
      reasoning: { effort: 'low' },
      user: 'u',
      prompt_cache_key: 'k',
      metadata: { a: 'b' },
      prompt_cache_options: { ttl: '30m' },
      prompt_cache_retention: '24h',
      safety_identifier: 's',
      service_tier: 'default',
    } satisfies ResponseCreateParams)
    expect(dropped).toEqual([])
  })

  test('harmless fields that the format lacks are left out by name', () => {
    const { body, dropped } = encode({
      n: 3,
      seed: 7,
      frequencyPenalty: 1,
      presencePenalty: 1,
      extra: {
        logit_bias: { '1': 5 },
        prediction: { type: 'content', content: 'x' },
        store: true,
        modalities: ['text'],
        stream_options: { chunked: true },
      },
      messages: [{ role: 'user', content: 'Hi', name: 'ada' }],
    })
    expect(body).toEqual({ model: 'gpt-5.5', input: [{ role: 'user', content: 'Hi' }], store: false })
    expect(dropped.toSorted()).toEqual([
      'frequency_penalty',
      'logit_bias',
      'messages.name',
      'modalities',
      'prediction',
      'presence_penalty',
      'seed',
      'store',
      'stream_options',
    ])
  })

  test.each<[string, Partial<ChatRequest>]>([
    ['stop', { stop: ['END'] }],
    ['web_search_options', { extra: { web_search_options: {} } }],
    ['functions', { extra: { functions: [] } }],
    ['modalities', { extra: { modalities: ['text', 'audio'] } }],
    ['tools[0].type', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
    ['tool_choice', { tools: [{ type: 'function', function: WEATHER }], toolChoice: { type: 'mcp' } }],
    ['response_format.type', { responseFormat: { type: 'grammar', grammar: 'x' } }],
    [
      'messages[0].content[0].type',
      { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'AA==' } }] }] },
    ],
    [
      'messages[0].content',
      { messages: [{ role: 'assistant', content: [{ type: 'image_url', image_url: { url: 'data:,' } }] }] },
    ],
    [
      'messages[0].tool_calls[0].type',
      { messages: [{ role: 'assistant', tool_calls: [{ id: '1', type: 'mcp' } as unknown as ToolCall] }] },
    ],
    ['messages[0].content[0].file', { messages: [{ role: 'user', content: [{ type: 'file', file: {} }] }] }],
  ])('%s is refused, because the answer would be another one', (param, request) => {
    expect(refusedField(request)).toBe(param)
  })

  test('an answer that its caller begins is refused where the model does not go on with one', () => {
    const messages: Message[] = [...HELLO, { role: 'assistant', content: 'Well,' }]
    expect(inputOf(messages)).toHaveLength(2)
    expect(refusedField({ messages }, { facts: { refusesPrefill: true } })).toBe('messages')
  })

  test('an output limit is the least that the API takes, or the most that the model can', () => {
    expect(encode({ maxTokens: 1 }).body.max_output_tokens).toBe(16)
    expect(encode({ maxTokens: 17 }).body.max_output_tokens).toBe(17)
    expect(encode({ maxTokens: 500_000 }).body.max_output_tokens).toBe(128_000)
    expect(encode({}).body).not.toHaveProperty('max_output_tokens')
  })

  test('sampling that the model refuses is left out by name', () => {
    const { body, dropped } = encode(
      { temperature: 0, topP: 0.5 },
      { unsupportedFields: ['temperature', 'top_p'] },
    )
    expect(Object.keys(body)).toEqual(['model', 'input', 'store'])
    expect(dropped).toEqual(['temperature', 'top_p'])
  })

  test('encrypted reasoning is asked of models that reason, and of no other: those refuse it', () => {
    const include = ['reasoning.encrypted_content']
    expect(encode({}, REASONS).body.include).toEqual(include)
    expect(encode({ reasoningEffort: 'none' }, { hiddenReasoning: 'by_default' }).body.include).toEqual(
      include,
    )
    expect(encode({ reasoningEffort: 'low' }).body.include).toEqual(include)
    expect(encode({}).body).not.toHaveProperty('include')
    const refused = encode({ reasoningEffort: 'low' }, { unsupportedFields: ['reasoning_effort'] })
    expect(refused.body).not.toHaveProperty('include')
    expect(refused.body).not.toHaveProperty('reasoning')
    expect(refused.dropped).toEqual(['reasoning_effort'])
  })

  test('integers keep their 64 bits', () => {
    const extra = parseJson('{"metadata":{"id":9007199254740993}}') as JsonObject
    const tools = parseJson(
      '[{"type":"function","function":{"name":"a","parameters":{"maximum":18446744073709551615}}}]',
    ) as unknown as Tool[]
    const text = JSON.stringify(encode({ extra, tools }).body)
    expect(text).toContain('9007199254740993')
    expect(text).toContain('18446744073709551615')
  })
})

describe('messages', () => {
  test('instructions keep their place, and parts their kind', () => {
    const pdf = 'data:application/pdf;base64,JVBERi0='
    const input = [
      { role: 'system', content: 'Be brief.' },
      {
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look', prompt_cache_breakpoint: { mode: 'explicit' } },
          { type: 'input_image', image_url: 'https://example.com/cat.png', detail: 'high' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBO', detail: 'auto' },
          { type: 'input_file', filename: 'a.pdf', file_data: pdf },
          { type: 'input_file', filename: 'document.pdf', file_data: pdf },
          { type: 'input_file', file_url: 'https://example.com/b.pdf' },
          { type: 'input_file', file_url: 'https://example.com/c.pdf' },
        ],
      },
      { role: 'developer', content: [{ type: 'input_text', text: 'Be kind.' }] },
      { role: 'user', content: '' },
    ] satisfies EasyInputMessage[]
    const { body, dropped } = encode({
      messages: [
        { role: 'system', content: 'Be brief.' },
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look', prompt_cache_breakpoint: { mode: 'explicit' } },
            { type: 'text', text: '' },
            { type: 'image_url', image_url: { url: 'https://example.com/cat.png', detail: 'high' } },
            { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO' } },
            { type: 'file', file: { filename: 'a.pdf', file_data: pdf } },
            { type: 'file', file: { file_data: pdf } },
            { type: 'file', file: { file_data: 'https://example.com/b.pdf', filename: 'b.pdf' } },
            { type: 'file', file: { file_url: 'https://example.com/c.pdf' } },
          ],
        },
        { role: 'developer', content: [{ type: 'text', text: 'Be kind.' }] },
        { role: 'user', content: [{ type: 'text', text: '' }] },
      ],
    })
    expect(body.input as unknown).toEqual(input)
    // A name beside an address is refused.
    expect(dropped).toEqual(['messages.content.file.filename'])
  })

  test('what the model said is one message of its text and its refusal, with its citations', () => {
    const cited = { start_index: 4, end_index: 7, url: 'https://example.com', title: 'Sun' }
    const { body, dropped } = encode({
      messages: [
        {
          role: 'assistant',
          content: [
            { type: 'text', text: 'The ' },
            { type: 'text', text: 'sun.' },
            { type: 'refusal', refusal: 'No more.' },
          ],
          refusal: 'I will not.',
          annotations: [
            { type: 'url_citation', url_citation: cited },
            { type: 'url_citation', url_citation: { url: 'https://example.com/nowhere' } },
            { type: 'url_citation', url_citation: { ...cited, end_index: 9 } },
          ],
        },
        { role: 'assistant', content: null, refusal: 'No.' },
      ],
    })
    expect(body.input).toEqual([
      {
        type: 'message',
        role: 'assistant',
        content: [
          { type: 'output_text', text: 'The sun.', annotations: [{ type: 'url_citation', ...cited }] },
          { type: 'refusal', refusal: 'No more.' },
          { type: 'refusal', refusal: 'I will not.' },
        ],
      },
      { type: 'message', role: 'assistant', content: [{ type: 'refusal', refusal: 'No.' }] },
    ])
    expect(dropped).toEqual([])
  })

  test('a message of the assistant that says nothing is no item, whatever it thought', () => {
    const silent: Message = { role: 'assistant', content: '', reasoning_details: [encrypted('e')] }
    const { body, dropped } = encode({ messages: [silent, { role: 'user', content: 'Hi' }] }, REASONS)
    expect(body.input).toEqual([{ role: 'user', content: 'Hi' }])
    expect(dropped).toEqual(['messages.reasoning_details'])
  })

  test('parallel calls of one turn and their results in any order keep their ids and kinds', () => {
    const input = [
      { type: 'function_call', call_id: 'call_a', name: 'weather', arguments: '{"city":"Oslo"}' },
      { type: 'custom_tool_call', call_id: 'call_b', name: 'apply_patch', input: '*** Begin' },
      { type: 'function_call', call_id: 'call_c', name: 'time', arguments: '' },
      { type: 'custom_tool_call_output', call_id: 'call_b', output: 'Done.' },
      {
        type: 'function_call_output',
        call_id: 'call_c',
        output: [
          { type: 'input_text', text: 'A clock:' },
          { type: 'input_image', image_url: 'data:image/png;base64,iVBO', detail: 'low' },
        ],
      },
      { type: 'function_call_output', call_id: 'call_a', output: '' },
    ] satisfies ResponseInputItem[]
    const messages: Message[] = [
      {
        role: 'assistant',
        content: '',
        tool_calls: [
          functionCall('call_a', 'weather', '{"city":"Oslo"}'),
          customCall('call_b', 'apply_patch', '*** Begin'),
          functionCall('call_c', 'time', ''),
        ],
      },
      { role: 'tool', tool_call_id: 'call_b', content: 'Done.' },
      {
        role: 'tool',
        tool_call_id: 'call_c',
        content: [
          { type: 'text', text: 'A clock:' },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBO', detail: 'low' } },
        ],
      },
      { role: 'tool', tool_call_id: 'call_a', content: '' },
    ]
    expect(inputOf(messages)).toEqual(input)
  })

  test('a result before its call has the kind of the call', () => {
    const result: Message = { role: 'tool', tool_call_id: 'c', content: 'Done.' }
    const call: Message = { role: 'assistant', content: null, tool_calls: [customCall('c', 'patch', 'x')] }
    expect(inputOf([result, call])).toMatchObject([
      { type: 'custom_tool_call_output' },
      { type: 'custom_tool_call' },
    ])
  })

  test('ids of calls have 64 characters at most, are unique, and results follow them', () => {
    const long = `call_${'x'.repeat(80)}`
    const turn: Message[] = [
      { role: 'assistant', content: null, tool_calls: [functionCall(long, 'a', '{}')] },
      { role: 'tool', tool_call_id: long, content: '1' },
      { role: 'assistant', content: null, tool_calls: [functionCall('call_1', 'a', '{}')] },
      { role: 'tool', tool_call_id: 'call_1', content: '2' },
      { role: 'assistant', content: null, tool_calls: [functionCall('call_1', 'a', '{}')] },
      { role: 'tool', tool_call_id: 'call_1', content: '3' },
    ]
    const ids = (inputOf(turn) as { call_id: string }[]).map(({ call_id: id }) => id)
    expect(ids[0]).toHaveLength(64)
    expect(ids).toEqual([ids[0] ?? '', ids[0] ?? '', 'call_1', 'call_1', 'call_1_2', 'call_1_2'])
  })

  test('calls and results of the deprecated kind become those of tools', () => {
    const messages: Message[] = [
      { role: 'assistant', content: null, function_call: { name: 'look', arguments: '{}' } },
      { role: 'function', name: 'look', content: 'Seen.' },
    ]
    expect(inputOf(messages)).toEqual([
      { type: 'function_call', call_id: 'function_0', name: 'look', arguments: '{}' },
      { type: 'function_call_output', call_id: 'function_0', output: 'Seen.' },
    ])
  })

  test('the mark of a failed tool is left out by name', () => {
    const failed: Message = { role: 'tool', tool_call_id: 'a', content: 'No.', is_error: true }
    expect(encode({ messages: [failed] }).dropped).toEqual(['messages.is_error'])
  })
})

describe('thoughts that are replayed', () => {
  const call = (id: string): ToolCall => functionCall(id, 'a', '{}')

  test.each<[string, Partial<Message>, string[]]>([
    [
      'thought, call, thought, call',
      {
        tool_calls: [call('1'), call('2')],
        reasoning_details: [encrypted('first', { index: 0 }), encrypted('second', { index: 2 })],
      },
      ['first', 'function_call', 'second', 'function_call'],
    ],
    [
      'thought, text, call',
      { content: 'Hm.', tool_calls: [call('1')], reasoning_details: [encrypted('first', { index: 0 })] },
      ['first', 'message', 'function_call'],
    ],
    [
      'text, thought, call',
      { content: 'Hm.', tool_calls: [call('1')], reasoning_details: [encrypted('then', { index: 1 })] },
      ['message', 'then', 'function_call'],
    ],
    [
      'two thoughts, two calls',
      {
        tool_calls: [call('1'), call('2')],
        reasoning_details: [encrypted('first', { index: 0 }), encrypted('second', { index: 1 })],
      },
      ['first', 'second', 'function_call', 'function_call'],
    ],
    [
      'thoughts without a place, calls',
      { tool_calls: [call('1'), call('2')], reasoning_details: [encrypted('first'), encrypted('second')] },
      ['first', 'second', 'function_call', 'function_call'],
    ],
    [
      'a thought behind an item that is not replayed, text',
      {
        content: 'Found.',
        reasoning_details: [encrypted('first', { index: 0 }), encrypted('then', { index: 2 })],
      },
      ['first', 'then', 'message'],
    ],
    [
      'a thought that nothing follows moves before what was last',
      { tool_calls: [call('1')], reasoning_details: [encrypted('last', { index: 1 })] },
      ['last', 'function_call'],
    ],
  ])('keep their order: %s', (_order, said, expected) => {
    expect(orderOf({ role: 'assistant', content: null, ...said })).toEqual(expected)
  })

  test('are one item for each place or id, with all its summaries', () => {
    const messages: Message[] = [
      {
        role: 'assistant',
        content: 'Hi',
        reasoning_content: 'One.\n\nTwo.\n\nThree.',
        reasoning_details: [
          summary('One.', { id: 'rs_1', index: 0 }),
          summary('Two.', { id: 'rs_1', index: 0 }),
          encrypted('gAAA+/=', { id: 'rs_1', index: 0 }),
          summary('Three.', { index: 1 }),
          summary('Four.', { index: 2 }),
          encrypted('gBBB', { id: 'rs_2', index: 1 }),
          encrypted('gDDD', { index: 2 }),
          encrypted('gEEE', { index: 2 }),
          encrypted('gCCC', { id: 'rs_3' }),
        ],
      },
    ]
    const { body, dropped } = encode({ messages }, REASONS)
    expect((body.input as unknown[]).slice(0, -1)).toEqual([
      { type: 'reasoning', summary: [], encrypted_content: 'gCCC' },
      {
        type: 'reasoning',
        summary: [
          { type: 'summary_text', text: 'One.' },
          { type: 'summary_text', text: 'Two.' },
        ],
        encrypted_content: 'gAAA+/=',
      },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Three.' }], encrypted_content: 'gBBB' },
      { type: 'reasoning', summary: [{ type: 'summary_text', text: 'Four.' }], encrypted_content: 'gDDD' },
      { type: 'reasoning', summary: [], encrypted_content: 'gEEE' },
    ])
    expect(dropped).toEqual([])
  })

  test('go back in the open where their server encrypts none', () => {
    const open = { type: 'reasoning.text', text: 'Hm.', format: 'openai-responses-v1', id: 'rs_1', index: 0 }
    const message: Message = { role: 'assistant', content: 'Hi', reasoning_details: [open] }
    expect(inputOf([message], {})).toMatchObject([
      { type: 'reasoning', summary: [], content: [{ type: 'reasoning_text', text: 'Hm.' }] },
      { type: 'message' },
    ])
  })

  test.each<[string, ReasoningDetail[], Partial<EncodeTarget>]>([
    ['of Claude', [{ type: 'reasoning.encrypted', data: 'e', format: 'anthropic-claude-v1' }], REASONS],
    ['of Gemini', [{ type: 'reasoning.encrypted', data: 'e', format: 'google-gemini-v1', id: 'c' }], REASONS],
    ['of unknown origin', [{ type: 'reasoning.encrypted', data: 'e' }], REASONS],
    ['that are a summary alone', [summary('Hm.', { id: 'rs_1', index: 0 })], REASONS],
    ['towards a model that does not reason', [encrypted('e')], {}],
  ])('are left out by name: those %s', (_which, details, target) => {
    const message: Message = { role: 'assistant', content: 'Hi', reasoning_details: details }
    const { body, dropped } = encode({ messages: [message] }, target)
    expect(body.input).toMatchObject([{ type: 'message' }])
    expect(dropped).toEqual(['messages.reasoning_details'])
  })
})

describe('tools', () => {
  test('are flat, and strict is always written', () => {
    const parameters = { type: 'object', properties: {}, required: [], additionalProperties: false }
    const tools = [
      { type: 'function', name: 'a', description: 'A.', parameters: WEATHER.parameters, strict: true },
      { type: 'function', name: 'b', parameters, strict: false },
      { type: 'function', name: 'c', parameters: WEATHER.parameters, strict: false },
      {
        type: 'custom',
        name: 'patch',
        description: 'P.',
        format: { type: 'grammar', syntax: 'lark', definition: 'start: "x"' },
      },
      { type: 'custom', name: 'say', format: { type: 'text' } },
      { type: 'custom', name: 'bare' },
    ] satisfies ResponseTool[]
    const grammar = { syntax: 'lark', definition: 'start: "x"' }
    const given: Tool[] = [
      { type: 'function', function: { ...WEATHER, name: 'a', description: 'A.', strict: true } },
      { type: 'function', function: { name: 'b' } },
      { type: 'function', function: { ...WEATHER, name: 'c', strict: null } },
      { type: 'custom', custom: { name: 'patch', description: 'P.', format: { type: 'grammar', grammar } } },
      { type: 'custom', custom: { name: 'say', format: { type: 'text' } } },
      { type: 'custom', custom: { name: 'bare' } },
    ]
    const { body, dropped } = encode({ tools: given, parallelToolCalls: false, toolChoice: 'required' })
    expect(body as unknown).toMatchObject({ tools, parallel_tool_calls: false, tool_choice: 'required' })
    expect(dropped).toEqual([])
  })

  test.each<[ToolChoice, ResponseCreateParams['tool_choice']]>([
    ['none', 'none'],
    ['auto', 'auto'],
    [
      { type: 'function', function: { name: 'a' } },
      { type: 'function', name: 'a' },
    ],
    [
      { type: 'custom', custom: { name: 'p' } },
      { type: 'custom', name: 'p' },
    ],
    [
      {
        type: 'allowed_tools',
        allowed_tools: {
          mode: 'required',
          tools: [
            { type: 'function', function: { name: 'a' } },
            { type: 'custom', custom: { name: 'p' } },
          ],
        },
      },
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [
          { type: 'function', name: 'a' },
          { type: 'custom', name: 'p' },
        ],
      },
    ],
  ])('are chosen without the level between: %j', (given, sent) => {
    const tools: Tool[] = [{ type: 'function', function: { name: 'a' } }]
    const { body } = encode({ tools, toolChoice: given })
    expect(body.tool_choice as unknown).toEqual(sent)
  })

  test('that must not be called are left out where the model takes none, with what is said of them', () => {
    const { body, dropped } = encode(
      {
        tools: [{ type: 'function', function: { name: 'a' } }],
        toolChoice: 'none',
        parallelToolCalls: true,
      },
      { unsupportedFields: ['tools'] },
    )
    expect(Object.keys(body)).toEqual(['model', 'input', 'store'])
    expect(dropped).toEqual(['tools', 'tool_choice', 'parallel_tool_calls'])
  })
})

describe('the format of the answer', () => {
  const schema = { type: 'object', $schema: 'x', properties: {} }

  test.each<[unknown, unknown]>([
    [{ type: 'text' }, undefined],
    [{ type: 'json_object' }, { format: { type: 'json_object' } }],
    [{ type: 'json_schema', json_schema: { name: 'a' } }, { format: { type: 'json_object' } }],
    [
      { type: 'json_schema', json_schema: { name: 'a', description: 'D.', schema, strict: true } },
      { format: { type: 'json_schema', name: 'a', description: 'D.', schema, strict: true } },
    ],
    [
      { type: 'json_schema', json_schema: { name: 'a', schema } },
      { format: { type: 'json_schema', name: 'a', schema, strict: false } },
    ],
  ])('is flat, and strict is always written: %j', (given, sent) => {
    expect(encode({ responseFormat: given as never }).body.text as unknown).toEqual(sent)
  })

  test('has no dialect where the model cannot have it', () => {
    const { body } = encode(
      { responseFormat: { type: 'json_schema', json_schema: { name: 'a', schema } } },
      { facts: { schemaWithoutDialect: true } },
    )
    expect(body.text).toMatchObject({ format: { schema: { type: 'object', properties: {} } } })
    expect(JSON.stringify(body)).not.toContain('$schema')
  })
})
