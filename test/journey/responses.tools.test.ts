import { describe, expect, test } from 'bun:test'
import OpenAI from 'openai'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { fixturesIn } from '../support/wireFixtures.ts'
import { receiptOf } from '../support/receiptOf.ts'
import {
  type Script,
  createGate,
  inTurn,
  openaiCompletion,
  respond,
  startScriptedProvider,
  stream,
} from '../support/scriptedProvider.ts'
import {
  responseEvent,
  responseStream,
  upstreamResponse,
  upstreamText,
} from '../support/scriptedResponses.ts'
import { MODEL, type World, standardModel, startWorld } from '../support/world.ts'

/** Tools of `POST /v1/responses` that have a form of their own: added in the input, or defined by OpenAI and run by the caller. */

const { json } = fixturesIn(`${import.meta.dir}/../../src/wire/openai-responses`)
const HELLO = { model: MODEL, max_output_tokens: 100, input: 'Hi' }
const USER = { role: 'user', content: 'Hi' }
const RUN = { type: 'function', name: 'run', parameters: { type: 'object' }, strict: false }
const PATCH = { type: 'custom', name: 'patch', description: 'Changes files' }
const hello: Script = ({ path }) =>
  path === '/v1/responses'
    ? respond({ body: upstreamResponse([upstreamText('Hello')]) })
    : respond({ body: openaiCompletion('Hello') })

function start(wire: string, provider: Script = hello): Promise<World> {
  return startWorld({
    provider,
    config: ({ baseUrl }) => ({
      providers: { acme: { wire, base_url: baseUrl, api_key: 'k' } },
      models: [standardModel()],
    }),
  })
}

function adding(...tools: readonly JsonObject[]): JsonObject {
  return { type: 'additional_tools', role: 'developer', tools }
}

async function ask(world: World, more: object = {}): Promise<Response> {
  return world.request('POST', '/v1/responses', { ...HELLO, ...more })
}

async function sent(world: World, ordinal = 0): Promise<JsonObject> {
  return (await world.provider.request(ordinal)).body as JsonObject
}

function droppedOf(response: Response): string | null {
  return response.headers.get('x-tollgate-dropped-fields')
}

async function charges(world: World): Promise<string[]> {
  await world.settled()
  return (await world.ledger()).filter(({ kind }) => kind === 'charge').map(({ amount_usd }) => amount_usd)
}

describe('tools that the input adds', () => {
  test('pass where they are to a provider of the format, as in a recorded call', async () => {
    await using world = await start('openai-responses')
    const recorded = { ...(json('additionalTools.json') as JsonObject), model: MODEL }
    const response = await world.request('POST', '/v1/responses', recorded)
    expect([response.status, droppedOf(response)]).toEqual([200, null])
    // Without a limit the gateway asks for a stream.
    const { store, stream: _, max_output_tokens: _limit, ...body } = await sent(world)
    const { stream: _stream, ...asked } = recorded as JsonObject
    expect([body, store]).toEqual([{ ...asked, model: 'upstream-chat-1' }, false])
  })

  test('pass without those of the vendor, and keep what hangs on tools', async () => {
    await using world = await start('openai-responses')
    const search = { type: 'web_search' }
    const namespace = { type: 'namespace', name: 'n', tools: [RUN] }
    const response = await ask(world, {
      input: [USER, adding(search), adding(namespace, RUN), USER],
      tools: [search],
      tool_choice: { type: 'function', name: 'run' },
      parallel_tool_calls: false,
    })
    expect([response.status, droppedOf(response)]).toEqual([
      200,
      'tools[web_search], input[additional_tools], tools[namespace]',
    ])
    expect(await sent(world)).toMatchObject({
      input: [USER, adding(RUN), USER],
      tool_choice: { type: 'function', name: 'run' },
      parallel_tool_calls: false,
    })
    expect(await sent(world)).not.toHaveProperty('tools')
  })

  test('are tools like others at a provider of another format, and their calls come back', async () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'patch', arguments: '{"input":"a"}' } }
    const message = { role: 'assistant', content: null, tool_calls: [call] }
    const body = {
      ...openaiCompletion('', { finishReason: 'tool_calls' }),
      choices: [{ index: 0, message, finish_reason: 'tool_calls' }],
    }
    await using world = await start('openai-chat', respond({ body }))
    const response = await ask(world, {
      tools: [RUN],
      input: [USER, adding(PATCH, { ...RUN, description: 'Runs' }, { type: 'web_search' })],
      tool_choice: { type: 'custom', name: 'patch' },
    })
    expect(droppedOf(response)).toBe('tools[web_search]')
    expect(((await response.json()) as { output: Json }).output).toMatchObject([
      { type: 'custom_tool_call', name: 'patch', input: 'a' },
    ])
    const { messages, tools, tool_choice: choice } = await sent(world)
    expect(messages).toEqual([USER])
    expect(tools).toMatchObject([
      { function: { name: 'run', description: 'Runs' } },
      { function: { name: 'patch' } },
    ])
    expect(choice).toEqual({ type: 'function', function: { name: 'patch' } })
  })

  test('have the caller’s path in a refusal of a provider’s format', async () => {
    await using world = await start('openai-chat')
    const response = await ask(world, { input: [USER, adding({ type: 'web_search' }, { type: 'shell' })] })
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ error: { param: 'input[1].tools[1].type' } })
  })

  test.each(['openai-responses', 'openai-chat'])('come back with what is kept, at %s', async (wire) => {
    await using world = await start(wire)
    const client = new OpenAI({ baseURL: `${world.url}/v1`, apiKey: world.secret, maxRetries: 0 })
    const input = [USER, adding(RUN)] as OpenAI.Responses.ResponseInput
    const first = await client.responses.create({ ...HELLO, input })
    await client.responses.create({ ...HELLO, previous_response_id: first.id, input: 'And?' })
    const { input: items, tools } = await sent(world, 1)
    if (wire === 'openai-chat') expect(tools).toMatchObject([{ function: { name: 'run' } }])
    else expect((items as Json[]).slice(0, 2)).toEqual([USER, adding(RUN)])
    const listed = await client.responses.inputItems.list(first.id, { order: 'asc' })
    expect(listed.data).toMatchObject([{ type: 'message' }, { ...adding(RUN), id: expect.any(String) }])
  })

  test('are counted with the tokens of the input, by a provider and by the gateway', async () => {
    const tool = { ...RUN, description: 'word '.repeat(500) }
    await using world = await start('openai-chat')
    const count = async (more: object): Promise<number> => {
      const response = await world.request('POST', '/v1/responses/input_tokens', { ...HELLO, ...more })
      return ((await response.json()) as { input_tokens: number }).input_tokens
    }
    const added = await count({ input: [USER, adding(tool)] })
    expect(added).toBe(await count({ input: [USER], tools: [tool] }))
    expect(added).toBeGreaterThan(500)
    const counted = respond({ body: { object: 'response.input_tokens', input_tokens: 7 } })
    await using native = await start('openai-responses', counted)
    const asked = { ...HELLO, input: [USER, adding(tool)] }
    await (await native.request('POST', '/v1/responses/input_tokens', asked)).text()
    expect(await sent(native)).toMatchObject({ input: [USER], tools: [{ name: 'run' }] })
  })
})

const ACTION = { commands: ['ls'], max_output_length: null, timeout_ms: null }
const SHELL_CALL = { id: 'sh_1', type: 'shell_call', status: 'completed', call_id: 'call_1', action: ACTION }
const CALLS: Readonly<Record<string, JsonObject>> = {
  shell: { ...SHELL_CALL, environment: { type: 'local' } },
  local_shell: {
    id: 'lsh_1',
    type: 'local_shell_call',
    status: 'completed',
    call_id: 'call_1',
    action: { type: 'exec', command: ['ls', 's3://a'], env: { CONTAINER: 'web' } },
  },
  apply_patch: {
    id: 'apc_1',
    type: 'apply_patch_call',
    status: 'completed',
    call_id: 'call_1',
    operation: { type: 'update_file', path: 'a', diff: '@@\n-a\n+b' },
  },
}
const RESULTS: Readonly<Record<string, JsonObject>> = {
  shell: {
    type: 'shell_call_output',
    call_id: 'call_1',
    output: [{ stdout: 'a', stderr: '', outcome: { type: 'exit', exit_code: 0 } }],
  },
  local_shell: { type: 'local_shell_call_output', id: 'call_1', output: 'a' },
  apply_patch: { type: 'apply_patch_call_output', call_id: 'call_1', status: 'completed', output: 'done' },
}

describe.each(Object.keys(CALLS))('%s, which the caller runs', (type) => {
  const call = CALLS[type] ?? {}
  const result = RESULTS[type] ?? {}

  test.each([false, true])(
    'is called and goes on, at a provider of the format; streamed: %p',
    async (streams) => {
      const answers = [upstreamResponse([call]), upstreamResponse([upstreamText('Done')])] as const
      const acts = answers.map((answer) =>
        streams ? stream(responseStream(answer)) : respond({ body: answer }),
      )
      await using world = await start('openai-responses', inTurn(...(acts as [(typeof acts)[number]])))
      const tools = [{ type }]
      const first = await ask(world, { tools, tool_choice: { type }, stream: streams })
      const text = await first.text()
      expect([first.status, droppedOf(first)]).toEqual([200, null])
      expect(text).toContain(JSON.stringify(call))
      expect(await sent(world)).toMatchObject({ tools, tool_choice: { type } })
      const id = first.headers.get('x-request-id') ?? ''
      const kept = (await (await world.request('GET', `/v1/responses/${id}`)).json()) as JsonObject
      expect(kept['output']).toEqual([call])
      expect(await receiptOf(world.operations, id)).toMatchObject({ ending: 'completed' })

      const second = await ask(world, { tools, previous_response_id: id, input: [result], stream: streams })
      expect([second.status, droppedOf(second)]).toEqual([200, null])
      expect(await second.text()).toContain('Done')
      expect((await sent(world, 1))['input']).toEqual([USER, call, result])
      const [one, two] = await charges(world)
      expect([one, Number(one) > 0]).toEqual([two as string, true])
    },
  )

  test('is a 400 that names it at a provider of another format, and nothing is held', async () => {
    await using world = await start('openai-chat')
    for (const [more, param, name] of [
      [{ tools: [RUN, { type }] }, 'tools[1].type', type],
      [{ input: [USER, call, result] }, 'input[1].type', `${type}_call`],
      [{ input: [USER, result] }, 'input[1].type', `${type}_call_output`],
    ] as const) {
      const response = await ask(world, more)
      expect(response.status).toBe(400)
      const message = `This model does not take \`${name}\`: only providers that speak OpenAI's Responses do.`
      expect(await response.json()).toMatchObject({ error: { code: 'invalid_request', param, message } })
    }
    expect(world.provider.requests).toHaveLength(0)
    expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup'])
  })
})

test('a tool that the caller runs is asked of the target that can take it', async () => {
  await using other = await startScriptedProvider(hello)
  await using world = await startWorld({
    provider: hello,
    config: ({ baseUrl }) => ({
      providers: {
        chat: { wire: 'openai-chat', base_url: other.baseUrl, api_key: 'k' },
        acme: { wire: 'openai-responses', base_url: baseUrl, api_key: 'k' },
      },
      models: [
        standardModel({
          targets: [
            { provider: 'chat', model: 'upstream-chat-1' },
            { provider: 'acme', model: 'upstream-chat-2' },
          ],
        }),
      ],
    }),
  })
  expect((await ask(world, { tools: [{ type: 'shell' }] })).status).toBe(200)
  expect([other.requests.length, world.provider.requests.length]).toEqual([0, 1])
})

test('the commands of a shell are counted as they come, where the provider reports no usage', async () => {
  const words = 'word '.repeat(2_000)
  const item = { ...SHELL_CALL, action: { ...ACTION, commands: [words] } }
  const done = upstreamResponse([item], { usage: { input_tokens: 100, output_tokens: 0 } })
  const [created = '', progress = '', added = '', ...rest] = responseStream(done)
  const delta = { type: 'response.shell_call_command.delta', output_index: 0, command_index: 0, delta: words }
  const frames = [created, progress, added.replace(words, ''), responseEvent(delta), ...rest]
  await using world = await start('openai-responses', stream(frames))
  await (await ask(world, { tools: [{ type: 'shell' }], stream: true, max_output_tokens: 4_000 })).text()
  const [charged] = await charges(world)
  // 2,000 words at 1.50 USD per million, once.
  expect(Number(charged)).toBeGreaterThan(0.0025)
  expect(Number(charged)).toBeLessThan(0.0045)
})

test('the commands of a shell reach the caller as they come, before the stream ends', async () => {
  const item = { ...SHELL_CALL, status: 'in_progress', action: { ...ACTION, commands: [] } }
  const at = { output_index: 0, command_index: 0 }
  const [created = '', progress = '', end = ''] = responseStream(upstreamResponse([]))
  const gate = createGate()
  const frames = [
    created,
    progress,
    responseEvent({ type: 'response.output_item.added', output_index: 0, item }),
    responseEvent({ type: 'response.shell_call_command.added', ...at, command: '' }),
    responseEvent({ type: 'response.shell_call_command.delta', ...at, delta: 'ls' }),
  ]
  await using world = await start('openai-responses', stream([...frames, gate, end]))
  const response = await ask(world, { tools: [{ type: 'shell' }], stream: true })
  const decoder = new TextDecoder()
  let text = ''
  for await (const bytes of response.body ?? []) {
    text += decoder.decode(bytes, { stream: true })
    if (text.includes('"delta":"ls"')) gate.open()
  }
  expect(text.match(/^event: /gm)).toHaveLength(frames.length + 1)
})
