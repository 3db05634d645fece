import { afterAll, describe, expect, test } from 'bun:test'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import {
  ANSWER,
  BEGUN,
  ECHOES,
  type Echo,
  HEADER,
  KEY,
  PRIVATE,
  PROMPT,
  QUERY,
  SECRETS,
} from '../support/privateEchoes.ts'
import { ENCODINGS, leaksIn } from '../support/privateWords.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { openaiError, respond, stream } from '../support/scriptedProvider.ts'
import { standardModel, startWorld, type World, type WorldOptions } from '../support/world.ts'

const ADMIN_TOKEN = 'token-of-the-operator'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-privacy-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

interface Case extends Echo {
  readonly id: string
  readonly words: string
}

const CASES: readonly Case[] = ECHOES.flatMap((echo, position) =>
  Object.entries(ENCODINGS).map(([encoding, encode], variant) => ({
    ...echo,
    name: `${echo.name}, ${encoding}`,
    id: `case-${position}-${variant}`,
    words: Object.values(PRIVATE).map(encode).join(' '),
  })),
)

/** Every case has a provider of its own: one that fails is soon not called any more. */
function worldOf(cases: readonly Case[], prompts: boolean, log: WorldOptions['log']): Promise<World> {
  const acts = new Map(cases.map(({ id, act, words }) => [id, act(words)]))
  return startWorld({
    balance: '1000',
    workspace: { requests_per_minute: 10_000 },
    key: {},
    provider: (request) => acts.get(request.path.split('/')[1] ?? '') ?? respond({ status: 404 }),
    config: (provider) => ({
      server: { admin_token: ADMIN_TOKEN },
      log: { level: 'debug', prompts },
      providers: Object.fromEntries(
        cases.map(({ id, wire = 'openai-chat' }) => [
          id,
          {
            wire,
            base_url: `${provider.origin}/${id}/v1`,
            api_key: KEY,
            ...(wire === 'bedrock-converse' && { auth: 'bearer' }),
            headers: { 'x-door': HEADER },
            api_version: QUERY,
          },
        ]),
      ),
      models: cases.map(({ id }) =>
        standardModel({ id: `${id}/m`, aliases: [], targets: [{ provider: id, model: 'm' }] }),
      ),
    }),
    ...(log && { log }),
  })
}

/** Calls every case; gives what callers were told, without the part of a stream that is its answer. */
async function callAll(world: World, cases: readonly Case[]): Promise<{ told: string; ids: string[] }> {
  const answers = await Promise.all(
    cases.map(async ({ id, stream: streamed = false }) => {
      const response = await world.chat({
        model: `${id}/m`,
        messages: [{ role: 'user', content: PROMPT }],
        stream: streamed,
        max_tokens: 50,
      })
      const text = (await response.text()).replaceAll(JSON.stringify(ANSWER), '"the answer"')
      return { id: response.headers.get('x-request-id') ?? '', told: [...response.headers, text].join('\n') }
    }),
  )
  await world.settled()
  return { told: answers.map(({ told }) => told).join('\n'), ids: answers.map(({ id }) => id) }
}

async function adminText(world: World, path: string): Promise<string> {
  const response = await world.request('GET', `/api/v1/admin/${path}`, undefined, {
    authorization: `Bearer ${ADMIN_TOKEN}`,
  })
  expect(response.status).toBe(200)
  return response.text()
}

/** Everything the log says at every level, beside what else may be read of the calls. */
async function run(cases: readonly Case[], prompts: boolean, level: 'debug' | 'info') {
  const path = join(folder, `${crypto.randomUUID()}.log`)
  const world = await worldOf(cases, prompts, { level, descriptor: openSync(path, 'w') })
  try {
    const { told, ids } = await callAll(world, cases)
    const receipts = await Promise.all(
      ids.flatMap((id) => [
        adminText(world, `requests/${id}`),
        world.request('GET', `/v1/generation?id=${id}`).then((response) => response.text()),
      ]),
    )
    const metrics = await (await fetch(`${world.url}/metrics`)).text()
    const providers = await adminText(world, 'providers')
    return { told, receipts: receipts.join('\n'), metrics, providers, log: () => readFileSync(path, 'utf8') }
  } finally {
    await world.stop()
  }
}

describe('what a provider sends back', () => {
  test(
    'is repeated nowhere while prompts are not logged: no prompt, answer or secret, in no encoding',
    async () => {
      const { told, receipts, metrics, providers, log } = await run(CASES, false, 'debug')
      const written = log()
      // What is looked for was there to be found.
      expect(written).toContain('call to provider failed')
      expect(providers).toContain('"last_error":{')
      for (const text of [written, told, receipts, metrics, providers]) {
        expect(leaksIn(text, { ...PRIVATE, token: ADMIN_TOKEN })).toEqual([])
      }
    },
    TEST_LIMIT_MS,
  )

  test(
    'is written down at level debug where prompts are logged, and still without a secret in any encoding',
    async () => {
      const { told, receipts, metrics, providers, log } = await run(CASES, true, 'debug')
      const written = log()
      expect(written).toContain(JSON.stringify(PROMPT).slice(1, -1))
      expect(written).toContain('what the provider said')
      expect(leaksIn(written, SECRETS)).toEqual([])
      for (const text of [told, receipts, metrics, providers]) expect(leaksIn(text, PRIVATE)).toEqual([])
    },
    TEST_LIMIT_MS,
  )

  test('is written down without a secret that invisible characters break', async () => {
    const pieces = (secret: string) => [secret.slice(0, secret.length / 2), secret.slice(secret.length / 2)]
    const words = Object.values(SECRETS)
      .map((secret) => pieces(secret).join('\u200b'))
      .join(' ')
    const answer = JSON.stringify({ error: { message: words } }).replaceAll('\u200b', '\\u200b')
    const acts = [openaiError(400, { message: words }), respond({ status: 400, body: answer })]
    const { log } = await run(
      acts.map((act, n) => ({ id: `case-${n}`, name: 'a broken secret', words, act: () => act })),
      true,
      'debug',
    )
    const written = log()
    expect(written.split('what the provider said').length).toBeGreaterThan(acts.length)
    for (const piece of Object.values(SECRETS).flatMap(pieces)) expect(written).not.toContain(piece)
  })

  test('is not written down at level info, though prompts are logged', async () => {
    const { log } = await run([caseOf('the provider in person')], true, 'info')
    const written = log()
    expect(written).toContain('call to provider failed')
    expect(written).not.toContain('in person')
  })

  test('is logged in our words when it breaks off an answer that had begun, too', async () => {
    const act = () =>
      stream([...BEGUN, { error: { message: 'the provider in person', type: 'server_error' } }])
    const { log } = await run([{ ...caseOf('in person'), stream: true, act }], false, 'debug')
    const line = log()
      .split('\n')
      .find((text) => text.includes('interrupted'))
    expect(JSON.parse(line ?? '{}')).toMatchObject({
      level: 'warn',
      route: 'one/m',
      kind: 'server',
      code: 'server_error',
      reason: 'The provider failed.',
    })
    expect(log()).not.toContain('in person')
  })

  test('is kept as kind, status and code, in our words', async () => {
    const { log, providers } = await run([caseOf('spend less')], false, 'debug')
    const line = log()
      .split('\n')
      .find((text) => text.includes('call to provider failed'))
    const kept = {
      kind: 'billing',
      status: 429,
      code: 'insufficient_quota',
    }
    const reason = "The gateway's account with the provider is out of credit."
    expect(JSON.parse(line ?? '{}')).toMatchObject({ level: 'warn', route: 'one/m', ...kept, reason })
    expect(JSON.parse(providers)).toMatchObject({
      data: [{ routes: [{ last_error: { ...kept, message: reason } }] }],
    })
  })
})

function caseOf(message: string): Case {
  const act = () => openaiError(429, { message, type: 'insufficient_quota', code: 'insufficient_quota' })
  return { id: 'one', name: message, words: message, act }
}
