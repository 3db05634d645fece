import { describe, expect, test } from 'bun:test'
import { LEASE_MS } from '../../src/pipeline/admit.ts'
import { SWEEP_MS } from '../../src/jobs/jobs.ts'
import { integer } from '../support/inspector.ts'
import { type ProcessCustomer, type ProcessWorld, startProcessWorld } from '../support/processWorld.ts'
import { answers, openaiUsage, pause } from '../support/scriptedProvider.ts'
import { isLong, scaled } from '../support/scale.ts'
import { createSeededRandom, type SeededRandom } from '../support/seededRandom.ts'
import { PROCESS_ENGINES } from './engines.ts'

const SEED = process.env['TOLLGATE_SEED'] ?? 'crash'
const ROUNDS = scaled({ short: 2, long: 50 })
const PROCESSES = 3
const CALLERS = 12
/** A kill comes this long after the process before it is back. */
const KILL_AFTER_MS_MAX = 600
/** A caller whose process is gone tries another one after this long. */
const CALLER_PAUSE_MS = 5
/** 10 + 20 tokens at the prices of the standard configuration. */
const CHARGE_NANO = 10n * 500n + 20n * 1_500n
const TIMEOUT_MS = 15 * 60_000

for (const engine of PROCESS_ENGINES) {
  describe.skipIf(engine.skipped)(
    `processes on one ${engine.name} database that are killed under load`,
    () => {
      test(
        `lose no answered completion, double none, and leave no hold behind (${ROUNDS} kills)`,
        async () => {
          const random = createSeededRandom(`${SEED}/${engine.name}`)
          await using world = await startProcessWorld({
            ...(await engine.database()),
            processes: PROCESSES,
            provider: answers({
              pieces: ['Hello', pause(10), ' wonderful', pause(10), ' world'],
              usage: openaiUsage(10, 20),
            }),
          })
          const customers = [
            await world.createCustomer({ balance: '1000' }),
            await world.createCustomer({ balance: '1000', key: { monthly_spend_usd: '500' } }),
          ]
          const load = startLoad(world, customers, random.fork('load'))
          for (let round = 0; round < ROUNDS; round++) {
            await Bun.sleep(random.integer(0, KILL_AFTER_MS_MAX))
            await world.processes[random.integer(0, world.processes.length - 1)]?.kill()
            await world.start()
          }
          const lastKillAt = Date.now()
          await load.reach(load.answered.size + CALLERS)
          await load.stop()

          await holdsGone(world, lastKillAt)
          await proveBooks(world, customers, load)
          const verdict = await world.command('ledger', 'verify', '--json')
          expect(verdict.output).toContain('"ok": true')
          expect(verdict.code).toBe(0)
          console.log(
            `${engine.name}: ${ROUNDS} kills, ${load.answered.size} answered, ${load.broken()} broken, ${load.refused()} refused`,
          )
        },
        TIMEOUT_MS,
      )
    },
  )
}

/** Callers that ask one process or another, over and over, and remember what was answered whole. */
function startLoad(world: ProcessWorld, customers: readonly ProcessCustomer[], random: SeededRandom) {
  const answered = new Map<string, ProcessCustomer>()
  let broken = 0
  const refusals: number[] = []
  const state = { running: true }
  let wake: () => void = () => undefined

  async function caller(): Promise<void> {
    while (state.running) {
      const process = world.processes[random.integer(0, world.processes.length - 1)]
      const customer = customers[random.integer(0, customers.length - 1)]
      if (!process || !customer) throw new Error('nobody to call')
      const stream = random.chance(0.5)
      try {
        const body = { stream, ...(random.chance(0.5) && { max_tokens: 50 }) }
        const response = await world.chat(process, customer.secret, body)
        const text = await response.text()
        const id = response.headers.get('x-request-id') ?? ''
        if (response.status !== 200) refusals.push(response.status)
        else if (isWhole(text, stream)) answered.set(id, customer)
        else broken++
        wake()
      } catch {
        // The process died under the call: nothing was answered.
        broken++
        await Bun.sleep(CALLER_PAUSE_MS)
      }
    }
  }
  const callers = Array.from({ length: CALLERS }, caller)

  return {
    answered,
    broken: () => broken,
    refused: () => refusals.length,
    async reach(count: number): Promise<void> {
      while (answered.size < count) await new Promise<void>((resolve) => (wake = resolve))
    },
    async stop(): Promise<void> {
      state.running = false
      await Promise.all(callers)
      // Only a process that is gone refuses, and it does so without an answer.
      expect(refusals).toEqual([])
    },
  }
}

function isWhole(text: string, stream: boolean): boolean {
  if (stream) return text.endsWith('data: [DONE]\n\n')
  try {
    return (JSON.parse(text) as { object: string }).object === 'chat.completion'
  } catch {
    return false
  }
}

/**
 * Nobody calls any more: what is still held belonged to the dead. Every lease ends in time; the long form
 * waits for the processes to notice, the short form sweeps at the moment when the leases have ended.
 */
async function holdsGone(world: ProcessWorld, lastKillAt: number): Promise<void> {
  const open = (): Promise<readonly unknown[]> =>
    world.inspector.rows(`select id from holds where expires_at > ${lastKillAt + LEASE_MS}`)
  while ((await open()).length > 0) {
    // Living calls settle within moments.
    expect(Date.now()).toBeLessThan(lastKillAt + 2 * LEASE_MS)
    await Bun.sleep(20)
  }
  if (!isLong) {
    await world.store.till.sweep(lastKillAt + LEASE_MS)
    return
  }
  const goneBy = lastKillAt + LEASE_MS + 2 * SWEEP_MS
  while ((await world.inspector.rows('select id from holds')).length > 0) {
    expect(Date.now()).toBeLessThan(goneBy)
    await Bun.sleep(100)
  }
}

async function proveBooks(
  world: ProcessWorld,
  customers: readonly ProcessCustomer[],
  { answered }: { readonly answered: ReadonlyMap<string, ProcessCustomer> },
): Promise<void> {
  const charges = new Map<string, bigint[]>()
  const spent = new Map<string, bigint>()
  for (const row of await world.inspector.rows("select * from transfers where kind = 'charge'")) {
    const [id, workspace] = [String(row['request_id']), String(row['workspace_id'])]
    const amount = integer(row['amount'])
    charges.set(id, [...(charges.get(id) ?? []), amount])
    spent.set(workspace, (spent.get(workspace) ?? 0n) + amount)
  }
  const missing = [...answered.keys()].filter((id) => !charges.has(id))
  expect(missing).toEqual([])
  const doubled = [...charges].filter(([, amounts]) => amounts.length !== 1)
  expect(doubled).toEqual([])
  const wrong = [...answered.keys()].filter((id) => charges.get(id)?.[0] !== CHARGE_NANO)
  expect(wrong).toEqual([])

  for (const { workspaceId } of customers) {
    const workspace = await world.operations.workspace(workspaceId)
    expect(workspace.held_usd).toBe('0.00')
    const [row] = await world.inspector.rows(`select balance from workspaces where id = '${workspaceId}'`)
    expect(integer(row?.['balance'])).toBe(1_000_000_000_000n - (spent.get(workspaceId) ?? 0n))
  }
  const [row] = await world.inspector.rows('select sum(open_calls) as open from key_counters')
  expect(integer(row?.['open'])).toBe(0n)
}
