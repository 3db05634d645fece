import {
  type Content,
  FunctionCallingConfigMode,
  type GenerationConfig,
  ThinkingLevel,
  type Tool,
  type ToolConfig,
} from '@google/genai'
import { describe, expect, test } from 'bun:test'
import { chatRequest, encodeTarget, functionCall, HELLO } from '../../../test/support/chatSamples.ts'
import { refusedField } from '../../../test/support/codecRefusals.ts'
import type { ChatRequest, Message } from '../../core/chat/request.ts'
import { promptSizeOf } from '../../core/promptSize.ts'
import type { ModelFacts, ReasoningControl } from '../../core/modelFacts.ts'
import { type EncodeTarget, UnsupportedField } from '../wire.ts'
import { decodeRequest } from '../../../test/support/wireServers/google-generate/decodeRequest.ts'
import { googleGenerate } from './googleGenerate.ts'
import { encodeRequest } from './encodeRequest.ts'
import { requestPath } from './path.ts'
import { readRequestPath } from '../../../test/support/wireServers/google-generate/path.ts'

/** The body of `models.generateContent`, made of the official client's types. */
interface GenerateContentBody {
  readonly contents: Content[]
  readonly systemInstruction?: Content
  readonly tools?: Tool[]
  readonly toolConfig?: ToolConfig
  readonly generationConfig?: GenerationConfig
}

const WEATHER = { type: 'function', function: { name: 'weather', parameters: { type: 'object' } } } as const
const TIME = { type: 'function', function: { name: 'time' } } as const

const LEVELS: ModelFacts = {
  reasoning: { kind: 'level', levels: ['minimal', 'low', 'medium', 'high'] },
  requiresSignedCalls: true,
}

function target(more: Partial<EncodeTarget> = {}): EncodeTarget {
  return encodeTarget('gemini-3.1-flash', { maxOutputTokens: 65_536, facts: LEVELS, ...more })
}

describe('bodies as the official types have them', () => {
  test('the least request', () => {
    const body = { contents: [{ role: 'user', parts: [{ text: 'Hello' }] }] } satisfies GenerateContentBody
    expect(encodeRequest(chatRequest(), target())).toEqual({
      path: '/models/gemini-3.1-flash:generateContent',
      headers: {},
      body,
      dropped: [],
    })
  })

  test('instructions go to the top, media and tool rounds become parts, neighbours one turn', () => {
    const body = {
      systemInstruction: { parts: [{ text: 'Be brief.' }, { text: '\n\nBe kind.' }] },
      contents: [
        {
          role: 'user',
          parts: [
            { text: 'Look' },
            { inlineData: { mimeType: 'image/png', data: 'iVBORw0KGgo=' } },
            { inlineData: { mimeType: 'application/pdf', data: 'JVBERi0=' } },
            { inlineData: { mimeType: 'audio/mp3', data: 'SUQz' } },
            { fileData: { fileUri: 'gs://bucket/cat.png', mimeType: 'image/png' } },
            { fileData: { fileUri: 'https://www.youtube.com/watch?v=1' } },
          ],
        },
        {
          role: 'model',
          parts: [
            { text: 'Let me see.' },
            { functionCall: { id: 'a', name: 'weather', args: { city: 'Paris' } }, thoughtSignature: 'c2ln' },
            { functionCall: { id: 'b', name: 'weather', args: {} } },
          ],
        },
        {
          role: 'user',
          parts: [
            { functionResponse: { id: 'a', name: 'weather', response: { output: 'Sun.' } } },
            { functionResponse: { id: 'b', name: 'weather', response: { error: 'No.' } } },
            { text: 'So?' },
          ],
        },
      ],
    } satisfies GenerateContentBody
    const encoded = encodeRequest(
      chatRequest({
        stream: true,
        messages: [
          { role: 'system', content: 'Be brief.' },
          {
            role: 'user',
            content: [
              { type: 'text', text: 'Look' },
              { type: 'text', text: '' },
              { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } },
              {
                type: 'file',
                file: { file_data: 'data:application/pdf;base64,JVBERi0=', filename: 'a.pdf' },
              },
              { type: 'input_audio', input_audio: { data: 'SUQz', format: 'mp3' } },
              { type: 'image_url', image_url: { url: 'gs://bucket/cat.png' } },
              { type: 'file', file: { file_data: 'https://www.youtube.com/watch?v=1' } },
            ],
          },
          {
            role: 'assistant',
            content: 'Let me see.',
            reasoning_content: 'Not replayed.',
            reasoning_details: [{ type: 'reasoning.encrypted', id: 'a', data: 'c2ln' }],
            tool_calls: [functionCall('a', 'weather', '{"city":"Paris"}'), functionCall('b', 'weather', '')],
          },
          { role: 'tool', tool_call_id: 'a', content: 'Sun.' },
          { role: 'tool', tool_call_id: 'b', content: 'No.', is_error: true },
          { role: 'developer', content: 'Be kind.' },
          { role: 'user', content: 'So?' },
        ],
      }),
      target(),
    )
    expect(encoded.body as unknown).toEqual(body)
    expect(encoded.path).toBe('/models/gemini-3.1-flash:streamGenerateContent?alt=sse')
  })

  test('every parameter that the format has', () => {
    const body = {
      contents: [{ role: 'user', parts: [{ text: 'Hello' }] }],
      tools: [{ functionDeclarations: [{ name: 'weather', parametersJsonSchema: { type: 'object' } }] }],
      toolConfig: {
        functionCallingConfig: { mode: FunctionCallingConfigMode.ANY, allowedFunctionNames: ['weather'] },
      },
      generationConfig: {
        temperature: 1.5,
        topP: 0.9,
        maxOutputTokens: 100,
        stopSequences: ['END'],
        presencePenalty: 0.5,
        frequencyPenalty: -0.5,
        seed: 7,
        responseLogprobs: true,
        logprobs: 3,
        responseMimeType: 'application/json',
        responseJsonSchema: { type: 'object' },
        thinkingConfig: { thinkingLevel: ThinkingLevel.MEDIUM, includeThoughts: true },
      },
    } satisfies GenerateContentBody
    const encoded = encodeRequest(
      chatRequest({
        temperature: 1.5,
        topP: 0.9,
        maxTokens: 100,
        stop: ['END'],
        presencePenalty: 0.5,
        frequencyPenalty: -0.5,
        seed: 7,
        logprobs: true,
        topLogprobs: 3,
        responseFormat: { type: 'json_schema', json_schema: { name: 'x', schema: { type: 'object' } } },
        reasoningEffort: 'medium',
        tools: [WEATHER],
        toolChoice: { type: 'function', function: { name: 'weather' } },
      }),
      target(),
    )
    expect(encoded.body as unknown).toEqual(body)
    expect(encoded.dropped).toEqual([])
  })

  const levels = { kind: 'level', levels: ['minimal', 'low', 'medium', 'high'] } as const
  const lowOrHigh = { kind: 'level', levels: ['low', 'high'] } as const
  const budget = { kind: 'budget' } as const
  const leastBudget = { kind: 'budget', tokensMin: 128 } as const

  test.each<[string, string, ReasoningControl | undefined, GenerationConfig['thinkingConfig']]>([
    ['all levels', 'none', levels, { thinkingLevel: ThinkingLevel.MINIMAL }],
    ['two levels', 'minimal', lowOrHigh, { thinkingLevel: ThinkingLevel.LOW, includeThoughts: true }],
    ['two levels', 'medium', lowOrHigh, { thinkingLevel: ThinkingLevel.HIGH, includeThoughts: true }],
    ['all levels', 'max', levels, { thinkingLevel: ThinkingLevel.HIGH, includeThoughts: true }],
    ['all levels', 'immense', levels, undefined],
    ['a budget', 'none', budget, { thinkingBudget: 0 }],
    ['a budget of at least 128', 'none', leastBudget, { thinkingBudget: 128 }],
    ['a budget of at least 128', 'high', leastBudget, { thinkingBudget: 24_576, includeThoughts: true }],
    ['a budget', 'immense', budget, undefined],
    ['no reasoning', 'high', undefined, undefined],
    ['a control of another format', 'high', { kind: 'adaptive' }, undefined],
  ])('a model with %s is sent effort %s', (_name, reasoningEffort, reasoning, thinkingConfig) => {
    const facts: ModelFacts = reasoning ? { reasoning } : {}
    const { body, dropped } = encodeRequest(chatRequest({ reasoningEffort }), target({ facts }))
    expect(body.generationConfig as unknown).toEqual(thinkingConfig && { thinkingConfig })
    expect(dropped).toEqual(thinkingConfig ? [] : ['reasoning_effort'])
  })
})

describe('signatures of calls', () => {
  const unsigned: readonly Message[] = [
    ...HELLO,
    {
      role: 'assistant',
      content: null,
      tool_calls: [functionCall('a', 'f', '{}'), functionCall('b', 'f', '{}')],
    },
    { role: 'tool', tool_call_id: 'a', content: '1' },
    { role: 'tool', tool_call_id: 'b', content: '2' },
  ]

  function signatures(facts: ModelFacts): unknown {
    const { body } = encodeRequest(chatRequest({ messages: unsigned }), target({ facts }))
    const contents = body.contents as unknown as Content[]
    return contents[1]?.parts?.map((part) => part.thoughtSignature)
  }

  test('a lost one is replaced by the documented dummy, on the first call of its turn', () => {
    expect(signatures(LEVELS)).toEqual(['skip_thought_signature_validator', undefined])
    expect(signatures({ requiresSignedCalls: true })).toEqual(['skip_thought_signature_validator', undefined])
  })

  test('a turn that has one gets no other', () => {
    const details = [{ type: 'reasoning.encrypted', id: 'b', data: 'c2ln' }] as const
    const messages = unsigned.map((message) =>
      message.tool_calls ? { ...message, reasoning_details: details } : message,
    )
    const { body } = encodeRequest(chatRequest({ messages }), target())
    expect(JSON.stringify(body)).not.toContain('skip_thought_signature_validator')
    expect(JSON.stringify(body)).toContain('c2ln')
  })

  test('the dummy is no signature to those who read it', () => {
    const { body, path } = encodeRequest(chatRequest({ messages: unsigned }), target())
    const decoded = decodeRequest({ ...body, ...readRequestPath(path) })
    expect(decoded.ok && decoded.request.messages).toEqual(unsigned)
  })

  test('models that do not require one get none', () => {
    expect(signatures({ reasoning: { kind: 'budget' } })).toEqual([undefined, undefined])
  })
})

describe('what is harmless is dropped and named', () => {
  test('user, names, bias, one call at a time', () => {
    const { body, dropped } = encodeRequest(
      chatRequest({
        messages: [{ role: 'user', content: 'Hello', name: 'ann' }],
        user: 'user-1',
        parallelToolCalls: false,
        extra: { logit_bias: { '1': 5 } },
      }),
      target(),
    )
    expect(Object.keys(body)).toEqual(['contents'])
    expect([...dropped].sort()).toEqual(['logit_bias', 'messages.name', 'parallel_tool_calls', 'user'])
  })

  test('several choices are asked for as candidates', () => {
    expect(encodeRequest(chatRequest({ n: 1 }), target()).body).not.toHaveProperty('generationConfig')
    expect(encodeRequest(chatRequest({ n: 3 }), target()).body.generationConfig as unknown).toEqual({
      candidateCount: 3,
    })
  })

  test('penalties of a model that refuses them', () => {
    const at = target({ unsupportedFields: ['presence_penalty'] })
    expect(encodeRequest(chatRequest({ presencePenalty: 1 }), at).dropped).toEqual(['presence_penalty'])
  })

  test('tools that the choice leaves out', () => {
    const allowed = { mode: 'auto', tools: [{ type: 'function', function: { name: 'time' } }] }
    const { body } = encodeRequest(
      chatRequest({ tools: [WEATHER, TIME], toolChoice: { type: 'allowed_tools', allowed_tools: allowed } }),
      target(),
    )
    expect(body.tools as unknown).toEqual([{ functionDeclarations: [{ name: 'time' }] }])
  })
})

describe('what would change the answer is refused by its name', () => {
  test.each<[string, Partial<ChatRequest>]>([
    ['modalities', { extra: { modalities: ['audio'] } }],
    ['functions', { extra: { functions: [] } }],
    ['tools[0].type', { tools: [{ type: 'custom', custom: { name: 'x' } }] }],
    ['tool_choice', { tools: [WEATHER], toolChoice: { type: 'custom', custom: { name: 'x' } } }],
    ['stop', { stop: ['1', '2', '3', '4', '5', '6'] }],
    ['response_format.type', { responseFormat: { type: 'grammar' } }],
    [
      'messages[0].content[0].image_url.url',
      {
        messages: [
          { role: 'user', content: [{ type: 'image_url', image_url: { url: 'https://x.test/a.png' } }] },
        ],
      },
    ],
    [
      'messages[0].content[0].file',
      { messages: [{ role: 'user', content: [{ type: 'file', file: { file_id: 'file-1' } }] }] },
    ],
    ['messages[0].content[0].type', { messages: [{ role: 'user', content: [{ type: 'video' }] }] }],
    ['messages[1].tool_call_id', { messages: [...HELLO, { role: 'tool', tool_call_id: 'a', content: '1' }] }],
    [
      'messages[1].tool_calls[0].function.arguments',
      {
        messages: [
          ...HELLO,
          { role: 'assistant', content: null, tool_calls: [functionCall('a', 'f', '[]')] },
        ],
      },
    ],
  ])('%s', (param, request) => {
    expect(refusedField(googleGenerate, request, target())).toBe(param)
  })

  test('log probabilities of a model that has none', () => {
    const at = target({ unsupportedFields: ['logprobs'] })
    expect(() => encodeRequest(chatRequest({ logprobs: true }), at)).toThrow(UnsupportedField)
    expect(encodeRequest(chatRequest({ logprobs: false }), at).dropped).toEqual([])
  })
})

describe('paths', () => {
  test('a path tells the model and the way of answering', () => {
    for (const model of ['gemini-3.1-flash', 'tuned/my model', 'a:b'])
      for (const stream of [true, false])
        expect(readRequestPath(`/v1beta${requestPath(model, stream)}`)).toEqual({ model, stream })
  })

  test('another path tells nothing', () => {
    expect(readRequestPath('/v1beta/models/gemini:countTokens')).toBeUndefined()
    expect(readRequestPath('/v1beta/models/%:generateContent')).toBeUndefined()
  })
})

test('what the provider reads by its address is held as all that it may be', () => {
  const addresses = [
    'gs://bucket/film.mp4',
    'https://generativelanguage.googleapis.com/v1beta/files/a',
    'https://www.youtube.com/watch?v=1',
    'https://youtube.com/watch?v=1',
    'HTTPS://youtu.be/1',
  ]
  for (const url of addresses) {
    const messages: Message[] = [{ role: 'user', content: [{ type: 'image_url', image_url: { url } }] }]
    const { body } = encodeRequest(chatRequest({ messages }), target())
    expect(JSON.stringify(body)).toContain('fileData')
    expect(promptSizeOf(chatRequest({ messages })).unfolds).toBe(true)
  }
})
