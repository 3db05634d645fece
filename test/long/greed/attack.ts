import type {
  CustomerOptions,
  GatewayProcess,
  ProcessCustomer,
  ProcessWorld,
} from '../../support/processWorld.ts'
import { type Act, type RecordedRequest, hang } from '../../support/scriptedProvider.ts'
import type { SeededRandom } from '../../support/seededRandom.ts'
import { type Heard, type Sending, send } from './callers.ts'
import type { Greed, Told } from './greed.ts'
import { MANNER_SHAPES, badManners } from './mannerShapes.ts'
import { ODD_SHAPES, oddCall } from './oddShapes.ts'
import { OUTPUT_SHAPES, muchOutput } from './outputShapes.ts'
import { PROMPT_SHAPES, hiddenPrompt } from './promptShapes.ts'
import { type Receipts, createReceipts } from './receipts.ts'
import { replyTo } from './replies.ts'

/** A call of the attack, and all that came of it. */
export interface Deed {
  readonly greed: Greed
  readonly mark: string
  readonly customer: GreedyCustomer
  readonly told: Told[]
  readonly heard: Heard[]
  readonly idempotent: boolean
  /** Of a stream of one caller, and from one call to its provider. */
  readonly receipts: Receipts | undefined
}

export interface GreedyCustomer extends ProcessCustomer {
  readonly balance: string
  /** Requests of its key that a window may let through. */
  readonly perWindow?: number
  /** Calls of its key at once. */
  readonly atOnce?: number
}

/** How many calls of the keys with few at once their provider has seen open together, by key. */
export interface Seen {
  readonly atOnceMost: Map<string, number>
}

const SHAPES: readonly (readonly [string, (shape: string, random: SeededRandom) => Greed])[] = [
  ...Object.keys(PROMPT_SHAPES).map((shape) => [shape, hiddenPrompt] as const),
  ...Object.keys(OUTPUT_SHAPES).map((shape) => [shape, muchOutput] as const),
  ...Object.keys(MANNER_SHAPES).map((shape) => [shape, badManners] as const),
  ...ODD_SHAPES.map((shape) => [shape, oddCall] as const),
]
/** Pays hardly one call. */
const BALANCE_LEAST = '0.0005'
const BALANCES = ['0.002', '0.005', '0.01', '0.02', '0.05'] as const
const PER_WINDOW = 10
const AT_ONCE = 3
const MARK = /call-\d+-\d+/

/** Attacks with every shape at once, by customers of tiny balances of their own. */
export async function attack(
  world: ProcessWorld,
  random: SeededRandom,
  terms: { readonly round: number; readonly callsEach: number; readonly waves: number },
): Promise<{ readonly deeds: readonly Deed[]; readonly seen: Seen }> {
  const customers: [GreedyCustomer, ...GreedyCustomer[]] = await Promise.all([
    customerOf(world, { balance: BALANCE_LEAST }),
    ...BALANCES.map((balance) => customerOf(world, { balance })),
    customerOf(
      world,
      { balance: '0.05', workspace: { requests_per_minute: PER_WINDOW } },
      { perWindow: PER_WINDOW },
    ),
    customerOf(
      world,
      { balance: '0.05', key: { requests_per_minute: PER_WINDOW } },
      { perWindow: PER_WINDOW },
    ),
    customerOf(world, { balance: '0.05', key: { requests_per_day: PER_WINDOW } }, { perWindow: PER_WINDOW }),
  ])
  const few = await customerOf(
    world,
    { balance: '0.05', key: { concurrent_requests: AT_ONCE } },
    { atOnce: AT_ONCE },
  )
  const deeds: Deed[] = []
  const seen: Seen = { atOnceMost: new Map() }
  const asked = new Map<string, PromiseWithResolvers<void>>()
  const byMark = new Map<string, Deed>()
  const open = new Map<string, number>()
  world.provider.play((request) => actFor(request, byMark, asked, open, seen))

  for (let wave = 0; wave < terms.waves; wave++) {
    const calls = SHAPES.flatMap(([shape, make]) =>
      Array.from({ length: terms.callsEach }, () => make(shape, random)),
    )
    await Promise.all(
      shuffled(calls, random).map(async (greed) => {
        const mark = `call-${terms.round}-${deeds.length}`
        const customer = greed.steady ? few : random.pick(customers)
        const callers = greed.callers ?? 1
        const gateways = Array.from({ length: callers }, () => processOf(world, random))
        const deed: Deed = {
          greed,
          mark,
          customer,
          told: [],
          heard: [],
          idempotent: callers > 1,
          receipts: callers === 1 && isOneStream(greed) ? createReceipts() : undefined,
        }
        deeds.push(deed)
        byMark.set(mark, deed)
        const reached = Promise.withResolvers<void>()
        asked.set(mark, reached)
        const key = callers > 1 ? { idempotencyKey: mark } : {}
        const sendings = gateways.map((gateway): Sending => ({
          greed,
          mark,
          customer,
          gateway,
          ...key,
          asked: reached.promise,
          receipts: deed.receipts,
        }))
        deed.heard.push(...(await Promise.all(sendings.map(send))))
      }),
    )
  }
  return { deeds, seen }
}

async function customerOf(
  world: ProcessWorld,
  options: CustomerOptions & { readonly balance: string },
  bounds: Pick<GreedyCustomer, 'perWindow' | 'atOnce'> = {},
): Promise<GreedyCustomer> {
  return { ...(await world.createCustomer(options)), balance: options.balance, ...bounds }
}

function actFor(
  { text }: RecordedRequest,
  deeds: ReadonlyMap<string, Deed>,
  asked: ReadonlyMap<string, PromiseWithResolvers<void>>,
  open: Map<string, number>,
  { atOnceMost }: Seen,
): Act {
  const mark = MARK.exec(text)?.[0] ?? ''
  const deed = deeds.get(mark)
  if (!deed) throw new Error(`nobody sent this: ${text.slice(0, 500)}`)
  const { greed, told, customer, receipts } = deed
  const reply = replyTo(greed, told, receipts)
  return {
    async play(turn) {
      asked.get(mark)?.resolve()
      if (greed.manner.kind === 'leaves_asked') return hang().play(turn)
      if (customer.atOnce === undefined) return reply.play(turn)
      const count = (open.get(customer.keyId) ?? 0) + 1
      open.set(customer.keyId, count)
      atOnceMost.set(customer.keyId, Math.max(count, atOnceMost.get(customer.keyId) ?? 0))
      // Before the last byte is written: whoever reads it is free to call again.
      await new Promise((resolve) => setImmediate(resolve))
      open.set(customer.keyId, (open.get(customer.keyId) ?? 0) - 1)
      await reply.play(turn)
    },
  }
}

function isOneStream({ body, model }: Greed): boolean {
  return body['stream'] === true && !model.parallel
}

function processOf({ processes }: ProcessWorld, random: SeededRandom): GatewayProcess {
  const process = processes[random.integer(0, processes.length - 1)]
  if (!process) throw new Error('no process runs')
  return process
}

function shuffled<Item>(items: readonly Item[], random: SeededRandom): Item[] {
  return items
    .map((item) => ({ item, at: random.next() }))
    .toSorted((a, b) => a.at - b.at)
    .map(({ item }) => item)
}
