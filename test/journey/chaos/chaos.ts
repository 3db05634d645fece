import { expect } from 'bun:test'
import { ERRORS } from '../../../src/core/error.ts'
import { contentOf, errorOf, jsonOf, readStream } from '../../support/readAnswer.ts'
import {
  type Act,
  type Script,
  close,
  hang,
  openaiChunk,
  openaiError,
  reset,
  respond,
  sse,
  stream,
  streams,
} from '../../support/scriptedProvider.ts'
import { createSeededRandom, type SeededRandom } from '../../support/seededRandom.ts'
import { type RoutingWorld, startRoutingWorld } from '../routing/routingWorld.ts'

/** Stands in everything that a failing provider says, and in nothing that a caller may see. */
const PROVIDERS_WORDS =
  'Zugriff verweigert for org-Acme0Corp: sk-live-9f8e7d6c5b4a at https://internal.example/v9'
const TRACES = ['Zugriff', 'org-Acme', 'sk-live', 'internal.example', '-secret', '<html', 'scripted']
const TEXT = 'a fine answer'
const FINE = streams('a fine', ' answer')
/** What one answer costs: 9 prompt and 12 completion tokens at $0.50 and $1.50 per million. */
const CHARGE_NANO = 9n * 500n + 12n * 1_500n
const TOPUP_NANO = 10_000_000_000n

function failing(status: number, code: string | null = null, headers: Record<string, string> = {}): Act {
  return openaiError(status, { message: PROVIDERS_WORDS, code }, { 'x-organization': 'org-Acme', ...headers })
}

/** Every way to fail before the first event for which another target can answer (docs/routing.md#when-a-call-fails). */
const EARLY: readonly [Act, ...Act[]] = [
  failing(500),
  ...[401, 402, 403, 404, 408, 409, 413, 424, 425, 429, 498, 502, 503, 504, 529].map((status) =>
    failing(status),
  ),
  failing(429, null, { 'retry-after': '20' }),
  failing(503, null, { 'retry-after': '3' }),
  failing(429, 'insufficient_quota'),
  respond({ headers: { 'content-type': 'text/html' }, body: `<html>${PROVIDERS_WORDS}</html>` }),
  respond({ headers: { 'content-type': 'application/json' }, body: '{"id":' }),
  respond({ body: { error: { message: PROVIDERS_WORDS, code: 500 } } }),
  respond({ body: '' }),
  stream([]),
  stream([sse({ error: { message: PROVIDERS_WORDS, type: 'server_error' } })]),
  reset(),
  close(),
  hang(),
  hang({ at: 'body' }),
]

/** The request's own fault, and failures after the first event: nobody else can help. */
const FINAL: readonly [Act, ...Act[]] = [
  failing(400),
  failing(422),
  failing(400, 'content_filter'),
  streams('a fine', reset()),
  streams('a fine', close()),
  streams('a fine', hang()),
  stream([
    openaiChunk({ role: 'assistant', content: 'a' }),
    sse({ error: { message: PROVIDERS_WORDS, code: 500 } }),
  ]),
]

export interface ChaosOptions {
  readonly seed: string
  readonly waves: number
  readonly callsPerWave: number
}

/** What became of the calls. */
export interface ChaosResult {
  readonly calls: number
  readonly answered: number
  readonly statuses: ReadonlyMap<number, number>
  /** Calls that each provider got. */
  readonly counts: Readonly<Record<string, number>>
}

/**
 * One target of three fails in every way there is, the others are well: every caller gets the whole
 * answer and is charged for it once. Time leaps between the waves, so that the sick one is tried again.
 */
export function runOneSick(options: ChaosOptions): Promise<ChaosResult> {
  const random = createSeededRandom(options.seed)
  const sick: Script = () => (random.chance(0.1) ? FINE : random.pick(EARLY))
  return run({ sick, well: FINE, hale: FINE }, random, options, (outcome) => {
    if (outcome.kind !== 'answered') throw new Error(`${outcome.status} ${outcome.text}`)
  })
}

/** All three targets fail in every way there is: callers hear our words only, and pay for whole answers only. */
export function runAllSick(options: ChaosOptions): Promise<ChaosResult> {
  const random = createSeededRandom(options.seed)
  const sick: Script = () =>
    random.weighted<() => Act>([
      [4, () => FINE],
      [4, () => random.pick(EARLY)],
      [2, () => random.pick(FINAL)],
    ])()
  return run({ one: sick, two: sick, three: sick }, random, options, () => undefined)
}

interface Outcome {
  readonly kind: 'answered' | 'failed'
  readonly id: string
  readonly status: number
  readonly text: string
}

async function run(
  providers: Readonly<Record<string, Script>>,
  random: SeededRandom,
  { waves, callsPerWave }: ChaosOptions,
  check: (outcome: Outcome) => void,
): Promise<ChaosResult> {
  // A healthy provider on a loaded machine is never too late; a sick one hangs no longer than this.
  const hasty = { timeouts: { connect: '30s', first_event: '400ms', whole: '400ms', idle: '400ms' } }
  const settings = Object.fromEntries(
    Object.keys(providers)
      .filter((name) => providers[name] !== FINE)
      .map((name) => [
        name,
        { ...hasty, api_key: undefined, api_keys: [1, 2, 3].map((i) => `${name}-secret-${i}`) },
      ]),
  )
  await using world = await startRoutingWorld({ providers, settings, model: { strategy: 'weighted' } })
  const outcomes: Outcome[] = []
  world.clock.set(Date.UTC(2026, 10, 20, 12))
  for (let wave = 0; wave < waves; wave++) {
    const calls = Array.from({ length: callsPerWave }, () => call(world, random))
    for (const outcome of await Promise.all(calls)) {
      check(outcome)
      outcomes.push(outcome)
    }
    await world.settled()
    world.clock.advance(random.integer(1, 60_000))
  }
  await checkBooks(world, outcomes)
  const statuses = new Map<number, number>()
  for (const { status } of outcomes) statuses.set(status, (statuses.get(status) ?? 0) + 1)
  return {
    calls: outcomes.length,
    answered: outcomes.filter(({ kind }) => kind === 'answered').length,
    statuses,
    counts: world.counts(),
  }
}

async function call(world: RoutingWorld, random: SeededRandom): Promise<Outcome> {
  const mode = random.pick<Readonly<Record<string, unknown>>>([
    { max_tokens: 20 },
    {},
    { max_tokens: 20, stream: true },
  ])
  const user = random.chance(0.5) ? `user-${random.integer(1, 9)}` : undefined
  const response = await world.chat({ ...mode, user })
  const text = await response.clone().text()
  const said = text + JSON.stringify([...response.headers])
  for (const trace of TRACES) expect(said).not.toContain(trace)
  const { status } = response
  const id = response.headers.get('x-request-id') ?? ''
  if (status !== 200) {
    expect([400, 502, 503]).toContain(status)
    const { code, type } = await errorOf(response)
    expect<{ status: number; type: string }>(ERRORS[code as keyof typeof ERRORS]).toMatchObject({
      status,
      type,
    })
    const wait = response.headers.get('retry-after')
    if (status === 503) expect(Number(wait)).toBeGreaterThanOrEqual(1)
    else expect(wait).toBeNull()
    return { kind: 'failed', id, status, text }
  }
  if (!('stream' in mode)) {
    expect((await jsonOf(response))['choices']).toMatchObject([{ message: { content: TEXT } }])
    return { kind: 'answered', id, status, text }
  }
  const answer = readStream(text)
  // A cut answer never looks like a whole one, and a whole one never like a cut one.
  expect(answer.done).toBe(answer.error === undefined)
  if (answer.done) expect(contentOf(answer)).toBe(TEXT)
  return { kind: answer.done ? 'answered' : 'failed', id, status, text }
}

/** Whoever got a whole answer is charged once for it; nobody else is, and nothing stays held. */
async function checkBooks(world: RoutingWorld, outcomes: readonly Outcome[]): Promise<void> {
  const charges = new Map<string, bigint[]>()
  for await (const transfers of world.gateway.store.books.exportLedger()) {
    for (const { kind, requestId, amount } of transfers) {
      if (kind === 'charge') charges.set(requestId ?? '', [...(charges.get(requestId ?? '') ?? []), amount])
    }
  }
  const answered = outcomes.filter(({ kind }) => kind === 'answered')
  expect([...charges.keys()].toSorted()).toEqual(answered.map(({ id }) => id).toSorted())
  for (const amounts of charges.values()) expect(amounts).toEqual([CHARGE_NANO])
  for await (const {
    balance,
    held,
    openHolds,
    brokenAt,
    ledgerBalance,
  } of world.gateway.store.books.verify()) {
    expect({ held, openHolds, brokenAt }).toEqual({ held: 0n, openHolds: 0n, brokenAt: null } as never)
    expect(balance).toBe(ledgerBalance)
    expect<bigint>(balance).toBe(TOPUP_NANO - BigInt(answered.length) * CHARGE_NANO)
  }
}
