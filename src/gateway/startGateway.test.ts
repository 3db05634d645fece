import { closeSync, openSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'bun:test'
import { attemptsOf, startRoutingWorld } from '../../test/journey/routing/routingWorld.ts'
import { streamOf } from '../../test/support/readAnswer.ts'
import {
  type Script,
  hang,
  openaiError,
  respond,
  startScriptedProvider,
  streams,
} from '../../test/support/scriptedProvider.ts'
import { standardModel, startWorld } from '../../test/support/world.ts'
import { STRIKES_TO_OPEN } from '../upstream/routing/streak.ts'

const FINE = streams('Hello')
const SHORT = { max_tokens: 20 }
const NOON = Date.UTC(2026, 10, 20, 12)
/** Shorter than the timeouts that must not apply, longer than a loaded machine needs for the one that does. */
const STAGE_TEST_TIMEOUT_MS = 25_000

/** A model that one provider serves. */
function modelAt(provider: string, upstreamModel: string): Record<string, unknown> {
  return standardModel({
    id: `at/${provider}`,
    aliases: [],
    targets: [{ provider, model: upstreamModel }],
  })
}

const ANTHROPIC_ANSWER = respond({
  body: {
    type: 'message',
    role: 'assistant',
    content: [{ type: 'text', text: 'Hello' }],
    stop_reason: 'end_turn',
    usage: { input_tokens: 9, output_tokens: 12 },
  },
})

const BEDROCK_ANSWER = respond({
  body: {
    output: { message: { role: 'assistant', content: [{ text: 'Hello' }] } },
    stopReason: 'end_turn',
    usage: { inputTokens: 9, outputTokens: 12, totalTokens: 21 },
  },
})

describe('the gateway', () => {
  test('calls each provider in its own wire format, with its own key, headers and query', async () => {
    await using world = await startRoutingWorld({
      providers: { bearer: FINE, blue: FINE, claude: ANTHROPIC_ANSWER, keyless: FINE },
      settings: {
        blue: {
          auth: { header: 'Api-Key' },
          headers: { 'X-Team': 'blue' },
          api_version: '2026-01-01',
        },
        claude: { wire: 'anthropic-messages' },
        keyless: { api_key: undefined },
      },
      models: [
        modelAt('bearer', 'bearer-model'),
        modelAt('blue', 'blue-model'),
        modelAt('claude', 'claude-model'),
        modelAt('keyless', 'keyless-model'),
      ],
    })
    for (const name of ['bearer', 'blue', 'claude', 'keyless'])
      expect((await world.chat({ ...SHORT, model: `at/${name}` })).status).toBe(200)
    expect(world.counts()).toEqual({ bearer: 1, blue: 1, claude: 1, keyless: 1 })

    async function received(name: string) {
      const { path, headers, body } = await world.provider(name).request()
      const { authorization, 'api-key': apiKey, 'x-api-key': claudeKey, 'x-team': team } = headers
      return { path, authorization, apiKey, claudeKey, team, body }
    }
    expect(await received('bearer')).toMatchObject({
      path: '/v1/chat/completions',
      authorization: 'Bearer bearer-secret',
      apiKey: undefined,
      team: undefined,
      body: { model: 'bearer-model' },
    })
    expect(await received('blue')).toMatchObject({
      path: '/v1/chat/completions?api-version=2026-01-01',
      authorization: undefined,
      apiKey: 'blue-secret',
      team: 'blue',
      body: { model: 'blue-model' },
    })
    expect(await received('claude')).toMatchObject({
      path: '/v1/messages',
      authorization: undefined,
      claudeKey: 'claude-secret',
      body: { model: 'claude-model' },
    })
    expect(await received('keyless')).toMatchObject({
      path: '/v1/chat/completions',
      authorization: undefined,
      body: { model: 'keyless-model' },
    })
  })

  test('asks each target of a model for the name that the model has there', async () => {
    await using world = await startRoutingWorld({
      providers: { first: openaiError(404), second: FINE },
      model: {
        targets: [
          { provider: 'first', model: 'old-name' },
          { provider: 'first', model: 'new-name' },
          { provider: 'second', model: 'other-name' },
        ],
      },
    })
    const { attempts } = await world.receiptOf(await world.chat(SHORT))
    expect(attempts.map(({ provider, upstream_model }) => `${provider}/${upstream_model}`)).toEqual([
      'first/old-name',
      'first/new-name',
      'second/other-name',
    ])
    const asked = [...world.provider('first').requests, ...world.provider('second').requests]
    expect(asked.map(({ body }) => body)).toMatchObject([
      { model: 'old-name' },
      { model: 'new-name' },
      { model: 'other-name' },
    ])
  })

  test('signs for AWS with the key and region of the provider, at the time of its own clock', async () => {
    await using world = await startRoutingWorld({
      providers: { bedrock: BEDROCK_ANSWER },
      settings: {
        bedrock: {
          wire: 'bedrock-converse',
          api_key: undefined,
          region: 'eu-central-1',
          aws: { access_key_id: 'AKIDEXAMPLE', secret_access_key: 'aws-secret' },
        },
      },
    })
    world.clock.set(NOON)
    expect((await world.chat(SHORT)).status).toBe(200)
    const { headers } = await world.provider('bedrock').request()
    expect(headers['x-amz-date']).toBe('20261120T120000Z')
    expect(headers['authorization']).toContain(
      'Credential=AKIDEXAMPLE/20261120/eu-central-1/bedrock/aws4_request',
    )
  })

  test('lets the demo provider answer within the process, and calls every other over the network', async () => {
    await using world = await startRoutingWorld({
      providers: { demo: FINE, network: FINE },
      settings: { demo: { base_url: 'demo://local', api_key: undefined } },
      models: [modelAt('demo', 'demo'), modelAt('network', 'm')],
    })
    expect((await world.chat({ ...SHORT, model: 'at/demo' })).status).toBe(200)
    expect(world.counts()).toEqual({ demo: 0, network: 0 })
    expect((await world.chat({ ...SHORT, model: 'at/network' })).status).toBe(200)
    expect(world.counts()).toEqual({ demo: 0, network: 1 })
  })
})

describe('the timeouts of a provider', () => {
  /** Two providers; only `impatient` has a short timeout, and only for one stage. */
  function startImpatient(script: Script, settings: Readonly<Record<string, unknown>>) {
    return startRoutingWorld({
      providers: { impatient: script, patient: FINE },
      settings: { impatient: settings },
    })
  }

  test(
    'end an attempt whose connection does not stand within `connect`',
    async () => {
      // It accepts, and never says a word of TLS.
      await using deaf = await startScriptedProvider(hang({ at: 'accept' }))
      await using world = await startImpatient(FINE, {
        base_url: deaf.baseUrl.replace('http:', 'https:'),
        timeouts: { connect: '100ms', first_event: '30s', idle: '30s' },
      })
      const receipt = await world.receiptOf(await world.chat(SHORT))
      expect(attemptsOf(receipt).at(0)).toBe('impatient timeout')
      expect(attemptsOf(receipt).at(-1)).toBe('patient answered')
    },
    STAGE_TEST_TIMEOUT_MS,
  )

  test(
    'end an attempt that brings no event within `first_event`',
    async () => {
      await using world = await startImpatient(hang(), {
        timeouts: { connect: '30s', first_event: '100ms', idle: '30s' },
      })
      const receipt = await world.receiptOf(await world.chat({ ...SHORT, stream: true }))
      expect(attemptsOf(receipt)).toEqual(['impatient timeout', 'patient answered'])
    },
    STAGE_TEST_TIMEOUT_MS,
  )

  test(
    'end an answer that is asked whole and does not come within `whole`',
    async () => {
      await using world = await startImpatient(hang(), {
        timeouts: { connect: '30s', first_event: '30s', whole: '100ms' },
      })
      const receipt = await world.receiptOf(await world.chat(SHORT))
      expect(attemptsOf(receipt)).toEqual(['impatient timeout', 'patient answered'])
    },
    STAGE_TEST_TIMEOUT_MS,
  )

  test(
    'end an answer that falls silent for `idle`',
    async () => {
      await using world = await startImpatient(streams('Hel', hang()), {
        timeouts: { connect: '30s', first_event: '30s', idle: '100ms' },
      })
      const answer = await streamOf(await world.chat({ stream: true }))
      expect(answer.error).toMatchObject({ code: 'upstream_error' })
      await world.settled()
      expect((await world.health())['impatient']?.routes[0]?.last_error?.kind).toBe('timeout')
      expect(world.counts()).toEqual({ impatient: 1, patient: 0 })
    },
    STAGE_TEST_TIMEOUT_MS,
  )
})

describe('the health of providers', () => {
  test('shows every provider as it is configured, also one that serves no model', async () => {
    await using world = await startRoutingWorld({
      providers: { serving: FINE, idle: FINE },
      settings: {
        serving: { display_name: 'Serving Ltd.' },
        idle: {
          wire: 'anthropic-messages',
          display_name: 'Idle Inc.',
          api_key: undefined,
          api_keys: ['k', 'l'],
        },
      },
      model: { targets: [{ provider: 'serving', model: 'm' }] },
    })
    const { serving, idle } = await world.health()
    expect(serving).toMatchObject({
      id: 'serving',
      display_name: 'Serving Ltd.',
      wire: 'openai-chat',
      base_url: world.provider('serving').baseUrl,
      credentials: [{ name: 'serving#1', status: 'ready' }],
      routes: [{ upstream_model: 'm' }],
    })
    expect(idle).toMatchObject({
      id: 'idle',
      display_name: 'Idle Inc.',
      wire: 'anthropic-messages',
      base_url: world.provider('idle').baseUrl,
      credentials: [
        { name: 'idle#1', status: 'ready' },
        { name: 'idle#2', status: 'ready' },
      ],
      routes: [],
    })
  })

  test('counts a call for the provider, the target and the credential that it was made with', async () => {
    const oneKeyRefused: Script = ({ headers }) =>
      headers['authorization'] === 'Bearer first-key' ? openaiError(401) : FINE
    await using world = await startRoutingWorld({
      providers: { one: oneKeyRefused, two: FINE },
      settings: { one: { api_key: undefined, api_keys: ['first-key', 'second-key'] } },
      model: { targets: [{ provider: 'one', model: 'm' }] },
      models: [modelAt('two', 'm')],
    })
    await world.receiptOf(await world.chat(SHORT))
    await world.receiptOf(await world.chat({ ...SHORT, model: 'at/two' }))
    const { one, two } = await world.health()
    expect(one).toMatchObject({
      credentials: [
        { name: 'one#1', status: 'refused' },
        { name: 'one#2', status: 'ready' },
      ],
      routes: [{ upstream_model: 'm', requests: 2, failures: 1, last_error: { kind: 'credential' } }],
    })
    expect(two).toMatchObject({
      credentials: [{ name: 'two#1', status: 'ready' }],
      routes: [{ upstream_model: 'm', requests: 1, failures: 0, last_error: null }],
    })
  })
})

test('the log reports a target that is left alone and a credential that is refused', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tollgate-gateway-'))
  const path = join(folder, 'gateway.log')
  const descriptor = openSync(path, 'w')
  const world = await startWorld({
    provider: ({ headers }) => openaiError(headers['authorization'] === 'Bearer refused-key' ? 401 : 500),
    config: ({ baseUrl }) => ({
      providers: {
        failing: { wire: 'openai-chat', base_url: baseUrl, api_key: 'good-key' },
        refusing: { wire: 'openai-chat', base_url: baseUrl, api_key: 'refused-key' },
      },
      models: [modelAt('failing', 'failing-model'), modelAt('refusing', 'refusing-model')],
    }),
    log: { level: 'info', descriptor },
  })
  for (let calls = 0; calls < STRIKES_TO_OPEN; calls++)
    await (await world.chat({ ...SHORT, model: 'at/failing' })).text()
  await (await world.chat({ ...SHORT, model: 'at/refusing' })).text()
  await world.stop()
  const lines = readFileSync(path, 'utf8').split('\n')
  closeSync(descriptor)
  await rm(folder, { recursive: true })
  const open = lines.find((line) => line.includes('"circuit":"open"'))
  expect(open).toContain('"route":"failing/failing-model"')
  expect(open).toContain(`"for":"${world.workspaceId}","reason":"server","until":"`)
  const refused = lines.find((line) => line.includes('"credential":"refusing#1"'))
  expect(refused).toContain('"route":"refusing/refusing-model"')
  expect(refused).toContain('"reason":"credential","for":"everyone","until":"')
})
