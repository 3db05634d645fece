import { describe, expect, test } from 'bun:test'
import type { ReceiptDetailView } from '../../../src/operations/receipt.ts'
import { hang } from '../../support/scriptedProvider.ts'
import { TEST_LIMIT_MS } from '../../support/scale.ts'
import { type World, standardConfig, standardModel, startWorld } from '../../support/world.ts'
import {
  COUNTED_HELLO_WORLD,
  COUNTED_PROMPT,
  cost,
  expectLinesExplainCharge,
  nanoOf,
  openStream,
  receiptOf,
  startRequest,
  usd,
} from './purse.ts'
import type { Told } from './told.ts'
import { toldInAnthropic } from './toldInAnthropic.ts'
import { toldInOpenai } from './toldInOpenai.ts'
import { toldInResponses } from './toldInResponses.ts'

/** Callers of other formats pay for an answer what a caller of chat completions pays for the same. */

/** Who asks: an endpoint, and how a question with a limit of the answer is written there. */
export interface Asker {
  readonly path: string
  ask(question: string, limit: number): Record<string, unknown>
}

const CHAT: Asker = {
  path: '/v1/chat/completions',
  ask: (content, limit) => ({ messages: [{ role: 'user', content }], max_tokens: limit }),
}

interface Case extends Told {
  readonly name: string
  /** Of an answer that is streamed, and of one that is whole; undefined: nothing. */
  readonly charge: { readonly streamed: string | undefined; readonly whole: string | undefined }
  /** The caller hangs up behind "Hello", or while the whole answer is made. */
  readonly leaves?: true
  /** What comes after it may be otherwise. */
  readonly apart?: true
}

const HELLO = { texts: ['Hello', ' world'], finish: 'stop' } as const
const PLAIN = { prompt: 100, completion: 40 }
const PRICES = { input: 0.5, output: 1.5, cached_input: 0.25, cache_write: 0.625 }
const PLAIN_COST = cost(100, 40)

const CASES: readonly Case[] = [
  { ...HELLO, name: 'plain usage', usage: PLAIN, charge: both(PLAIN_COST) },
  { ...HELLO, name: 'a cache read', usage: { ...PLAIN, cached: 60 }, charge: both(usd(95_000n)) },
  { ...HELLO, name: 'a cache written', usage: { ...PLAIN, written: 60 }, charge: both(usd(117_500n)) },
  {
    ...HELLO,
    name: 'reasoning',
    thought: 'Hm.',
    usage: { ...PLAIN, thoughts: 30 },
    charge: both(PLAIN_COST),
  },
  { ...HELLO, name: 'no usage report', charge: both(cost(COUNTED_PROMPT, COUNTED_HELLO_WORLD)) },
  {
    ...HELLO,
    name: 'an implausible report',
    usage: { ...PLAIN, prompt: 10_000_000 },
    charge: both(cost(COUNTED_PROMPT, 40)),
  },
  { ...HELLO, name: 'a cut by max_tokens', finish: 'length', usage: PLAIN, charge: both(PLAIN_COST) },
  {
    ...HELLO,
    name: 'a caller who leaves',
    breaks: hang(),
    leaves: true,
    apart: true,
    charge: { streamed: cost(COUNTED_PROMPT, 2), whole: cost(COUNTED_PROMPT, 0) },
  },
  {
    ...HELLO,
    name: 'malformed output',
    finish: 'malformed_function_call',
    usage: PLAIN,
    apart: true,
    charge: { streamed: PLAIN_COST, whole: undefined },
  },
  { ...HELLO, name: 'a content policy', finish: 'content_filter', usage: PLAIN, charge: both(PLAIN_COST) },
  {
    ...HELLO,
    name: 'an error of the provider',
    usage: PLAIN,
    breaks: 'error',
    apart: true,
    charge: both(undefined),
  },
]

/** The script of a provider, by its format. */
const TOLD_IN = {
  'openai-chat': toldInOpenai,
  'anthropic-messages': toldInAnthropic,
  'openai-responses': toldInResponses,
} as const
type Wire = keyof typeof TOLD_IN
const MODES = ['streamed', 'whole'] as const
type Mode = (typeof MODES)[number]

/** What one call leaves in the books. */
interface Booked {
  readonly ledger: readonly { kind: string; amount_usd: string }[]
  readonly receipt: Pick<
    ReceiptDetailView,
    'usage' | 'lines' | 'charge_usd' | 'writeoff_usd' | 'hold_usd' | 'ending'
  >
}

function both(charge: string | undefined): Case['charge'] {
  return { streamed: charge, whole: charge }
}

function startTelling(wire: Wire, told: Told, balance = '10'): Promise<World> {
  return startWorld({
    balance,
    provider: TOLD_IN[wire](told),
    config(scripted) {
      const config = standardConfig(scripted)
      const { acme } = config['providers'] as { acme: object }
      return {
        ...config,
        providers: { acme: { ...acme, wire } },
        models: [standardModel({ our_price: PRICES, max_output_tokens: 64_000 })],
      }
    },
  })
}

/** Asks, and says what the call left in the books. */
async function book(world: World, asker: Asker, mode: Mode, limit = 100, leaves = false): Promise<Booked> {
  const { path } = asker
  const body = {
    model: 'acme/chat-1',
    // Openers of streams write a question of chat completions where there is none.
    messages: undefined,
    ...asker.ask('Say hello', limit),
    stream: mode === 'streamed',
  }
  const lines = (await world.ledger()).length
  const calls = (await world.operations.requests({})).data.map(({ id }) => id)
  if (!leaves) {
    await (await world.request('POST', path, body)).text()
  } else if (body.stream) {
    const caller = await openStream(world, body, {}, path)
    await caller.until('world')
    caller.leave()
  } else {
    const caller = startRequest(world, body, {}, path)
    await world.provider.request()
    caller.leave()
    expect(await caller.outcome).toBe('left')
  }
  await world.settled()
  const { data } = await world.operations.requests({})
  const [made] = data.filter(({ id }) => !calls.includes(id))
  const receipt = await receiptOf(world, made?.id ?? '')
  expectLinesExplainCharge(receipt)
  const { usage, lines: explained, charge_usd, writeoff_usd, hold_usd, ending } = receipt
  return {
    // How a hold grows depends on how the bytes arrive; what it came to is released.
    ledger: (await world.ledger()).slice(lines).filter(({ kind }) => kind !== 'extend'),
    receipt: { usage, lines: explained, charge_usd, writeoff_usd, hold_usd, ending },
  }
}

function expectSame([chat, other]: readonly Booked[]): Booked {
  if (chat === undefined || other === undefined) throw new Error('two callers ask')
  expect(other).toEqual(chat)
  return other
}

function chargesIn({ ledger }: Booked): string[] {
  return ledger.filter(({ kind }) => kind === 'charge').map(({ amount_usd }) => amount_usd)
}

function expectCharge(booked: Booked, charge: string | undefined): void {
  expect(chargesIn(booked)).toEqual(charge === undefined ? [] : [charge])
}

/**
 * Holds what a caller pays against what a caller of chat completions pays, over each of these formats of the provider.
 *
 * @param title of the caller's format
 */
export function testCharges(title: string, other: Asker, wires: readonly Wire[]): void {
  const askers = [CHAT, other]

  /** Both callers in a world of their own each: what fails, or is left, may change what comes after it. */
  function bookApart(
    wire: Wire,
    told: Case,
    mode: Mode,
    limit?: number,
    balance?: string,
  ): Promise<Booked[]> {
    return Promise.all(
      askers.map(async (asker) => {
        await using world = await startTelling(wire, told, balance)
        return await book(world, asker, mode, limit, told.leaves)
      }),
    )
  }

  describe.each(wires)(`over %s, ${title} is charged as the same chat is, streamed and whole`, (wire) => {
    for (const each of CASES.filter(({ apart }) => !apart)) {
      test.concurrent(
        each.name,
        async () => {
          await using world = await startTelling(wire, each)
          for (const mode of MODES) {
            const books: Booked[] = []
            for (const asker of askers) books.push(await book(world, asker, mode))
            expectCharge(expectSame(books), each.charge[mode])
          }
        },
        TEST_LIMIT_MS,
      )
    }

    for (const each of CASES.filter(({ apart }) => apart)) {
      test.concurrent.each(MODES)(
        `${each.name}, %s`,
        async (mode) => {
          expectCharge(expectSame(await bookApart(wire, each, mode)), each.charge[mode])
        },
        TEST_LIMIT_MS,
      )
    }

    test.concurrent.each(MODES)(
      'a cut by the balance, %s',
      async (mode) => {
        const texts = Array.from({ length: 3_000 }, () => 'word word word word ')
        const told: Case = { ...HELLO, name: 'long', texts, charge: both(undefined) }
        const { receipt } = expectSame(await bookApart(wire, told, mode, 64_000, '0.01'))
        expect(receipt.ending).toBe('hold_exhausted')
        expect(nanoOf(receipt.charge_usd)).toBeGreaterThan(5_000_000n)
      },
      TEST_LIMIT_MS,
    )
  })
}
