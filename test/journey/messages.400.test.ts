import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { type Script, openaiChunk, openaiError, sse, stream } from '../support/scriptedProvider.ts'
import { MODEL, type World, type WorldOptions, standardModel, startWorld } from '../support/world.ts'

/** `POST /v1/messages`: what is refused or left out has the names and places of the caller's own request. */

const USER = { role: 'user', content: 'Weather?' }
const USE = {
  role: 'assistant',
  content: [
    { type: 'thinking', thinking: 'Hm.', signature: 'sig' },
    { type: 'text', text: 'I look.' },
    { type: 'tool_use', id: 'call_1', name: 'weather', input: {} },
  ],
}
const IMAGE = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'iVBORw0KGgo=' } }
const TEXT = { type: 'text', text: 'x' }
const TOOL = { name: 'weather', input_schema: { type: 'object', properties: {} } }

/** A conversation with a tool's result, and what follows it in its turn. */
function withResult(content: unknown, ...after: readonly object[]): object {
  const result = { type: 'tool_result', tool_use_id: 'call_1', content, is_error: true }
  return {
    system: [TEXT],
    tools: [TOOL],
    messages: [USER, USE, { role: 'user', content: [result, ...after] }],
  }
}

function ask(world: World, more: object): Promise<Response> {
  return world.request('POST', '/v1/messages', { model: MODEL, max_tokens: 50, messages: [USER], ...more })
}

function speaking(wire: string, more: object = {}): WorldOptions {
  return {
    config: (provider) => ({
      providers: { acme: { wire, base_url: provider.baseUrl, api_key: 'provider-secret', ...more } },
    }),
  }
}

function refusing(...fields: string[]): WorldOptions {
  return { config: () => ({ models: [standardModel({ unsupported_fields: fields })] }) }
}

describe('before it is sent, a refusal names', () => {
  const mediaHere = 'messages[2].content[0].content[1]'
  test.each<[string, string, object, WorldOptions]>([
    [
      'stop_sequences',
      'This model does not support `stop_sequences`.',
      { stop_sequences: ['a'] },
      refusing('stop'),
    ],
    [
      'output_config.format',
      'This model does not support `output_config.format`.',
      { output_config: { format: { type: 'json_schema', schema: { type: 'object' } } } },
      refusing('response_format'),
    ],
    [
      'tool_choice',
      'This model does not support `tool_choice`.',
      { tools: [TOOL], tool_choice: { type: 'any' } },
      refusing('tool_choice'),
    ],
    [
      'messages[2].content[1].type',
      'This model does not take content of type document.',
      withResult('x', { type: 'document', source: { type: 'url', url: 'https://example.com/a.pdf' } }),
      speaking('cohere-chat'),
    ],
    [mediaHere, 'This model takes only text here.', withResult([TEXT, IMAGE]), speaking('cohere-chat')],
    [
      'messages[2].content[2].source.url',
      'This model takes images as base64 data URLs only.',
      withResult('x', TEXT, { type: 'image', source: { type: 'url', url: 'https://example.com/a.png' } }),
      speaking('bedrock-converse', { auth: 'bearer' }),
    ],
    [
      'messages[2].content[1].cache_control.ttl',
      '`messages[2].content[1].cache_control.ttl` asks for a prompt cache that lives longer than usual, which is not offered: this gateway has no price for that.',
      withResult('x', { ...TEXT, cache_control: { type: 'ephemeral', ttl: '1h' } }),
      {},
    ],
    [
      'messages[0].content[0].cache_control.ttl',
      '`messages[0].content[0].cache_control.ttl` asks for a prompt cache that lives longer than usual, which is not offered: this gateway has no price for that.',
      {
        messages: [
          {
            role: 'assistant',
            content: [
              {
                type: 'tool_use',
                id: 'a',
                name: 'b',
                input: {},
                cache_control: { type: 'ephemeral', ttl: '1h' },
              },
            ],
          },
        ],
      },
      {},
    ],
    [
      `${mediaHere}.source`,
      `\`${mediaHere}.source\` names something in the provider's account, which all users of this gateway share. Send the content itself, or a public https address.`,
      withResult([TEXT, { type: 'image', source: { type: 'file', file_id: 'file_1' } }]),
      {},
    ],
    [
      'messages',
      `The prompt has about 40000 tokens or more, and the model "${MODEL}" can read 2000. Shorten the messages, or choose a model with a longer context.`,
      { system: 'word '.repeat(40_000) },
      { config: () => ({ models: [standardModel({ context_length: 2000, max_output_tokens: 1000 })] }) },
    ],
  ])('%s', async (param, message, body, options) => {
    await using world = await startWorld(options)
    const response = await ask(world, body)
    expect(response.status).toBe(400)
    const { error } = (await response.json()) as { error: { param: string; message: string } }
    expect([error.param, error.message.replace(/\d{5,}/, '40000')]).toEqual([param, message])
    expect(world.provider.requests).toHaveLength(0)
  })

  test.each<[string, object]>([
    ['messages[2].content[0].tool_use_id', { messages: [USER, USE, resultsOf({ type: 'tool_result' })] }],
    [
      'messages[0].content[1].content[0].type',
      { messages: [resultsOf(TEXT, { type: 'tool_result', tool_use_id: 'a', content: [{}] })] },
    ],
    ['system[1].text', { system: [TEXT, { type: 'text' }] }],
    ['tools[1].name', { tools: [{ type: 'web_search_20250305', name: 'web_search' }, {}] }],
  ])('%s where it is not as the format says', async (param, body) => {
    await using world = await startWorld()
    const response = await ask(world, body)
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param } })
  })
})

function resultsOf(...content: readonly object[]): object {
  return { role: 'user', content }
}

function providersRefusal(param: string): Script {
  return openaiError(400, { type: 'invalid_request_error', message: 'Invalid value.', param })
}

test.each<[string, string, object]>([
  ['stop', 'stop_sequences', { stop_sequences: ['a'] }],
  ['user', 'metadata.user_id', { metadata: { user_id: 'u' } }],
  ['reasoning_effort', 'output_config.effort', { output_config: { effort: 'low' } }],
  ['reasoning_effort', 'thinking', { thinking: { type: 'enabled', budget_tokens: 3000 } }],
  ['messages[4].content[1].image_url', 'messages[2].content[2].source', withResult('x', TEXT, IMAGE)],
  ['messages[2].tool_calls[0].function.arguments', 'messages[1].content[2].input', withResult('x')],
  ['messages[3].tool_call_id', 'messages[2].content[0].tool_use_id', withResult('x')],
  [
    'tools.0.function.parameters',
    'tools[1].input_schema',
    { tools: [{ type: 'web_search_20250305', name: 'web_search' }, TOOL] },
  ],
])("a provider's %s is named %s", async (named, param, body) => {
  await using world = await startWorld({ provider: providersRefusal(named) })
  const response = await ask(world, body)
  expect(response.status).toBe(400)
  expect(await response.json()).toMatchObject({
    error: { param, message: `The model cannot take this value of \`${param}\`.` },
  })
})

test("a provider's refusal in mid-stream names the caller's field", async () => {
  const refusal: JsonObject = {
    error: { message: 'Invalid value.', type: 'invalid_request_error', code: 'invalid_value', param: 'stop' },
  }
  await using world = await startWorld({
    provider: stream([openaiChunk({ content: 'Hello' }), sse(refusal)]),
  })
  const text = await (await ask(world, { stream: true, stop_sequences: ['a'] })).text()
  expect(text).toContain('"param":"stop_sequences"')
})

describe('what is left out is named as', () => {
  test.each<[string, object, WorldOptions]>([
    [
      'temperature, metadata.user_id',
      { temperature: 0.5, metadata: { user_id: 'u' } },
      refusing('temperature', 'user'),
    ],
    ['output_config.effort', { output_config: { effort: 'low' } }, refusing('reasoning_effort')],
    ['thinking', { thinking: { type: 'enabled', budget_tokens: 3000 } }, refusing('reasoning_effort')],
    [
      'tool_choice.disable_parallel_tool_use',
      { tools: [TOOL], tool_choice: { type: 'auto', disable_parallel_tool_use: true } },
      refusing('parallel_tool_calls'),
    ],
    [
      'top_k, messages.content[thinking], messages.content.is_error',
      { ...withResult('x'), top_k: 3 },
      speaking('openai-chat', {
        quirks: { drop_message_fields: ['reasoning_content', 'reasoning_details', 'is_error'] },
      }),
    ],
  ])('%s', async (named, body, options) => {
    await using world = await startWorld(options)
    const response = await ask(world, body)
    expect(response.status).toBe(200)
    expect(response.headers.get('x-tollgate-dropped-fields')).toBe(named)
  })
})
