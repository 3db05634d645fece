import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { jsonOf, streamOf } from '../support/readAnswer.ts'
import {
  type ScriptedProvider,
  openaiChunk,
  openaiCompletion,
  openaiUsageChunk,
  respond,
  sse,
  stream,
} from '../support/scriptedProvider.ts'
import { MESSAGES, type World, standardConfig, startWorld } from '../support/world.ts'

const WEATHER = {
  type: 'function',
  function: {
    name: 'get_weather',
    description: 'Weather of a city',
    strict: true,
    parameters: {
      type: 'object',
      properties: { city: { type: 'string', enum: ['Paris', 'Zürich'] } },
      required: ['city'],
      additionalProperties: false,
    },
  },
}
const CALL = {
  id: 'call_1',
  type: 'function',
  function: { name: 'get_weather', arguments: '{"city":"Paris"}' },
}
const SECOND_CALL = { id: 'call_2', type: 'function', function: { name: 'get_weather', arguments: '{}' } }
const LOGPROBS = {
  content: [{ token: 'Hi', logprob: -0.1, bytes: [72, 105], top_logprobs: [] }],
  refusal: null,
}

/** What the provider was sent for a request with this body. */
async function sent(world: World, body: JsonObject): Promise<JsonObject> {
  const before = world.provider.requests.length
  const response = await world.chat({ max_tokens: 20, ...body })
  expect(response.status).toBe(200)
  await response.text()
  return (await world.provider.request(before)).body as JsonObject
}

function takingCustomTools(provider: ScriptedProvider): Record<string, unknown> {
  const { providers } = standardConfig(provider) as { providers: { acme: JsonObject } }
  return { providers: { acme: { ...providers.acme, quirks: { custom_tools: true } } } }
}

describe('to the provider goes unharmed', () => {
  const fields: JsonObject[] = [
    { temperature: 0 },
    { temperature: 2 },
    { top_p: 0.25 },
    { frequency_penalty: -1.5 },
    { presence_penalty: 1.5 },
    { seed: 42 },
    { stop: ['\n', 'END'] },
    { logprobs: true, top_logprobs: 3 },
    { tools: [WEATHER] },
    { tools: [WEATHER], tool_choice: 'required', parallel_tool_calls: false },
    { tools: [WEATHER], tool_choice: { type: 'function', function: { name: 'get_weather' } } },
    { tools: [{ type: 'custom', custom: { name: 'x', format: { type: 'text' } } }] },
    { response_format: { type: 'json_object' } },
    {
      response_format: {
        type: 'json_schema',
        json_schema: { name: 'x', strict: true, schema: { type: 'object' } },
      },
    },
    { reasoning_effort: 'high' },
    { logit_bias: { '50256': -100 } },
    { metadata: { order: '7' } },
    { service_tier: 'default' },
    { store: false },
    { modalities: ['text'] },
    { prediction: { type: 'content', content: 'x' } },
    { functions: [{ name: 'f', parameters: {} }], function_call: 'auto' },
    { verbosity: 'low' },
  ]

  test('names of users and caches, behind a hash of the workspace', async () => {
    await using world = await startWorld()
    const ids = { user: 'ünïcode 😀', prompt_cache_key: 'k', safety_identifier: 's' }
    const body = await sent(world, ids)
    for (const [name, id] of Object.entries(ids)) expect(body[name]).toEndWith(`-${id}`)
  })

  test.each(fields)('%j', async (body) => {
    await using world = await startWorld({ config: takingCustomTools })
    expect(await sent(world, body)).toEqual({
      model: 'upstream-chat-1',
      messages: MESSAGES,
      max_tokens: 20,
      ...body,
    })
  })

  test('one stop sequence, as a list of one or as it came', async () => {
    await using world = await startWorld()
    expect([(await sent(world, { stop: 'END' }))['stop']].flat()).toEqual(['END'])
  })

  test('max_completion_tokens, under the name that the provider has', async () => {
    await using world = await startWorld()
    const response = await world.chat({ max_completion_tokens: 33 })
    expect(response.status).toBe(200)
    const body = (await world.provider.request()).body as JsonObject
    expect(body['max_tokens'] ?? body['max_completion_tokens']).toBe(33)
  })

  test.each<[string, JsonObject[]]>([
    [
      'system, user and assistant',
      [{ role: 'system', content: 'Be brief' }, ...MESSAGES, { role: 'assistant', content: 'Hi' }],
    ],
    ['a developer', [{ role: 'developer', content: 'Be brief' }, ...MESSAGES]],
    ['an empty text', [{ role: 'user', content: '' }]],
    ['a name', [{ role: 'user', content: 'Hi', name: 'ann' }]],
    [
      'text parts',
      [
        {
          role: 'user',
          content: [
            { type: 'text', text: 'a' },
            { type: 'text', text: 'b' },
          ],
        },
      ],
    ],
    [
      'an image',
      [
        {
          role: 'user',
          content: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AA==', detail: 'low' } }],
        },
      ],
    ],
    [
      'a file',
      [
        {
          role: 'user',
          content: [
            { type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AA==' } },
          ],
        },
      ],
    ],
    ['parts that nobody knows', [{ role: 'user', content: [{ type: 'hologram', hologram: { depth: 3 } }] }]],
    [
      'tool calls and their results',
      [
        ...MESSAGES,
        { role: 'assistant', content: null, tool_calls: [CALL, SECOND_CALL] },
        { role: 'tool', tool_call_id: 'call_1', content: '{"temperature":21}' },
        { role: 'tool', tool_call_id: 'call_2', content: [{ type: 'text', text: 'none' }] },
      ],
    ],
    ['a refusal', [...MESSAGES, { role: 'assistant', content: null, refusal: 'No.' }, ...MESSAGES]],
    [
      'a legacy function call',
      [
        ...MESSAGES,
        { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } },
        { role: 'function', name: 'f', content: '1' },
      ],
    ],
    ['fields that nobody knows', [{ role: 'user', content: 'Hi', mood: { level: [1, { deep: true }] } }]],
    [
      'cache marks within parts',
      [{ role: 'user', content: [{ type: 'text', text: 'a', cache_control: { type: 'ephemeral' } }] }],
    ],
    ['odd characters', [{ role: 'user', content: '\u0000\u2028 "\\ \ud83d\ude00 ‮ \t' }]],
  ])('messages with %s', async (_, messages) => {
    await using world = await startWorld()
    expect((await sent(world, { messages }))['messages']).toEqual(messages)
  })

  test('unknown fields within tools and formats', async () => {
    await using world = await startWorld()
    const tools = [{ ...WEATHER, vendor: { x: 1 }, function: { ...WEATHER.function, hint: 'y' } }]
    expect((await sent(world, { tools }))['tools']).toEqual(tools)
  })
})

describe('to the provider goes nothing else', () => {
  test('unknown top-level fields are ignored and never forwarded', async () => {
    await using world = await startWorld()
    const body = await sent(world, {
      unknown: 1,
      x_api_key: 'secret',
      constructor: {},
      extra_body: { a: 1 },
      api_key: 'k',
      base_url: 'http://evil.example',
      stream_options: null,
    })
    expect(Object.keys(body).toSorted()).toEqual(['max_tokens', 'messages', 'model'])
  })

  test('null stands for absent', async () => {
    await using world = await startWorld()
    const body = await sent(world, {
      temperature: null,
      top_p: null,
      n: null,
      stop: null,
      stream: null,
      user: null,
      seed: null,
      tools: null,
      tool_choice: null,
      response_format: null,
      logit_bias: null,
      metadata: null,
    })
    expect(Object.keys(body).toSorted()).toEqual(['max_tokens', 'messages', 'model'])
  })

  test("the caller's own headers stay here", async () => {
    await using world = await startWorld()
    await world.chat({ max_tokens: 5 }, { 'x-secret': 'mine', cookie: 'a=b', 'openai-organization': 'org' })
    const { headers } = await world.provider.request()
    for (const name of ['x-secret', 'cookie', 'openai-organization']) expect(headers).not.toHaveProperty(name)
  })
})

describe('the temperature of a request without one', () => {
  test.each([
    [true, undefined, 1],
    [true, null, 1],
    [true, 0, 0],
    [true, 0.7, 0.7],
    [false, undefined, undefined],
    [false, 0.7, 0.7],
  ])('send_default_temperature %p, temperature %p: %p is sent', async (sends, temperature, expected) => {
    await using world = await startWorld({
      config: (provider: ScriptedProvider) => {
        const { providers } = standardConfig(provider) as { providers: { acme: object } }
        return { providers: { acme: { ...providers.acme, quirks: { send_default_temperature: sends } } } }
      },
    })
    const response = await world.chat({ max_tokens: 5, temperature })
    expect(response.status).toBe(200)
    expect(((await world.provider.request()).body as JsonObject)['temperature']).toBe(expected as number)
  })
})

describe('back to the caller comes unharmed', () => {
  const answers: [string, JsonObject, JsonObject][] = [
    ['tool calls', { content: null, tool_calls: [CALL, SECOND_CALL] }, { finish_reason: 'tool_calls' }],
    ['a refusal', { content: null, refusal: 'No.' }, { finish_reason: 'stop' }],
    ['reasoning', { content: 'Hi', reasoning_content: 'They greet me.' }, { finish_reason: 'stop' }],
    ['log probabilities', { content: 'Hi' }, { finish_reason: 'stop', logprobs: LOGPROBS }],
    [
      'annotations',
      {
        content: 'Hi',
        annotations: [
          {
            type: 'url_citation',
            url_citation: { url: 'https://x.example', title: 'x', start_index: 0, end_index: 2 },
          },
        ],
      },
      { finish_reason: 'stop' },
    ],
    [
      'audio',
      { content: null, audio: { id: 'a', data: 'AA==', transcript: 'Hi', expires_at: 1 } },
      { finish_reason: 'stop' },
    ],
    [
      'a field nobody knows',
      { content: 'Hi', mood: { level: 3 } },
      { finish_reason: 'stop', verdict: { ok: true } },
    ],
  ]

  test.each(answers)('%s, whole', async (_, message, choice) => {
    const choices = [{ index: 0, message: { role: 'assistant', ...message }, ...choice }]
    await using world = await startWorld({
      provider: respond({ body: openaiCompletion('', { more: { choices } }) }),
    })
    const body = await jsonOf(await world.chat({ max_tokens: 20 }))
    expect(body['choices']).toMatchObject(choices)
  })

  test.each(answers)('%s, from a stream to a caller that wants it whole', async (_, message, choice) => {
    const { logprobs = null, finish_reason: finishReason, ...rest } = choice
    const { tool_calls: calls, ...delta } = message
    const given = {
      ...delta,
      ...(Array.isArray(calls) && {
        tool_calls: calls.map((call, index) => ({ ...(call as object), index })),
      }),
    }
    await using world = await startWorld({
      provider: stream([
        openaiChunk({ role: 'assistant' }),
        { ...openaiChunk({}), choices: [{ index: 0, delta: given, logprobs, finish_reason: null }] },
        {
          ...openaiChunk({}),
          choices: [{ index: 0, delta: {}, finish_reason: finishReason ?? null, ...rest }],
        },
        openaiUsageChunk(),
        sse('[DONE]'),
      ]),
    })
    const body = await jsonOf(await world.chat())
    expect(body['choices']).toMatchObject([
      { index: 0, message: { role: 'assistant', ...message }, ...choice },
    ])
  })

  test('what the provider says beside its choices', async () => {
    const more = { system_fingerprint: 'fp_1', service_tier: 'default' }
    await using world = await startWorld({ provider: respond({ body: openaiCompletion('Hi', { more }) }) })
    expect(await jsonOf(await world.chat({ max_tokens: 20 }))).toMatchObject(more)
  })

  test('tool calls in pieces', async () => {
    const pieces = [
      {
        tool_calls: [
          { index: 0, id: 'call_1', type: 'function', function: { name: 'get_weather', arguments: '' } },
        ],
      },
      { tool_calls: [{ index: 0, function: { arguments: '{"city":' } }] },
      { tool_calls: [{ index: 0, function: { arguments: '"Paris"}' } }] },
      {
        tool_calls: [
          { index: 1, id: 'call_2', type: 'function', function: { name: 'get_weather', arguments: '{}' } },
        ],
      },
    ]
    await using world = await startWorld({
      provider: stream([
        openaiChunk({ role: 'assistant', content: null }),
        ...pieces.map((piece) => openaiChunk(piece)),
        openaiChunk({}, { finishReason: 'tool_calls' }),
        openaiUsageChunk(),
        sse('[DONE]'),
      ]),
    })
    const streamed = await streamOf(await world.chat({ stream: true }))
    const deltas = streamed.chunks.map((chunk) => chunk.choices[0]?.delta ?? {})
    expect(deltas.filter((delta) => 'tool_calls' in delta)).toEqual(pieces)
    expect(streamed.chunks.at(-1)?.choices[0]?.finish_reason).toBe('tool_calls')
    expect(streamed.done).toBe(true)

    const whole = await jsonOf(await world.chat())
    expect(whole['choices']).toMatchObject([
      { message: { content: null, tool_calls: [CALL, SECOND_CALL] }, finish_reason: 'tool_calls' },
    ])
  })

  test.each<[string, JsonObject[]]>([
    ['reasoning', [{ reasoning_content: 'They ' }, { reasoning_content: 'greet.' }, { content: 'Hi' }]],
    ['a refusal', [{ refusal: 'N' }, { refusal: 'o.' }]],
    [
      'a legacy function call',
      [{ function_call: { name: 'f', arguments: '' } }, { function_call: { arguments: '{}' } }],
    ],
    ['fields nobody knows', [{ content: 'Hi', mood: { level: 3 } }]],
    ['characters that JSON escapes', [{ content: '"\\\n\u2028\u0000' }, { content: '😀' }]],
  ])('%s in pieces', async (_, pieces) => {
    await using world = await startWorld({
      provider: stream([
        openaiChunk({ role: 'assistant' }),
        ...pieces.map((piece) => openaiChunk(piece)),
        openaiChunk({}, { finishReason: 'stop' }),
        openaiUsageChunk(),
        sse('[DONE]'),
      ]),
    })
    const { chunks, done } = await streamOf(await world.chat({ stream: true }))
    const deltas = chunks.map((chunk) => chunk.choices[0]?.delta ?? {})
    expect(deltas.filter((delta) => !('role' in delta) && Object.keys(delta).length > 0)).toEqual(pieces)
    expect(done).toBe(true)
  })

  test('log probabilities in pieces', async () => {
    await using world = await startWorld({
      provider: stream([
        {
          ...openaiChunk({}),
          choices: [{ index: 0, delta: { content: 'Hi' }, logprobs: LOGPROBS, finish_reason: null }],
        },
        openaiChunk({}, { finishReason: 'stop' }),
        openaiUsageChunk(),
        sse('[DONE]'),
      ]),
    })
    const { chunks } = await streamOf(await world.chat({ stream: true, logprobs: true }))
    const told = chunks
      .map((chunk) => chunk.choices[0]?.['logprobs'])
      .filter((value) => value !== undefined && value !== null)
    expect(told).toEqual([LOGPROBS])
  })

  test('what stands beside the end of a choice', async () => {
    const beside = { content_filter_results: { hate: { filtered: false, severity: 'safe' } } }
    await using world = await startWorld({
      provider: stream([
        openaiChunk({ content: 'Hi' }),
        { ...openaiChunk({}), choices: [{ index: 0, delta: {}, finish_reason: 'stop', ...beside }] },
        openaiUsageChunk(),
        sse('[DONE]'),
      ]),
    })
    const { chunks } = await streamOf(await world.chat({ stream: true }))
    expect(chunks.at(-1)?.choices[0]).toMatchObject({ delta: {}, finish_reason: 'stop', ...beside })
  })
})
