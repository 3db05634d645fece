import { expect } from 'bun:test'
import { integer, openInspector } from '../support/inspector.ts'
import type { ProcessCustomer, ProcessWorld } from '../support/processWorld.ts'
import { answers, openaiUsage, pause } from '../support/scriptedProvider.ts'
import type { SeededRandom } from '../support/seededRandom.ts'

/** How many callers ask at the same time. */
export const CALLERS = 12
/** What each customer of the load begins with. */
export const LOAD_BALANCE_USD = '1000'
const LOAD_BALANCE_NANO = 1_000_000_000_000n
/** A caller whose process does not answer tries another one after this long. */
const CALLER_PAUSE_MS = 5
/** 10 + 20 tokens at the prices of the standard configuration. */
export const CHARGE_NANO = 10n * 500n + 20n * 1_500n
const POLL_MS = 20

/** Slow enough to be caught in the middle of an answer. */
export const LOAD_SCRIPT = answers({
  pieces: ['Hello', pause(10), ' wonderful', pause(10), ' world'],
  usage: openaiUsage(10, 20),
})

export interface Load {
  /** Ids of the calls that were answered whole, as their callers saw it. */
  readonly answered: ReadonlySet<string>
  /** Ids of the calls that were refused or ended with an error, and how. */
  readonly refused: ReadonlyMap<string, string>
  /** Calls whose connection broke. */
  broken(): number
  /** Resolves when so many have been answered. */
  reach(answered: number): Promise<void>
  stop(): Promise<void>
}

/** Callers that ask one process or another, over and over, and remember what became of it. */
export function startLoad(
  world: ProcessWorld,
  customers: readonly ProcessCustomer[],
  random: SeededRandom,
): Load {
  const answered = new Set<string>()
  const refused = new Map<string, string>()
  let broken = 0
  const state = { running: true }
  let wake: () => void = () => undefined

  async function call(): Promise<void> {
    const process = world.processes[random.integer(0, world.processes.length - 1)]
    const customer = customers[random.integer(0, customers.length - 1)]
    if (!process || !customer) throw new Error('nobody to call')
    const stream = random.chance(0.5)
    const body = { stream, ...(random.chance(0.5) && { max_tokens: 50 }) }
    let answer: { status: number; id: string; text: string }
    try {
      const response = await world.chat(process, customer.secret, body)
      const { status, headers } = response
      answer = { status, id: headers.get('x-request-id') ?? '', text: await response.text() }
    } catch {
      // The process died under the call: nothing was answered.
      broken++
      await Bun.sleep(CALLER_PAUSE_MS)
      return
    }
    const { status, id, text } = answer
    if (status !== 200) refused.set(id, String(status))
    else if (isWhole(text, stream)) answered.add(id)
    else if (text.includes('"error"')) refused.set(id, 'error event')
    else broken++
  }

  const callers = Array.from({ length: CALLERS }, async () => {
    while (state.running) {
      await call()
      wake()
    }
  })

  return {
    answered,
    refused,
    broken: () => broken,
    async reach(count) {
      while (answered.size < count) await new Promise<void>((resolve) => (wake = resolve))
    },
    async stop() {
      state.running = false
      await Promise.all(callers)
    },
  }
}

/** Whether an answer came to its end, as its caller sees it. */
export function isWhole(text: string, stream: boolean): boolean {
  if (stream) return text.endsWith('data: [DONE]\n\n')
  try {
    return (JSON.parse(text) as { object: string }).object === 'chat.completion'
  } catch {
    return false
  }
}

/**
 * When nothing is held any more: every answered call was charged once and as it should, every refused one not
 * at all, the balances are what is left, and `tollgate ledger verify` agrees.
 */
export async function proveBooks(
  world: ProcessWorld,
  customers: readonly ProcessCustomer[],
  { answered, refused }: Pick<Load, 'answered' | 'refused'>,
): Promise<void> {
  // The world's own may have lost its connection.
  const inspector = openInspector(world.database)
  try {
    while ((await inspector.rows('select id from holds')).length > 0) await Bun.sleep(POLL_MS)
    const charges = new Map<string, bigint[]>()
    const spent = new Map<string, bigint>()
    for (const row of await inspector.rows("select * from transfers where kind = 'charge'")) {
      const [id, workspace] = [String(row['request_id']), String(row['workspace_id'])]
      const amount = integer(row['amount'])
      charges.set(id, [...(charges.get(id) ?? []), amount])
      spent.set(workspace, (spent.get(workspace) ?? 0n) + amount)
    }
    expect([...answered].filter((id) => !charges.has(id))).toEqual([])
    expect([...charges].filter(([, amounts]) => amounts.length !== 1)).toEqual([])
    expect([...answered].filter((id) => charges.get(id)?.[0] !== CHARGE_NANO)).toEqual([])
    expect([...refused].filter(([id]) => charges.has(id))).toEqual([])

    for (const { workspaceId } of customers) {
      const [row] = await inspector.rows(`select balance, held from workspaces where id = '${workspaceId}'`)
      expect(integer(row?.['held'])).toBe(0n)
      expect(integer(row?.['balance'])).toBe(LOAD_BALANCE_NANO - (spent.get(workspaceId) ?? 0n))
    }
    const [row] = await inspector.rows('select sum(open_calls) as open from key_counters')
    expect(integer(row?.['open'])).toBe(0n)
  } finally {
    await inspector.close()
  }
  const { code, output } = await world.command('ledger', 'verify', '--json')
  expect(output).toContain('"ok": true')
  expect(code).toBe(0)
}
