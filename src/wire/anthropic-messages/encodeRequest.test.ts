import type { MessageCreateParamsBase } from '@anthropic-ai/sdk/resources/messages/messages'
import { describe, expect, test } from 'bun:test'
import { chatRequest, encodeTarget, functionCall, HELLO } from '../../../test/support/chatSamples.ts'
import { refusedField } from '../../../test/support/codecRefusals.ts'
import type { ChatRequest, Message } from '../../core/chat/request.ts'
import type { ModelFacts } from '../../core/modelFacts.ts'
import type { EncodeTarget } from '../wire.ts'
import { anthropicMessages } from './anthropicMessages.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Version 2023-06-01 has these; the client's types are of a later one. */
interface SamplingParams {
  readonly temperature?: number
  readonly top_p?: number
}

const ADAPTIVE: ModelFacts = { reasoning: { kind: 'adaptive' } }
const ALWAYS: ModelFacts = { reasoning: { kind: 'adaptive', always: true } }
const BUDGET: ModelFacts = { reasoning: { kind: 'budget' } }

const WEATHER = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } } as const

function target(more: Partial<EncodeTarget> = {}): EncodeTarget {
  return encodeTarget('claude-opus-4-6', { maxOutputTokens: 128_000, facts: ADAPTIVE, ...more })
}

describe('bodies as the official types have them', () => {
  test('the least request has a limit, because the API wants one', () => {
    const body = {
      model: 'claude-opus-4-6',
      max_tokens: 128_000,
      messages: [{ role: 'user', content: 'Hello' }],
    } satisfies MessageCreateParamsBase
    const encoded = encodeRequest(chatRequest(), target())
    expect(encoded).toEqual({
      path: '/messages',
      headers: { 'anthropic-version': '2023-06-01' },
      body,
      dropped: [],
    })
  })

  test('instructions go to the top, images, files and tool rounds become blocks', () => {
    const body = {
      model: 'claude-opus-4-6',
      max_tokens: 500,
      system: 'Be brief.\n\nBe kind.',
      messages: [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'Look' },
            { type: 'image', source: { type: 'base64', media_type: 'image/jpeg', data: '/9j/' } },
            { type: 'image', source: { type: 'url', url: 'https://example.com/cat.png' } },
            {
              type: 'document',
              source: { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' },
              title: 'a.pdf',
            },
          ],
        },
        {
          role: 'assistant',
          content: [
            { type: 'thinking', thinking: 'Hm.', signature: 'c2ln' },
            { type: 'redacted_thinking', data: 'ZW5j' },
            { type: 'text', text: 'Let me see.' },
            { type: 'tool_use', id: 'a', name: 'weather', input: { city: 'Paris' } },
            { type: 'tool_use', id: 'b_0', name: 'weather', input: {} },
          ],
        },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 'a', content: 'Sun.' },
            { type: 'tool_result', tool_use_id: 'b_0', content: 'Rain.' },
            { type: 'text', text: 'So?' },
          ],
        },
      ],
      stream: true,
    } satisfies MessageCreateParamsBase
    const encoded = encodeRequest(
      chatRequest({
        maxTokens: 500,
        stream: true,
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look' },
              { type: 'text', text: '' },
              { type: 'image_url', image_url: { url: 'data:image/jpeg;base64,/9j/' } },
              { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
              {
                type: 'file',
                file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
              },
            ],
          },
          {
            role: 'assistant',
            content: 'Let me see.',
            reasoning_content: 'Hm.',
            reasoning_details: [
              { type: 'reasoning.text', text: 'Hm.', signature: 'c2ln' },
              { type: 'reasoning.text', text: 'unsigned' },
              { type: 'reasoning.encrypted', data: 'ZW5j' },
              { type: 'reasoning.encrypted', id: 'a', data: 'of another provider' },
            ],
            tool_calls: [
              functionCall('a', 'weather', '{"city":"Paris"}'),
              functionCall('b:0', 'weather', ''),
            ],
          },
          { role: 'tool', tool_call_id: 'a', content: 'Sun.' },
          { role: 'developer', content: 'Be kind.' },
          { role: 'user', content: 'So?' },
          { role: 'tool', tool_call_id: 'b:0', content: 'Rain.' },
        ],
      }),
      target(),
    )
    expect(encoded.body as unknown).toEqual(body)
    // A signature of another provider's call.
    expect(encoded.dropped).toEqual(['messages.reasoning_details'])
  })

  test('instructions stay among the turns of a model that takes them there: behind the user, before the model or the end', () => {
    const messages: Message[] = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'Hi' },
      { role: 'system', content: 'Be kind.' },
      { role: 'developer', content: 'Be quick.' },
      { role: 'assistant', content: 'Hello' },
      { role: 'system', content: 'Moves up: the model has spoken before it.' },
      { role: 'user', content: 'And?' },
      { role: 'system', content: 'Now in French.' },
    ]
    const inPlace = encodeRequest(chatRequest({ messages }), target({ facts: { systemInPlace: true } }))
    expect(inPlace.body).toMatchObject({
      system: 'Be brief.\n\nMoves up: the model has spoken before it.',
      messages: [
        { role: 'user', content: 'Hi' },
        {
          role: 'system',
          content: [
            { type: 'text', text: 'Be kind.' },
            { type: 'text', text: 'Be quick.' },
          ],
        },
        { role: 'assistant', content: 'Hello' },
        { role: 'user', content: 'And?' },
        { role: 'system', content: [{ type: 'text', text: 'Now in French.' }] },
      ],
    })
    expect(encodeRequest(chatRequest({ messages }), target()).body).toMatchObject({
      messages: [{ role: 'user' }, { role: 'assistant' }, { role: 'user' }],
    })
  })

  test('a wish for JSON is an instruction: behind the user where the model takes it there, else at the top', () => {
    const wish = chatRequest({ responseFormat: { type: 'json_object' } })
    const sent = (facts: ModelFacts) => encodeRequest(wish, target({ facts })).body
    expect(sent({ systemInPlace: true })).toMatchObject({
      messages: [
        { role: 'user' },
        { role: 'system', content: [{ text: expect.stringContaining('JSON object') }] },
      ],
    })
    expect(sent({ systemInPlace: true })).not.toHaveProperty('system')
    expect(sent({})).toMatchObject({
      system: expect.stringContaining('JSON object'),
      messages: [{ role: 'user' }],
    })
  })

  test('tools, a forced single call and a schema for the answer', () => {
    const body = {
      model: 'claude-opus-4-6',
      max_tokens: 128_000,
      messages: [{ role: 'user', content: 'Hello' }],
      tools: [
        {
          name: 'weather',
          description: 'The weather.',
          input_schema: { type: 'object', properties: {}, additionalProperties: false },
          strict: true,
        },
        { name: 'time', input_schema: { type: 'object', properties: {} } },
      ],
      tool_choice: { type: 'tool', name: 'weather', disable_parallel_tool_use: true },
      output_config: {
        format: {
          type: 'json_schema',
          schema: {
            type: 'object',
            properties: { place: { type: 'string', description: '{"maxLength":9}' } },
            additionalProperties: false,
          },
        },
      },
      metadata: { user_id: 'user-1' },
      stop_sequences: ['END'],
      temperature: 1,
    } satisfies MessageCreateParamsBase & SamplingParams
    const encoded = encodeRequest(
      chatRequest({
        tools: [
          {
            type: 'function',
            function: {
              name: 'weather',
              description: 'The weather.',
              parameters: { type: 'object' },
              strict: true,
            },
          },
          { type: 'function', function: { name: 'time' } },
        ],
        toolChoice: { type: 'function', function: { name: 'weather' } },
        parallelToolCalls: false,
        responseFormat: {
          type: 'json_schema',
          json_schema: {
            name: 'x',
            schema: { type: 'object', properties: { place: { type: 'string', maxLength: 9 } } },
          },
        },
        stop: ['END'],
        temperature: 1.7,
        topP: 0.5,
        extra: { safety_identifier: 'user-1' },
      }),
      target(),
    )
    expect(encoded.body as unknown).toEqual(body)
    expect(encoded.dropped).toEqual(['top_p'])
  })

  test('reasoning effort is effort with adaptive thinking, or a budget for older models', () => {
    const request = chatRequest({ reasoningEffort: 'high', maxTokens: 10_000, temperature: 0.5 })
    const adaptive = {
      thinking: { type: 'adaptive' },
      output_config: { effort: 'high' },
    } satisfies Partial<MessageCreateParamsBase>
    const budget = {
      thinking: { type: 'enabled', budget_tokens: 8000 },
    } satisfies Partial<MessageCreateParamsBase>
    const newer = encodeRequest(request, target())
    expect(newer.body).toMatchObject(adaptive)
    expect(newer.body).not.toHaveProperty('temperature')
    expect(newer.dropped).toEqual(['temperature'])
    const older = encodeRequest(request, target({ facts: BUDGET }))
    expect(older.body).toMatchObject(budget)
    const oldest = encodeRequest(request, target({ facts: {} }))
    expect(oldest.dropped).toEqual(['reasoning_effort'])
    expect(oldest.body).toMatchObject({ temperature: 0.5 })
  })
})

describe('reasoning effort', () => {
  function configOf(facts: ModelFacts, more: Partial<ChatRequest>): unknown {
    const { body, dropped } = encodeRequest(chatRequest({ maxTokens: 10_000, ...more }), target({ facts }))
    return { thinking: body.thinking, effort: body.output_config, dropped }
  }

  test.each([
    ['budget', 'low', BUDGET, { thinking: { type: 'enabled', budget_tokens: 2048 }, dropped: [] }],
    ['budget', 'minimal', BUDGET, { thinking: { type: 'enabled', budget_tokens: 1024 }, dropped: [] }],
    ['budget', 'none', BUDGET, { dropped: [] }],
    [
      'adaptive',
      'minimal',
      ADAPTIVE,
      { thinking: { type: 'adaptive' }, effort: { effort: 'low' }, dropped: [] },
    ],
    ['adaptive', 'none', ADAPTIVE, { thinking: { type: 'disabled' }, dropped: [] }],
    ['always adaptive', 'none', ALWAYS, { effort: { effort: 'low' }, dropped: [] }],
    [
      'always adaptive',
      'max',
      ALWAYS,
      { thinking: { type: 'adaptive' }, effort: { effort: 'max' }, dropped: [] },
    ],
    ['always adaptive', 'immense', ALWAYS, { dropped: ['reasoning_effort'] }],
    ['no', 'none', {}, { dropped: [] }],
    ['no', 'low', {}, { dropped: ['reasoning_effort'] }],
  ])('%s reasoning with %s', (_kind, reasoningEffort, facts, expected) => {
    expect(configOf(facts, { reasoningEffort })).toEqual(expected)
  })

  test('a forced tool leaves the effort without the thinking', () => {
    const request = { reasoningEffort: 'high', tools: [WEATHER], toolChoice: 'required' } as const
    expect(configOf(ADAPTIVE, request)).toEqual({ effort: { effort: 'high' }, dropped: [] })
  })

  test('budget thinking needs the signed thoughts of the last round of tools', () => {
    const round = (details: Message['reasoning_details'] = []): readonly Message[] => [
      ...HELLO,
      {
        role: 'assistant',
        content: null,
        tool_calls: [functionCall('a', 'f', '{}')],
        reasoning_details: details,
      },
      { role: 'tool', tool_call_id: 'a', content: '1' },
    ]
    const signed = round([{ type: 'reasoning.text', text: 'Hm.', signature: 'c2ln' }])
    const request = { reasoningEffort: 'low', tools: [WEATHER] } as const
    expect(configOf(BUDGET, { ...request, messages: round() })).toEqual({
      dropped: ['reasoning_effort'],
    })
    expect(configOf(BUDGET, { ...request, messages: signed })).toEqual({
      thinking: { type: 'enabled', budget_tokens: 2048 },
      dropped: [],
    })
  })

  test('an answer that its caller begins takes no thinking', () => {
    const messages = [...HELLO, { role: 'assistant', content: 'Well,' } as const]
    expect(configOf(BUDGET, { reasoningEffort: 'low', messages })).toEqual({ dropped: ['reasoning_effort'] })
    const answered = [...messages, ...HELLO]
    expect(configOf(BUDGET, { reasoningEffort: 'low', messages: answered })).toMatchObject({ dropped: [] })
  })
})

describe('what is harmless is dropped and named', () => {
  test('penalties, seed, bias, names', () => {
    const { body, dropped } = encodeRequest(
      chatRequest({
        messages: [{ role: 'user', content: 'Hello', name: 'ann' }],
        frequencyPenalty: 1,
        presencePenalty: 1,
        seed: 7,
        extra: { logit_bias: { '1': 5 }, verbosity: null },
      }),
      target(),
    )
    expect(Object.keys(body)).toEqual(['model', 'max_tokens', 'messages'])
    expect([...dropped].sort()).toEqual([
      'frequency_penalty',
      'logit_bias',
      'messages.name',
      'presence_penalty',
      'seed',
    ])
  })

  test('sampling parameters of a model that refuses them', () => {
    const at = target({ unsupportedFields: ['temperature'] })
    const { body, dropped } = encodeRequest(chatRequest({ temperature: 0.2, topP: 0.5 }), at)
    expect(body).not.toHaveProperty('temperature')
    expect(body).not.toHaveProperty('top_p')
    expect(dropped).toEqual(['temperature', 'top_p'])
    expect(encodeRequest(chatRequest({ topP: 0.5 }), at).dropped).toEqual(['top_p'])
  })

  test('several choices are the gateway’s to ask for: one is encoded', () => {
    expect(encodeRequest(chatRequest({ n: 3 }), target())).toEqual(encodeRequest(chatRequest(), target()))
  })

  test('tools that the choice leaves out', () => {
    const time = { type: 'function', function: { name: 'time' } } as const
    const allowed = { mode: 'required', tools: [time] }
    const { body } = encodeRequest(
      chatRequest({ tools: [WEATHER, time], toolChoice: { type: 'allowed_tools', allowed_tools: allowed } }),
      target(),
    )
    expect(body.tools).toMatchObject([{ name: 'time' }])
    expect(body.tool_choice as unknown).toEqual({ type: 'any' })
  })

  test('a tool choice without tools', () => {
    expect(encodeRequest(chatRequest({ toolChoice: 'auto' }), target()).dropped).toEqual(['tool_choice'])
  })

  test('effort beside a forced tool, which excludes budget thinking', () => {
    const at = target({ facts: BUDGET })
    const request = chatRequest({ reasoningEffort: 'low', tools: [WEATHER], toolChoice: 'required' })
    expect(encodeRequest(request, at).dropped).toEqual(['reasoning_effort'])
  })
})

describe('what would change the answer is refused by its name', () => {
  test.each<[string, Partial<ChatRequest>]>([
    ['logprobs', { logprobs: true }],
    ['modalities', { extra: { modalities: ['text', 'audio'] } }],
    ['web_search_options', { extra: { web_search_options: {} } }],
    ['tools[0].type', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    ['tool_choice', { tools: [WEATHER], toolChoice: { type: 'custom', custom: { name: 'x' } } }],
    ['stop', { stop: ['END', '\n'] }],
    ['response_format.type', { responseFormat: { type: 'grammar' } }],
    [
      'messages[0].content[0].type',
      {
        messages: [
          { role: 'user', content: [{ type: 'input_audio', input_audio: { data: '', format: 'wav' } }] },
        ],
      },
    ],
    [
      'messages[0].content[0].image_url.url',
      { messages: [{ role: 'user', content: [{ type: 'image_url', image_url: { url: 'ftp://x/y.png' } }] }] },
    ],
    [
      'messages[0].content[0].file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    ],
    [
      'messages[1].tool_calls[0].function.arguments',
      {
        messages: [
          ...HELLO,
          { role: 'assistant', content: null, tool_calls: [functionCall('a', 'f', '{"x":')] },
        ],
      },
    ],
  ])('%s', (param, request) => {
    expect(refusedField(anthropicMessages, request, target())).toBe(param)
  })

  test('a forced tool where the model refuses to be forced', () => {
    const at = target({ unsupportedFields: ['tool_choice'] })
    expect(refusedField(anthropicMessages, { tools: [WEATHER], toolChoice: 'required' }, at)).toBe(
      'tool_choice',
    )
    expect(refusedField(anthropicMessages, { tools: [WEATHER], toolChoice: 'auto' }, at)).toBeUndefined()
  })
})

describe('conversations', () => {
  function messagesOf(messages: readonly Message[]): unknown {
    return encodeRequest(chatRequest({ messages }), target()).body.messages
  }

  test('instructions alone are a turn of the user', () => {
    const { body } = encodeRequest(
      chatRequest({ messages: [{ role: 'system', content: 'Say hi.' }] }),
      target(),
    )
    expect(body.messages as unknown).toEqual([{ role: 'user', content: 'Say hi.' }])
    expect(body).not.toHaveProperty('system')
  })

  test('a last turn of the assistant ends without white space, and not at all when it is blank', () => {
    expect(messagesOf([...HELLO, { role: 'assistant', content: 'Once \n' }])).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: 'Once' },
    ])
    expect(messagesOf([...HELLO, { role: 'assistant', content: ' ' }])).toEqual([
      { role: 'user', content: 'Hello' },
    ])
  })

  test('the deprecated function call is a tool call', () => {
    expect(
      messagesOf([
        ...HELLO,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{"x":1}' } },
        { role: 'function', name: 'f', content: '2' },
      ]),
    ).toEqual([
      { role: 'user', content: 'Hello' },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'function_0', name: 'f', input: { x: 1 } }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'function_0', content: '2' }] },
    ])
  })

  test('cache breakpoints are carried', () => {
    const cache_control = { type: 'ephemeral' }
    const { body } = encodeRequest(
      chatRequest({
        messages: [
          { role: 'system', content: [{ type: 'text', text: 'Long.', cache_control }] },
          { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] },
        ],
      }),
      target(),
    )
    expect(body.system as unknown).toEqual([{ type: 'text', text: 'Long.', cache_control }])
    expect(body.messages as unknown).toEqual([
      { role: 'user', content: [{ type: 'text', text: 'Hi', cache_control }] },
    ])
  })

  test('a wish for JSON is an instruction', () => {
    const { body } = encodeRequest(chatRequest({ responseFormat: { type: 'json_object' } }), target())
    expect(body.system).toEqual(expect.stringContaining('JSON'))
  })
})
