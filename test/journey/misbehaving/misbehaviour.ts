import { expect, test } from 'bun:test'
import type { ErrorCode } from '../../../src/core/error.ts'
import { ERRORS } from '../../../src/core/error.ts'
import { contentOf, errorOf, jsonOf, streamOf, type ApiError } from '../../support/readAnswer.ts'
import { streams, type Act, type ScriptedProvider } from '../../support/scriptedProvider.ts'
import { standardConfig, standardModel, startWorld, type World } from '../../support/world.ts'
import { receiptOf } from '../../support/receiptOf.ts'

/** What providers' texts are full of, and no caller may ever see. */
export const SECRET = 'sk-live-9f8e7d6c5b4a'
export const INTERNAL_URL = 'https://internal.provider.example/v9/engines'
export const ORGANISATION = 'org-Acme0Corp0Holding'
/** All of it in one sentence. */
export const PROVIDERS_WORDS = `Zugriff verweigert for ${ORGANISATION}: key ${SECRET} at ${INTERNAL_URL}`
/** Headers in the same spirit. */
export const PROVIDERS_HEADERS = {
  'openai-organization': ORGANISATION,
  'x-provider-endpoint': INTERNAL_URL,
  'set-cookie': `session=${SECRET}`,
}

/**
 * The three ways a request meets a provider: `whole` asks it for one body, `streamed` for a stream,
 * `gathered` for a stream that the caller gets as one body, because nothing limits its length.
 */
export type Mode = 'whole' | 'gathered' | 'streamed'
export const MODES: readonly Mode[] = ['whole', 'gathered', 'streamed']
/** The ways in which the provider is asked for a stream. */
export const STREAMS: readonly Mode[] = ['gathered', 'streamed']

const REQUESTS: Record<Mode, Readonly<Record<string, unknown>>> = {
  whole: { max_tokens: 20 },
  gathered: {},
  streamed: { max_tokens: 20, stream: true },
}

/** One way to misbehave, and what becomes of it. */
export interface Misbehaviour {
  /** What the provider does, as it reads after "a provider that …". */
  readonly provider: string
  readonly act: Act
  /** Default: all. */
  readonly modes?: readonly Mode[]
  readonly code: ErrorCode
  readonly param?: string
  readonly retryAfter?: string
  /** What the receipt calls the ending of the call. */
  readonly ending?: string
  /** How each attempt ended; retried ones are listed twice. */
  readonly attempts: readonly string[]
  /** The provider has begun an answer by then. Once text has come, a streamed answer has left for the caller. */
  readonly breaksOff?: 'before its text' | 'in its text'
  /** Connections that may stay open for the next request. Default: 0. */
  readonly keptAlive?: number
  /** Changes to the provider's configuration. */
  readonly acme?: ProviderChange
}

type ProviderChange = (provider: ScriptedProvider) => Readonly<Record<string, unknown>>

const RETRIED: ReadonlySet<string> = new Set(['connection', 'server'])

/** One test per case and mode: what holds for every failure of a provider (docs/routing.md#when-a-call-fails). */
export function testMisbehaviours(cases: readonly Misbehaviour[]): void {
  for (const misbehaviour of cases) {
    for (const mode of misbehaviour.modes ?? MODES) {
      const outcome =
        misbehaviour.breaksOff === 'in its text' && mode === 'streamed'
          ? `ends the stream with ${misbehaviour.code}`
          : `is a ${ERRORS[misbehaviour.code].status} ${misbehaviour.code}`
      test.concurrent(`${mode}: a provider that ${misbehaviour.provider} ${outcome} in our words and costs nothing`, () =>
        checkMisbehaviour(misbehaviour, mode))
    }
  }
}

async function checkMisbehaviour(misbehaviour: Misbehaviour, mode: Mode): Promise<void> {
  const { act, code, param = null, attempts, keptAlive = 0 } = misbehaviour
  await using world = await startMisbehaving(act, misbehaviour.acme)

  const response = await world.chat(REQUESTS[mode])
  expectNothingOfTheProvider(response, await response.clone().text())
  const begun = misbehaviour.breaksOff === 'in its text' && mode === 'streamed'
  const error = begun ? await errorEventOf(response) : await errorOf(response)
  expect(response.status).toBe(begun ? 200 : ERRORS[code].status)
  expect(error).toEqual({ code, type: ERRORS[code].type, param, message: error.message })
  if (misbehaviour.breaksOff && mode !== 'whole')
    expect(error.message).toStartWith("The model's provider interrupted its answer")
  expect(response.headers.get('retry-after')).toBe(begun ? null : (misbehaviour.retryAfter ?? null))

  await world.settled()
  await expectCostsNothing(world)
  const receipt = await receiptOf(world.operations, response.headers.get('x-request-id') ?? '')
  expect(receipt).toMatchObject({ charge_usd: '0.00', writeoff_usd: '0.00', lines: [] })
  // What was not seen by the caller may be tried again.
  const again = misbehaviour.breaksOff && !begun ? attempts.filter((kind) => RETRIED.has(kind)) : []
  expect(receipt.attempts.map(({ outcome }) => outcome)).toEqual([...attempts, ...again])
  expect(receipt.ending).toBe(
    misbehaviour.ending ?? (begun ? 'provider_failed' : 'provider_failed_before_answer'),
  )

  await world.provider.until(({ connectionsOpen }) => connectionsOpen <= keptAlive)
  await expectServesOn(world)
}

const ALL_IS_FORGOTTEN_MS = 60 * 60_000

/** Timeouts that no test waits for. */
export const PATIENT = { connect: '30s', first_event: '30s', whole: '30s', idle: '30s' }

/** A world whose only provider plays this act, with timeouts that a test can wait for. */
export function startMisbehaving(act: Act, change: ProviderChange = () => ({})): Promise<World> {
  return startWorld({
    provider: act,
    config: (provider) => {
      const { providers } = standardConfig(provider) as { providers: { acme: object } }
      return {
        providers: {
          acme: { ...providers.acme, timeouts: PATIENT, ...change(provider) },
        },
        models: [standardModel()],
      }
    },
  })
}

/** A stream that has begun and failed: its error, and nothing that could look like an end. */
async function errorEventOf(response: Response): Promise<ApiError> {
  const answer = await streamOf(response)
  expect(answer.done).toBe(false)
  expect(answer.chunks[0]?.choices[0]?.delta).toEqual({ role: 'assistant', content: '' })
  expect(answer.chunks.flatMap(({ choices }) => choices).every((c) => c.finish_reason === null)).toBe(true)
  // The error is the last thing said.
  expect(answer.events).toHaveLength(answer.chunks.length + 1)
  if (answer.error === undefined) throw new Error(`no error event in ${answer.text}`)
  expect(Object.keys(answer.error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
  return answer.error
}

/** Nothing of what the provider sent stands in body or headers. */
export function expectNothingOfTheProvider(response: Response, body: string): void {
  const headers = JSON.stringify([...response.headers])
  for (const trace of [
    SECRET,
    INTERNAL_URL,
    'internal.provider',
    ORGANISATION,
    'Zugriff',
    'provider-secret',
    'upstream-chat-1',
    'scripted',
    '<html',
  ]) {
    expect(body).not.toContain(trace)
    expect(headers).not.toContain(trace)
  }
}

async function expectCostsNothing(world: World): Promise<void> {
  const ledger = await world.ledger()
  expect(ledger.map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release'])
  expect(ledger[2]?.amount_usd).toBe(ledger[1]?.amount_usd)
  expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
}

/** The next request, and the one after, get their own answers: no bytes of the failed one are left on the way. */
async function expectServesOn(world: World): Promise<void> {
  if (world.provider.origin !== new URL(world.settings.providers.get('acme')?.provider.baseUrl ?? '').origin)
    return
  world.provider.play(streams('fine', ' again'))
  // Until then a credential that was refused, unpaid or limited is left alone.
  world.clock.advance(ALL_IS_FORGOTTEN_MS)
  const whole = await jsonOf(await world.chat({ max_tokens: 20 }))
  expect(whole['choices']).toMatchObject([{ message: { content: 'fine again' } }])
  const streamed = await streamOf(await world.chat({ max_tokens: 20, stream: true }))
  expect(contentOf(streamed)).toBe('fine again')
  expect(streamed.done).toBe(true)
}
