import { describe, expect, test } from 'bun:test'
import { encodeTarget } from '../../../test/support/chatSamples.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { ModelFacts } from '../../core/modelFacts.ts'
import { type EncodedRequest, UnsupportedField, type WireQuirks } from '../wire.ts'
import { encodeRequest } from './encodeRequest.ts'

const plain: ChatRequest = {
  model: 'acme/chat-1',
  messages: [
    { role: 'developer', content: 'Be brief.' },
    { role: 'user', content: 'Hi', name: 'ada' },
  ],
  n: 1,
  stream: false,
  includeUsage: false,
  extra: {},
}

function encode(
  fields: Partial<ChatRequest>,
  quirks: WireQuirks = {},
  unsupportedFields: readonly string[] = [],
): EncodedRequest {
  return encodeRequest(
    { ...plain, ...fields },
    encodeTarget('chat-1-2026', { maxOutputTokens: 1000, quirks, unsupportedFields }),
  )
}

describe('encodeRequest', () => {
  test('a plain request is the upstream model and the very same messages', () => {
    const { path, body, dropped } = encode({})
    expect(path).toBe('/chat/completions')
    expect(body).toEqual({ model: 'chat-1-2026', messages: plain.messages as never })
    expect(body.messages as unknown).toBe(plain.messages)
    expect(dropped).toEqual([])
  })

  test('a stream always asks for its usage, unless the provider cannot be asked', () => {
    const extra = { stream_options: { include_obfuscation: false } }
    expect(encode({ stream: true, extra }).body).toMatchObject({
      stream: true,
      stream_options: { include_obfuscation: false, include_usage: true },
    })
    expect(encode({ stream: true }, { streamOptions: false }).body).not.toHaveProperty('stream_options')
    expect(encode({ stream: false, extra }).body).not.toHaveProperty('stream_options')
  })

  test('the output limit goes by the name the provider knows, and never above its maximum', () => {
    expect(encode({ maxTokens: 50 }).body).toHaveProperty('max_tokens', 50)
    const quirks = { maxTokensField: 'max_completion_tokens' } as const
    expect(encode({ maxTokens: 5000 }, quirks).body).toMatchObject({ max_completion_tokens: 1000 })
    expect(encode({ maxTokens: 5000 }, quirks).body).not.toHaveProperty('max_tokens')
  })

  test('n is sent only above one', () => {
    expect(encode({ n: 3 }).body).toHaveProperty('n', 3)
    expect(encode({ n: 1 }).body).not.toHaveProperty('n')
  })

  test("the temperature is brought into the provider's range, and 1 is sent where its default differs", () => {
    const quirks = { minimumTemperature: 0.01, maximumTemperature: 1, sendDefaultTemperature: true }
    expect(encode({ temperature: 0 }, quirks).body.temperature).toBe(0.01)
    expect(encode({ temperature: 2 }, quirks).body.temperature).toBe(1)
    expect(encode({ temperature: 0.5 }, quirks).body.temperature).toBe(0.5)
    expect(encode({}, quirks).body.temperature).toBe(1)
    expect(encode({}).body).not.toHaveProperty('temperature')
    expect(encode({}, quirks, ['temperature']).body).not.toHaveProperty('temperature')
  })

  test('refused fields that only tune the answer are left out and told', () => {
    const { body, dropped } = encode(
      { temperature: 0.3, topP: 0.5, seed: 1, extra: { logit_bias: { a: 1 }, store: true } },
      { dropFields: ['seed', 'logit_bias'] },
      ['temperature', 'top_p'],
    )
    expect(Object.keys(body)).toEqual(['model', 'messages', 'store'])
    expect(dropped).toEqual(['temperature', 'top_p', 'seed', 'logit_bias'])
  })

  test('refused fields that the answer depends on refuse the request', () => {
    const cases: [field: string, fields: Partial<ChatRequest>][] = [
      ['stop', { stop: ['END'] }],
      ['logprobs', { logprobs: true }],
      ['response_format', { responseFormat: { type: 'json_object' } }],
      ['tools', { tools: [{ type: 'function', function: { name: 'now' } }] }],
      ['tool_choice', { toolChoice: 'required' }],
      ['modalities', { extra: { modalities: ['text', 'audio'] } }],
    ]
    for (const [field, fields] of cases) {
      expect(() => encode(fields, { dropFields: [field] })).toThrow(UnsupportedField)
    }
  })

  test('a schema loses the name of its dialect where the model cannot have it, and nothing else', () => {
    const schema = {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      type: 'object',
      properties: { $schema: {} },
    }
    const responseFormat = { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } } as const
    const sent = (facts: ModelFacts) =>
      encodeRequest({ ...plain, responseFormat }, encodeTarget('m', { facts })).body['response_format']
    expect(sent({})).toBe(responseFormat)
    const { $schema: _, ...rest } = schema
    expect(sent({ schemaWithoutDialect: true })).toEqual({
      type: 'json_schema',
      json_schema: { name: 'a', strict: true, schema: rest },
    })
  })

  test('refused fields with a value that promises nothing are left out', () => {
    const quirks = { dropFields: ['logprobs', 'response_format', 'tool_choice', 'modalities'] }
    const fields: Partial<ChatRequest> = {
      logprobs: false,
      responseFormat: { type: 'text' },
      toolChoice: 'auto',
      extra: { modalities: ['text'] },
    }
    expect(encode(fields, quirks).dropped).toHaveLength(4)
  })

  test('instructions take the role the provider knows; other messages stay the same objects', () => {
    const { body } = encode({}, { instructionRole: 'system' })
    const [first, second] = body.messages as readonly unknown[]
    expect(first).toEqual({ role: 'system', content: 'Be brief.' })
    expect(second).toBe(plain.messages[1])
    const system = encode({ messages: [{ role: 'system', content: 'x' }] }, { instructionRole: 'developer' })
    expect(system.body.messages).toMatchObject([{ role: 'developer' }])
  })

  test('refused message fields are left out, told once, and the caller keeps its own', () => {
    const { body, dropped } = encode(
      { messages: [plain.messages[1] ?? { role: 'user' }, { role: 'user', content: 'x', name: 'b' }] },
      { dropMessageFields: ['name'] },
    )
    expect(body.messages).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'user', content: 'x' },
    ])
    expect(dropped).toEqual(['messages.name'])
    expect(plain.messages[1]).toHaveProperty('name', 'ada')
  })

  test('routing preferences are never forwarded', () => {
    const { body } = encode({ routing: { models: ['x'], only: ['acme'] } })
    expect(Object.keys(body)).toEqual(['model', 'messages'])
  })
})
