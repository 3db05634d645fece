import { describe, expect, test } from 'bun:test'
import type { ChatRequest, ReasoningDetail } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { decodeRequest } from './decodeRequest.ts'

function decoded(body: JsonObject): ChatRequest {
  const result = decodeRequest({ model: 'm', input: 'Hi', ...body })
  if (!result.ok) throw new Error(result.refusal.message)
  return result.request
}

function messagesOf(...input: readonly Json[]): ChatRequest['messages'] {
  return decoded({ input }).messages
}

function refusedParam(body: JsonObject): string | null {
  const result = decodeRequest({ model: 'm', input: 'Hi', ...body })
  if (result.ok) throw new Error('was not refused')
  expect(result.refusal.code).toBe('invalid_request')
  return result.refusal.param
}

describe('a request of Responses', () => {
  test('is a message of the user where its input is a text, after the instructions', () => {
    expect(decoded({ instructions: 'Be brief.' })).toEqual({
      model: 'm',
      messages: [
        { role: 'system', content: 'Be brief.' },
        { role: 'user', content: 'Hi' },
      ],
      n: 1,
      stream: false,
      includeUsage: false,
      extra: {},
    })
  })

  test('has its usage in every stream', () => {
    expect(decoded({ stream: true })).toMatchObject({ stream: true, includeUsage: true })
  })

  test('sets what chat completions set, under their names', () => {
    expect(
      decoded({
        max_output_tokens: 7,
        temperature: 2,
        top_p: 0.5,
        user: 'u',
        safety_identifier: 's',
        prompt_cache_key: 'k',
        prompt_cache_retention: '24h',
        service_tier: 'flex',
        metadata: { a: 'b' },
        reasoning: { effort: 'low' },
        text: { verbosity: 'low', format: { type: 'json_schema', name: 'n', schema: {}, strict: true } },
        include: ['message.output_text.logprobs'],
        top_logprobs: 3,
      }),
    ).toMatchObject({
      maxTokens: 7,
      temperature: 2,
      topP: 0.5,
      user: 'u',
      promptCacheKey: 'k',
      reasoningEffort: 'low',
      logprobs: true,
      topLogprobs: 3,
      responseFormat: { type: 'json_schema', json_schema: { name: 'n', schema: {}, strict: true } },
      extra: {
        safety_identifier: 's',
        prompt_cache_retention: '24h',
        service_tier: 'flex',
        metadata: { a: 'b' },
        verbosity: 'low',
      },
    })
  })

  test('says nothing with what holds anyway', () => {
    const request = decoded({
      background: false,
      conversation: null,
      include: ['reasoning.encrypted_content'],
      max_output_tokens: null,
      metadata: {},
      parallel_tool_calls: true,
      previous_response_id: null,
      prompt: null,
      store: false,
      text: { format: { type: 'text' } },
      tool_choice: 'auto',
      tools: [],
      top_logprobs: 0,
      truncation: 'disabled',
    })
    expect(request).toEqual(decoded({}))
  })

  test('names what it leaves out', () => {
    const { unknownFields } = decoded({
      client_metadata: { session: 's' },
      include: ['web_search_call.action.sources'],
      max_tool_calls: 3,
      reasoning: { effort: 'low', summary: 'auto' },
      stream_options: { include_obfuscation: false },
      text: { odd: 1 },
      tools: [
        { type: 'function', name: 'f', parameters: {}, defer_loading: true },
        { type: 'web_search_preview_2025_03_11' },
        { type: 'web_search' },
        { type: 'tool_search', execution: 'client' },
        { type: 'namespace', name: 'n', tools: [] },
        { type: 'image_generation' },
      ],
      top_logprobs: 5,
      truncation: 'auto',
    })
    expect(unknownFields).toEqual([
      'client_metadata',
      'max_tool_calls',
      'reasoning.summary',
      'text.odd',
      'stream_options.include_obfuscation',
      'truncation',
      'include[web_search_call.action.sources]',
      'top_logprobs',
      'tools.defer_loading',
      'tools[web_search]',
      'tools[tool_search]',
      'tools[namespace]',
      'tools[image_generation]',
    ])
  })

  test('counts what may pass to a provider of the format and has no place elsewhere', () => {
    const { unmodelled } = decoded({
      input: [
        { role: 'user', content: [{ type: 'input_text', text: 'a', odd: 'b' }], phase: 'p' },
        { type: 'web_search_call', id: 'ws_1', action: { query: 'q' } },
      ],
      reasoning: { summary: 'auto' },
    })
    expect(unmodelled).toEqual(['summary', 'auto', 'phase', 'p', 'odd', 'b'])
  })
})

describe('the items of the input', () => {
  test('are messages of every role, easy ones too', () => {
    expect(
      messagesOf(
        { type: 'message', role: 'system', content: [{ type: 'input_text', text: 'S' }] },
        { role: 'developer', content: 'D' },
        { role: 'user', content: 'U' },
        { role: 'assistant', content: 'A' },
      ),
    ).toEqual([
      { role: 'system', content: 'S' },
      { role: 'developer', content: 'D' },
      { role: 'user', content: 'U' },
      { role: 'assistant', content: 'A' },
    ])
  })

  test('hold text, images and files', () => {
    expect(
      messagesOf({
        role: 'user',
        content: [
          { type: 'input_text', text: 'Look' },
          { type: 'input_image', image_url: 'https://example.com/cat.png', detail: 'low', file_id: null },
          { type: 'input_image', image_url: 'data:image/jpg;base64,iVBORw0KGgo=' },
          { type: 'input_file', filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' },
          { type: 'input_file', file_url: 'https://example.com/a.pdf' },
          { type: 'input_image', file_id: 'file-1' },
        ],
      }),
    ).toEqual([
      {
        role: 'user',
        content: [
          { type: 'text', text: 'Look' },
          { type: 'image_url', image_url: { url: 'https://example.com/cat.png', detail: 'low' } },
          { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
          { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,JVBERi0=' } },
          { type: 'file', file: { file_url: 'https://example.com/a.pdf' } },
          { type: 'input_image', file_id: 'file-1' },
        ],
      },
    ])
  })

  test('are one turn of the model until others speak, with its parallel calls', () => {
    const of = { format: 'openai-responses-v1' }
    expect(
      messagesOf(
        { type: 'reasoning', id: 'rs_1', summary: [{ type: 'summary_text', text: 'Hm.' }], content: null },
        { type: 'web_search_call', id: 'ws_1', status: 'completed' },
        { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}', id: 'fc_1' },
        { type: 'reasoning', summary: [], encrypted_content: 'gAAAA' },
        { type: 'custom_tool_call', call_id: 'c2', name: 'patch', input: '*** x' },
        {
          type: 'message',
          role: 'assistant',
          content: [
            { type: 'output_text', text: 'Now ', annotations: [] },
            { type: 'refusal', refusal: 'No.' },
            { type: 'output_text', text: 'this.' },
          ],
        },
        { type: 'custom_tool_call_output', call_id: 'c2', output: [{ type: 'input_text', text: 'ok' }] },
        { type: 'function_call_output', call_id: 'c1', output: 'done' },
      ),
    ).toEqual([
      {
        role: 'assistant',
        content: [
          { type: 'text', text: 'Now ' },
          { type: 'text', text: 'this.' },
        ],
        refusal: 'No.',
        reasoning_content: 'Hm.',
        reasoning_details: [{ type: 'reasoning.encrypted', data: 'gAAAA', ...of, index: 2 }],
        tool_calls: [
          { id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } },
          { id: 'c2', type: 'custom', custom: { name: 'patch', input: '*** x' } },
        ],
      },
      { role: 'tool', tool_call_id: 'c2', content: 'ok' },
      { role: 'tool', tool_call_id: 'c1', content: 'done' },
    ] as unknown as ChatRequest['messages'])
  })

  test('that are a summary alone are text, and those with a secret or open thoughts are blocks that go back', () => {
    const summary = [{ type: 'summary_text', text: 'Hm.' }]
    const of = { format: 'openai-responses-v1', id: 'rs_1', index: 0 }
    const blocks = { type: 'reasoning.summary', summary: 'Hm.', ...of }
    for (const [more, details] of [
      [{}, undefined],
      [{ encrypted_content: 'gA' }, [blocks, { type: 'reasoning.encrypted', data: 'gA', ...of }]],
      [
        { content: [{ type: 'reasoning_text', text: 'So.' }] },
        [blocks, { type: 'reasoning.text', text: 'So.', ...of }],
      ],
    ] as const) {
      const [message] = messagesOf({ type: 'reasoning', id: 'rs_1', summary, ...more })
      expect(message).toMatchObject({ role: 'assistant', content: null, reasoning_content: 'Hm.' })
      expect(message?.reasoning_details).toEqual(details && [...details])
    }
  })

  test('of other formats are the blocks that the gateway sealed, each once, with or without their summaries', () => {
    const format = 'anthropic-claude-v1'
    const [first, second] = ['A', 'B'].map((text) => ({
      type: 'reasoning.text',
      text,
      signature: `s${text}`,
      format,
    }))
    const hidden = { type: 'reasoning.encrypted', data: 'd', format }
    const single = `tollgate-v1:{"type":"reasoning.text","signature":"sA","format":"${format}"}`
    const all = `tollgate-v1:${JSON.stringify([first, second, hidden])}`
    const item = (encrypted: string, ...texts: string[]): JsonObject => ({
      type: 'reasoning',
      id: '',
      summary: texts.map((text) => ({ type: 'summary_text', text })),
      encrypted_content: encrypted,
    })
    for (const items of [
      [item(all, 'A', 'B')],
      [item(all, 'A\n\nB')],
      [item(all)],
      [item(all, 'B')],
      [item(single, 'A'), item(all, 'B')],
      [item(single, 'A'), item(all)],
    ]) {
      const [message] = messagesOf(...items)
      expect(message?.reasoning_details).toEqual([first, second, hidden] as ReasoningDetail[])
      expect(message?.reasoning_content).toBe('A\n\nB')
    }
  })

  test.each(['', '{}', '[]', '[1]', '[{"type":1}]', '[{"type":"a","text":1}]', '[{"type":"a"}'])(
    'with a marked secret that the gateway never gave are refused by name: %s',
    (secret) => {
      const item = { type: 'reasoning', summary: [], encrypted_content: `tollgate-v1:${secret}` }
      expect(refusedParam({ input: [item] })).toBe('input[0].encrypted_content')
    },
  )

  test('of the model are two turns where the user or a result comes between them', () => {
    const call = { type: 'function_call', call_id: 'c1', name: 'f', arguments: '{}' }
    const messages = messagesOf(
      { role: 'assistant', content: 'A' },
      { role: 'user', content: 'U' },
      call,
      { type: 'function_call_output', call_id: 'c1', output: 'R' },
      { role: 'assistant', content: 'B' },
    )
    expect(messages.map(({ role }) => role)).toEqual(['assistant', 'user', 'assistant', 'tool', 'assistant'])
  })

  test.each(['web_search_call', 'tool_search_call', 'tool_search_output', 'image_generation_call'])(
    'of a tool of the vendor are left out by name: %s',
    (type) => {
      const { messages, unknownFields } = decoded({ input: [{ role: 'user', content: 'Hi' }, { type }] })
      expect(messages).toHaveLength(1)
      expect(unknownFields).toEqual([`input[${type}]`])
    },
  )

  test('name reasoning of which only the id came back', () => {
    const input = [
      { role: 'user', content: 'Hi' },
      { type: 'reasoning', id: 'rs_1', summary: [] },
      { type: 'reasoning', id: 'rs_2', summary: [] },
    ]
    expect(decoded({ input }).unknownFields).toEqual(['input[reasoning]'])
  })
})

describe('tools', () => {
  const weather = { type: 'function', name: 'weather', description: 'd', parameters: { type: 'object' } }
  const patch = {
    type: 'custom',
    name: 'patch',
    format: { type: 'grammar', syntax: 'lark', definition: 'start: "a"' },
  }

  test('are functions, and custom tools with their grammar', () => {
    const { tools } = decoded({ tools: [{ ...weather, strict: null }, { ...weather, strict: true }, patch] })
    const { type, ...definition } = weather
    expect(tools).toEqual([
      { type, function: definition },
      { type, function: { ...definition, strict: true } },
      {
        type: 'custom',
        custom: {
          name: 'patch',
          format: { type: 'grammar', grammar: { syntax: 'lark', definition: 'start: "a"' } },
        },
      },
    ])
  })

  test.each([
    ['required', 'required'],
    [
      { type: 'function', name: 'weather' },
      { type: 'function', function: { name: 'weather' } },
    ],
    [
      { type: 'custom', name: 'patch' },
      { type: 'custom', custom: { name: 'patch' } },
    ],
    [
      {
        type: 'allowed_tools',
        mode: 'required',
        tools: [{ type: 'function', name: 'weather' }, { type: 'web_search' }],
      },
      {
        type: 'allowed_tools',
        allowed_tools: { mode: 'required', tools: [{ type: 'function', function: { name: 'weather' } }] },
      },
    ],
    [{ type: 'allowed_tools', mode: 'auto', tools: [{ type: 'web_search' }] }, 'none'],
  ])('are chosen by %j', (choice, expected) => {
    const tools = [weather, patch, { type: 'web_search' }]
    expect(decoded({ tools, tool_choice: choice }).toolChoice).toEqual(expected as ChatRequest['toolChoice'])
  })

  test('that are all left out take what hangs on them along', () => {
    const tools = [{ type: 'web_search' }]
    const request = decoded({ tools, tool_choice: 'auto', parallel_tool_calls: false })
    expect(request).toMatchObject({ unknownFields: ['tools[web_search]'] })
    expect(request).not.toContainAnyKeys(['tools', 'toolChoice', 'parallelToolCalls'])
    expect(refusedParam({ tools, tool_choice: 'required' })).toBe('tool_choice')
  })
})

describe('a refusal names the first offending field', () => {
  const text = (content: Json): JsonObject => ({ input: [{ role: 'user', content }] })

  test.each<[string, JsonObject]>([
    ['previous_response_id', { previous_response_id: 'resp_1' }],
    ['conversation', { conversation: 'conv_1' }],
    ['background', { background: true }],
    ['prompt', { prompt: { id: 'pmpt_1' }, model: null }],
    ['model', { model: null }],
    ['model', { model: '' }],
    ['input', { input: null }],
    ['input', { input: [] }],
    ['input', { input: [{ type: 'web_search_call' }] }],
    ['input[0]', { input: ['Hi'] }],
    ['input[0]', { input: [{ type: 'item_reference', id: 'msg_1' }] }],
    ['input[0]', { input: [{ id: 'msg_1' }] }],
    ['input[0].type', { input: [{}] }],
    ['input[0].type', { input: [{ type: 'compaction', encrypted_content: 'x' }] }],
    ['input[0].type', { input: [{ type: 'compaction_trigger' }] }],
    ['input[0].type', { input: [{ type: 'mcp_call' }] }],
    ['input[0].call_id', { input: [{ type: 'shell_call_output' }] }],
    ['input[0].role', { input: [{ role: 'tool', content: 'x' }] }],
    ['input[0].content', text(null)],
    ['input[0].content[1].text', text([{ type: 'input_text', text: 'a' }, { type: 'input_text' }])],
    ['input[0].content[0].image_url', text([{ type: 'input_image', image_url: { url: 'x' } }])],
    ['input[0].content[0].file_data', text([{ type: 'input_file', filename: 'a' }])],
    ['input[0].call_id', { input: [{ type: 'function_call', name: 'f', arguments: '{}' }] }],
    ['input[0].arguments', { input: [{ type: 'function_call', call_id: 'c', name: 'f', arguments: {} }] }],
    ['input[0].input', { input: [{ type: 'custom_tool_call', call_id: 'c', name: 'f' }] }],
    ['input[0].output', { input: [{ type: 'function_call_output', call_id: 'c' }] }],
    ['input[0].summary[0].text', { input: [{ type: 'reasoning', summary: [{}] }] }],
    ['tools[0].name', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['tools[0].type', { tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
    ['tools[0].type', { tools: [{ type: 'code_interpreter', container: { type: 'auto' } }] }],
    ['tools[0].type', { tools: [{ type: 'mcp', server_label: 's' }] }],
    ['tools[0].type', { tools: [{ type: 'computer_use_preview' }] }],
    ['tool_choice', { tool_choice: { type: 'web_search_preview' } }],
    ['tool_choice', { tool_choice: 'sometimes' }],
    [
      'tool_choice.name',
      { tools: [{ type: 'function', name: 'f' }], tool_choice: { type: 'function', name: 'g' } },
    ],
    ['text.format.type', { text: { format: { type: 'grammar' } } }],
    ['text.format.name', { text: { format: { type: 'json_schema', schema: {} } } }],
    ['temperature', { temperature: 3 }],
    ['max_output_tokens', { max_output_tokens: 0 }],
    ['top_logprobs', { top_logprobs: 21 }],
    ['truncation', { truncation: 'middle' }],
    ['store', { store: 'no' }],
    ['stream', { stream: 'yes' }],
    ['include[0]', { include: [1] }],
    ['input[0].role', { input: [{ type: 'additional_tools', tools: [] }] }],
    ['input[0].tools', { input: [{ type: 'additional_tools', role: 'developer' }] }],
    [
      'input[1].tools[1].name',
      {
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'additional_tools', role: 'developer', tools: [{ type: 'shell' }, { type: 'custom' }] },
        ],
      },
    ],
    ['tools[0].environment', { tools: [{ type: 'shell', environment: { type: 'container_auto' } }] }],
    ['tools[0].environment', { tools: [{ type: 'shell', environment: 'local' }] }],
    [
      'input[0].environment',
      { input: [{ type: 'shell_call', call_id: 'c', environment: { type: 'container_reference' } }] },
    ],
    [
      'input[0].output[0].stdout',
      { input: [{ type: 'shell_call_output', call_id: 'c', output: [{ stdout: 1 }] }] },
    ],
    ['tool_choice.type', { tools: [{ type: 'shell' }], tool_choice: { type: 'apply_patch' } }],
    ['metadata', { metadata: 'x' }],
    ['user', { user: 'x'.repeat(513) }],
  ])('%s', (param, body) => {
    expect(refusedParam(body)).toBe(param)
  })

  test.each([
    [{ input: 5 }, '`input` must be a text or an array of items.'],
    [{ include: [{ a: 1 }] }, '`include[0]` is `{"a":1}`, and must be a string.'],
    [
      { include: ['x'.repeat(300)].map((long) => ({ long })) },
      `\`include[0]\` is \`{"long":"${'x'.repeat(191)}…\`, and must be a string.`,
    ],
  ])('and says what is wrong with it: %j', (body, message) => {
    const result = decodeRequest({ model: 'm', input: 'Hi', ...body })
    expect(result).toMatchObject({ ok: false, refusal: { message } })
  })

  test('that is nested too deeply', () => {
    let deep: Json = 'x'
    for (let depth = 0; depth < 70; depth++) deep = { a: deep }
    expect(refusedParam({ input: [{ role: 'user', content: 'a', odd: deep }] })).toBe('input[0]')
    expect(refusedParam({ tools: [{ type: 'function', name: 'f', parameters: deep }] })).toBe('tools')
  })
})
