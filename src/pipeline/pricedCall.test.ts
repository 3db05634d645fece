import { describe, expect, test } from 'bun:test'
import { openaiChunk, sse } from '../../test/support/scriptedProvider.ts'
import { LARGE_BODY_BYTES } from '../core/bodyWeight.ts'
import { GatewayError } from '../core/error.ts'
import type { IdSource, RequestId } from '../core/id.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { ZERO, nano } from '../core/money.ts'
import type { Answers, ClaimVerdict } from '../core/ports/answers.ts'
import { type AdmissionVerdict, OutcomeUnknown, StoreUnavailable, type Till } from '../core/ports/till.ts'
import { type BodySink, CallAborted, type HttpClient, type HttpResponse } from '../upstream/http.ts'
import { createRouter } from '../upstream/routing/createRouter.ts'
import { createStreamRefusals } from '../upstream/streamRefusals.ts'
import { testModel, testRoute } from '../../test/support/testRoute.ts'
import { resolveCatalog } from '../catalog/catalog.ts'
import { openAiChat } from '../wire/openai-chat/openAiChat.ts'
import { KEY_CACHE_MS } from './authenticate/authenticate.ts'
import { createAnswerBudget } from '../upstream/answerBudget.ts'
import { type BodyOwner, createBodyBudget } from './authenticate/bodyBudget.ts'
import { chatIn } from './chat/chat.ts'
import { pricedCall } from './pricedCall.ts'
import type { PipelineDeps } from './deps.ts'
import { createLiveCalls } from './liveCalls.ts'
import { createOutstandingSettlements } from './settle/outstanding.ts'
import { createPlanCatalog } from './plan/planCatalog.ts'
import type { Exchange, Reply } from './reply.ts'
import { SETTLEMENT_PATIENCE_MS } from './settle/settle.ts'
import { NOON, callerWith } from '../../test/support/testPlan.ts'
import { createUsedUpWindows } from './authenticate/usedUpWindows.ts'

const MODEL = testModel()
const FAULT = new TypeError('nobody foresaw this')
const BYTES = new TextEncoder()
const ID = 'chatcmpl-1' as RequestId
const RATE = { name: 'key_minute', limit: 10, remaining: 9, resetAt: NOON + 60_000 } as const
const BALANCE = nano(1_000_000_000_000n)

/** The three ways to an answer: asked for whole, streamed from the provider and collected, streamed to the caller. */
const SHAPES = {
  whole: { max_tokens: 20 },
  collected: {},
  streamed: { stream: true },
} as const
type Shape = keyof typeof SHAPES

const FIRST = sse(openaiChunk({ role: 'assistant', content: 'Hello' }))
const LAST =
  sse(openaiChunk({ content: ' world' })) + sse(openaiChunk({}, { finishReason: 'stop' })) + sse('[DONE]')
const WHOLE = JSON.stringify({
  id: 'x',
  object: 'chat.completion',
  created: 0,
  model: 'm',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello world' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
})

/** One request in a gateway of which every part can be replaced, and what the request owns at every moment. */
function createWorld(shape: Shape) {
  const clock = { at: NOON }
  /** What was given back, and what ends a hold, in order. */
  const log: string[] = []
  const owned = { holds: new Set<string>(), keys: new Set<string>(), streams: new Set<HttpResponse>() }
  const caller = new AbortController()
  const provider = { hangs: false }

  const till = {
    admit: ({ hold, id }): Promise<AdmissionVerdict> => {
      if (!hold) return Promise.resolve({ kind: 'admitted', rate: RATE })
      owned.holds.add(id)
      const amount = hold.most
      return Promise.resolve({ kind: 'admitted', rate: RATE, hold: { amount, affordable: BALANCE } })
    },
    extend: () => Promise.resolve({ kind: 'extended', amount: ZERO }),
    settle({ id, cost, answer }) {
      // A kept answer takes the place of the claim.
      if (answer) owned.keys.delete(answer.idempotencyKey)
      log.push(owned.holds.delete(id) ? 'settled' : 'settled without a hold')
      return Promise.resolve({ charge: cost, writeoff: ZERO, balance: BALANCE })
    },
  } as Pick<Till, 'admit' | 'extend' | 'settle'>
  const answers = {
    claim({ idempotencyKey }) {
      owned.keys.add(idempotencyKey)
      return Promise.resolve({ kind: 'claimed' })
    },
    free(_, idempotencyKey) {
      log.push(owned.keys.delete(idempotencyKey) ? 'key freed' : 'key freed again')
      return Promise.resolve()
    },
  } as Pick<Answers, 'claim' | 'free'>
  const http: HttpClient = {
    request({ body, onSent, signal }) {
      if (signal?.aborted) return Promise.reject(new CallAborted())
      onSent?.()
      return Promise.resolve(answerTo(JSON.parse(String(body)) as JsonObject))
    },
    close: () => undefined,
  }

  function answerTo({ stream }: JsonObject): HttpResponse {
    let sink: BodySink | undefined
    let started = false
    const response: HttpResponse = {
      status: 200,
      headers: new Map([['content-type', stream ? 'text/event-stream' : 'application/json']]),
      consume(to) {
        sink = to
        to.data(BYTES.encode(stream ? FIRST : WHOLE))
        if (!stream) end()
      },
      pause: () => undefined,
      // The rest of a stream follows when its first event has been taken.
      resume() {
        if (started || !owned.streams.has(response)) return
        started = true
        if (provider.hangs) return
        sink?.data(BYTES.encode(LAST))
        end()
      },
      firstEventSeen: () => undefined,
      spoken: () => undefined,
      abort: () => void owned.streams.delete(response),
    }
    function end(): void {
      if (owned.streams.delete(response)) sink?.end()
    }
    owned.streams.add(response)
    return response
  }

  const bodies = createBodyBudget(
    () => ({
      process: 64 * LARGE_BODY_BYTES,
      workspace: 64 * LARGE_BODY_BYTES,
      key: 64 * LARGE_BODY_BYTES,
    }),
    () => undefined,
  )
  const route = testRoute({ name: 'a', model: MODEL, http })
  const router = createRouter({ now: () => clock.at, random: () => 0.5 })
  router.keep([route])
  const deps = {
    store: { till, answers },
    authenticator: { authenticate: () => Promise.resolve(callerWith()), forget: () => undefined },
    catalog: () => createPlanCatalog(resolveCatalog([MODEL]), () => [route], new Set(['a'])),
    router,
    authorize: () => ({}),
    tokens: { count: () => Promise.resolve(3) },
    ids: {} as IdSource,
    calls: createLiveCalls((error) => {
      throw error
    }),
    outstanding: createOutstandingSettlements(),
    veil: (text: string) => text,
    streamRefusals: createStreamRefusals(() => clock.at),
    bodies: {
      ...bodies,
      open: (owner: BodyOwner) => {
        const share = bodies.open(owner)
        return {
          take: share.take,
          hasRoom: share.hasRoom,
          fits: share.fits,
          get bytes() {
            return share.bytes
          },
          release() {
            if (share.bytes > 0) log.push('room freed')
            share.release()
          },
        }
      },
    },
    answers: createAnswerBudget(
      () => LARGE_BODY_BYTES,
      () => undefined,
    ),
    holds: () => 'full',
    usedUp: createUsedUpWindows(),
    events: {
      attemptFailed: () => undefined,
      tokenCountFailed: () => undefined,
      answerFailed: () => undefined,
      settled: () => undefined,
      settlementDelayed: () => undefined,
      gatewayFailed: () => undefined,
      usageRejected: () => undefined,
      outputExceeded: () => undefined,
      unknownFinish: () => undefined,
      conversation: () => undefined,
    },
    now: () => clock.at,
    random: () => 0.5,
    ownTurn: () => Promise.resolve(),
    sleep: (ms: number) => {
      clock.at += ms
      return Promise.resolve()
    },
  } as unknown as PipelineDeps
  const exchange: Exchange = {
    id: ID,
    rate: undefined,
    headers: {},
    caller: undefined,
    model: undefined,
    holds: false,
  }
  const json: Json = { model: MODEL.id, messages: [{ role: 'user', content: 'Hi' }], ...SHAPES[shape] }
  const incoming = {
    headers: new Headers(),
    credentials: { authorization: 'Bearer tg_x', apiKey: null },
    idempotencyKey: 'order-7' as string | null,
    bodyBytes: LARGE_BODY_BYTES,
    signal: caller.signal,
    body: ({ take }: { take(bytes: number): boolean }) => {
      expect(take(LARGE_BODY_BYTES)).toBe(true)
      return Promise.resolve({ ok: true as const, json, bytes: LARGE_BODY_BYTES, hash: 'h' })
    },
  }
  return {
    shape,
    clock,
    log,
    owned,
    provider,
    till,
    answers,
    http,
    deps,
    router,
    incoming,
    format: { ...openAiChat.server },
    /** What happens between a stream's first bytes and its caller's reading on. */
    meanwhile: (): void => undefined,
    neverReads: false,
    /** How often the part that was broken has failed. */
    hits: 0,
    leave: () => caller.abort(),
    bodyBytes: () => bodies.bytes,
    exchange,
  }
}
type World = ReturnType<typeof createWorld>

interface Failing {
  readonly fault?: Error
  /** The first call that fails, and the last; default: all. */
  readonly from?: number
  readonly until?: number
  readonly before?: () => void
}

/** Replaces a part by one that fails. */
function breakPart<Part extends object>(
  world: World,
  part: Part,
  name: keyof Part,
  when: Failing = {},
): void {
  const { fault = FAULT, from = 1, until = Number.POSITIVE_INFINITY, before } = when
  const real = part[name] as (...args: unknown[]) => unknown
  let calls = 0
  const broken = (...args: unknown[]): unknown => {
    calls += 1
    if (calls < from || calls > until) return real(...args)
    world.hits += 1
    if (name === 'settle') world.log.push('not settled')
    before?.()
    throw fault
  }
  ;(part as Record<keyof Part, unknown>)[name] = broken
}

/** Lives through a request to its end. Returns what its caller got: the text of the answer, or the error. */
async function run(world: World): Promise<{ text: string; error: unknown }> {
  const { exchange, incoming, format, deps } = world
  let text = ''
  let error: unknown
  try {
    const reply: Reply = await pricedCall(
      chatIn({ id: 'openai-chat', server: format }),
      exchange,
      incoming,
      deps,
    )
    if (reply.kind === 'whole') text = reply.body
    else if (world.neverReads) world.meanwhile()
    else {
      const read = reply.body.start({ write: (piece) => void (text += piece), end: () => undefined })
      await turn()
      world.meanwhile()
      await read
    }
  } catch (cause) {
    error = cause
  }
  for (let turns = 0; turns < 20 && !isOver(world); turns++) await turn()
  return { text, error }
}

function turn(): Promise<void> {
  return new Promise((resolve) => void setImmediate(resolve))
}

function isOver({ deps }: World): boolean {
  return deps.calls.size === 0 && deps.outstanding.list().length === 0
}

/** Everything is back, each thing once, and nothing was given back before its settlement was known. */
function expectAllGivenBack({ deps, owned, log, bodyBytes, exchange }: World): void {
  expect(bodyBytes()).toBe(0)
  expect([...owned.keys]).toEqual([])
  expect([...owned.holds]).toEqual([])
  expect(owned.streams.size).toBe(0)
  expect(isOver({ deps } as World)).toBe(true)
  expect(log.filter((entry) => entry === 'room freed').length).toBeLessThan(2)
  expect(log.filter((entry) => entry === 'key freed').length).toBeLessThan(2)
  expect(log.filter((entry) => entry === 'settled')).toHaveLength(exchange.holds ? 1 : 0)
  expect(log).not.toContain('key freed again')
  expect(log).not.toContain('settled without a hold')
  if (exchange.holds) expect(log[0]).toBeOneOf(['settled', 'not settled'])
}

const ONCE = { until: 1 }
const AWAY = new StoreUnavailable('scripted')
const DOUBT = new OutcomeUnknown('scripted')
const REFUSED = {
  kind: 'insufficient_balance',
  rate: RATE,
  needed: nano(2n),
  available: nano(1n),
  affordable: nano(1n),
} as const
const ALL: readonly Shape[] = ['whole', 'collected', 'streamed']

/** @param holds whether the request owns a hold by then */
interface Step {
  readonly holds: boolean
  readonly shapes?: readonly Shape[]
  readonly break: (world: World) => void
}

const THROWING: Record<string, Step> = {
  'reading its body': { holds: false, break: (world) => breakPart(world, world.incoming, 'body') },
  'looking its key up again': {
    holds: false,
    break(world) {
      const { body } = world.incoming
      world.incoming.body = (share) => {
        world.clock.at += KEY_CACHE_MS
        return body(share)
      }
      breakPart(world, world.deps.authenticator, 'authenticate', { from: 2 })
    },
  },
  'waiting for a turn': { holds: false, break: (world) => breakPart(world, world.deps, 'ownTurn') },
  'decoding it': { holds: false, break: (world) => breakPart(world, world.format, 'decodeRequest') },
  'planning it': { holds: false, break: (world) => breakPart(world, world.deps, 'catalog') },
  'claiming its key': {
    holds: false,
    break: (world) => breakPart(world, world.answers, 'claim', { fault: AWAY }),
  },
  'computing its hold': { holds: false, break: (world) => breakPart(world, world.deps, 'holds') },
  'admitting it': {
    holds: false,
    break: (world) => breakPart(world, world.till, 'admit', { fault: AWAY }),
  },
  'a refusal for want of money': {
    holds: false,
    break(world) {
      const { till } = world
      const real = till.admit
      till.admit = (admission) => {
        if (!admission.hold) return real(admission)
        world.hits += 1
        return Promise.resolve({ ...REFUSED, heldByOthers: false })
      }
    },
  },
  'waiting for another turn': {
    holds: true,
    break: (world) => breakPart(world, world.deps, 'ownTurn', { from: 2 }),
  },
  'ordering its routes': { holds: true, break: (world) => breakPart(world, world.router, 'order') },
  'signing its call': { holds: true, break: (world) => breakPart(world, world.deps, 'authorize') },
  'calling its provider': { holds: true, break: (world) => breakPart(world, world.http, 'request') },
  'noting its answer': { holds: true, break: (world) => breakPart(world, world.router, 'answered') },
  'opening the encoder': {
    holds: true,
    shapes: ['streamed'],
    break: (world) => breakPart(world, world.format, 'encodeStream'),
  },
  'encoding its answer': {
    holds: true,
    shapes: ['whole', 'collected'],
    break: (world) => breakPart(world, world.format, 'encodeResponse'),
  },
  'encoding an event': {
    holds: true,
    shapes: ['streamed'],
    break(world) {
      const { encodeStream } = world.format
      world.format.encodeStream = (envelope) => {
        const encoder = { ...encodeStream(envelope) }
        breakPart(world, encoder, 'push')
        return encoder
      }
    },
  },
  'encoding the end': {
    holds: true,
    shapes: ['streamed'],
    break(world) {
      const { encodeStream } = world.format
      world.format.encodeStream = (envelope) => {
        const encoder = { ...encodeStream(envelope) }
        breakPart(world, encoder, 'end')
        return encoder
      }
    },
  },
  'settling it': { holds: true, break: (world) => breakPart(world, world.till, 'settle', ONCE) },
  'settling it at a store that is away': {
    holds: true,
    break: (world) =>
      breakPart(world, world.till, 'settle', { ...ONCE, fault: AWAY, before: outlast(world) }),
  },
  'settling it at a store that does not say whether it has': {
    holds: true,
    break: (world) =>
      breakPart(world, world.till, 'settle', { ...ONCE, fault: DOUBT, before: outlast(world) }),
  },
}

const LEAVING: Record<string, Step> = {
  'while its provider works': {
    holds: true,
    break: (world) =>
      breakPart(world, world.http, 'request', { fault: new CallAborted(), before: world.leave }),
  },
  'while its answer is collected': {
    holds: true,
    shapes: ['collected'],
    break(world) {
      world.provider.hangs = true
      const { answered } = world.router
      world.router.answered = (...args) => {
        answered(...args)
        world.hits += 1
        setImmediate(() => leaveForGood(world))
      }
    },
  },
  'in the middle of its stream': {
    holds: true,
    shapes: ['streamed'],
    break(world) {
      world.provider.hangs = true
      world.meanwhile = () => {
        world.hits += 1
        leaveForGood(world)
      }
    },
  },
  'before its stream begins': {
    holds: true,
    shapes: ['streamed'],
    break(world) {
      world.neverReads = true
      world.meanwhile = () => {
        world.hits += 1
        world.leave()
      }
    },
  },
  'without a word, before its stream begins': {
    holds: true,
    shapes: ['streamed'],
    break(world) {
      world.neverReads = true
      world.meanwhile = () => {
        world.hits += 1
        world.clock.at += 60_000
        world.deps.calls.tick(world.clock.at)
      }
    },
  },
}

/** Leaves, and waits as long as a report of what was said is awaited. */
function leaveForGood(world: World): void {
  world.leave()
  world.clock.at += 2_000
  world.deps.calls.tick(world.clock.at)
}

function outlast({ clock }: World): () => void {
  return () => void (clock.at += SETTLEMENT_PATIENCE_MS)
}

function casesOf(steps: Record<string, Step>): (readonly [string, Shape, boolean, Step])[] {
  return Object.entries(steps).flatMap(([name, step]) =>
    (step.shapes ?? ALL).flatMap((shape) =>
      [true, false].map((withKey) => [name, shape, withKey, step] as const),
    ),
  )
}

async function ended(shape: Shape, withKey: boolean, step: Step) {
  const world = createWorld(shape)
  if (!withKey) world.incoming.idempotencyKey = null
  step.break(world)
  const result = await run(world)
  expect(world.exchange.holds).toBe(step.holds)
  expectAllGivenBack(world)
  return { world, ...result }
}

describe('whatever throws, everything is given back', () => {
  test.each(casesOf(THROWING))('%s (%s, with Idempotency-Key: %p)', async (name, shape, withKey, step) => {
    if (name === 'claiming its key' && !withKey) return
    const { world, text, error } = await ended(shape, withKey, step)
    expect(world.hits).toBeGreaterThan(0)
    if (shape === 'streamed' && error === undefined) expect(text).toContain('"error"')
    else expect(error).toBeInstanceOf(Error)
  })
})

describe('whoever leaves, everything is given back', () => {
  test.each(casesOf(LEAVING))('%s (%s, with Idempotency-Key: %p)', async (_, shape, withKey, step) => {
    const { world } = await ended(shape, withKey, step)
    expect(world.hits).toBeGreaterThan(0)
  })
})

describe('a request whose Idempotency-Key another call has gives everything back', () => {
  const WAITS = { kind: 'running', id: ID } as const
  const VERDICTS: Record<string, readonly ClaimVerdict[]> = {
    'and has answered': [{ kind: 'kept', id: ID, contentType: 'application/json', body: '{}' }],
    'with another body': [{ kind: 'conflict' }],
    'and answers meanwhile': [WAITS, { kind: 'kept', id: ID, contentType: 'application/json', body: '{}' }],
    'and frees meanwhile, so that this one claims it': [WAITS, { kind: 'claimed' }],
  }
  test.each(Object.entries(VERDICTS))('%s', async (_, verdicts) => {
    const world = createWorld('whole')
    const { claim } = world.answers
    const left = [...verdicts]
    world.answers.claim = (asked) => {
      const verdict = left.shift()
      return verdict && verdict.kind !== 'claimed' ? Promise.resolve(verdict) : claim(asked)
    }
    const { text, error } = await run(world)
    expect(left).toEqual([])
    expect(world.exchange.holds).toBe(false)
    if (verdicts.at(-1)?.kind === 'kept') expect(text).toBe('{}')
    else expect(error).toBeInstanceOf(GatewayError)
    expectAllGivenBack(world)
    expect(world.log.filter((entry) => entry === 'key freed')).toHaveLength(
      verdicts.at(-1)?.kind === 'claimed' ? 1 : 0,
    )
  })
})

test.each(ALL)('an answer that is kept keeps its key, and gives everything else back (%s)', async (shape) => {
  const world = createWorld(shape)
  const { text, error } = await run(world)
  expect(error).toBeUndefined()
  expect(text).toContain('Hello')
  expectAllGivenBack(world)
  expect(world.log).toEqual(['settled', 'room freed'])
})
