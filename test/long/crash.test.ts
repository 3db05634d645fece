import { describe, expect, test } from 'bun:test'
import { LEASE_MS } from '../../src/pipeline/admit/admit.ts'
import { SWEEP_MS } from '../../src/jobs/jobs.ts'
import { type ProcessCustomer, type ProcessWorld, startProcessWorld } from '../support/processWorld.ts'
import { TEST_LIMIT_MS, isLong, onlyLong, repeats } from '../support/scale.ts'
import { createSeededRandom, type SeededRandom } from '../support/seededRandom.ts'
import { PROCESS_ENGINES } from './engines.ts'
import { CALLERS, LOAD_BALANCE_USD, LOAD_SCRIPT, isWhole, proveBooks, startLoad } from './load.ts'

const SEED = process.env['TOLLGATE_SEED'] ?? 'crash'
const KILLS = { short: 2, long: 50, share: 0.08 }
const PROCESSES = 3
/** A kill comes this long after the process before it is back. */
const KILL_AFTER_MS_MAX = 600
const KEYED_CALLS = 600
const KEYED_KILLS = 6

for (const engine of PROCESS_ENGINES) {
  describe.skipIf(engine.skipped)(
    `processes on one ${engine.name} database that are killed under load`,
    () => {
      test(
        'lose no answered completion, double none, and leave no hold behind',
        async () => {
          const random = createSeededRandom(`${SEED}/${engine.name}`)
          await using world = await startProcessWorld({
            ...(await engine.database()),
            processes: PROCESSES,
            provider: LOAD_SCRIPT,
          })
          const customers = [
            await world.createCustomer({ balance: LOAD_BALANCE_USD }),
            await world.createCustomer({ balance: LOAD_BALANCE_USD, key: { monthly_spend_usd: '500' } }),
          ]
          const load = startLoad(world, customers, random.fork('load'))
          let kills = 0
          for (const _ of repeats(KILLS)) {
            kills++
            await Bun.sleep(random.integer(0, KILL_AFTER_MS_MAX))
            await world.processes[random.integer(0, world.processes.length - 1)]?.kill()
            await world.start()
          }
          const lastKillAt = Date.now()
          await load.reach(load.answered.size + CALLERS)
          await load.stop()
          // Only a process that is gone refuses, and it does so without an answer.
          expect(load.refused).toEqual(new Map())

          await holdsGone(world, lastKillAt)
          await proveBooks(world, customers, load)
          console.log(
            `${engine.name}, seed ${SEED}: ${kills} kills, ${load.answered.size} answered, ${load.broken()} broken off`,
          )
        },
        TEST_LIMIT_MS,
      )

      // A claim of the dead lasts as long as its lease: too long for the short form.
      test.skipIf(onlyLong())(
        'charge a call that is repeated until it is answered exactly once, by its Idempotency-Key',
        async () => {
          const random = createSeededRandom(`${SEED}/${engine.name}/retries`)
          await using world = await startProcessWorld({
            ...(await engine.database()),
            processes: PROCESSES,
            provider: LOAD_SCRIPT,
          })
          const customer = await world.createCustomer({ balance: LOAD_BALANCE_USD })
          const calls = Array.from({ length: KEYED_CALLS }, (_, ordinal) =>
            untilAnswered(world, customer, `key ${ordinal}`, random.fork(`${ordinal}`)),
          )
          for (let kill = 0; kill < KEYED_KILLS; kill++) {
            await Bun.sleep(random.integer(20, KILL_AFTER_MS_MAX))
            await world.processes[random.integer(0, world.processes.length - 1)]?.kill()
            await world.start()
          }
          const ids = new Set(await Promise.all(calls))
          expect(ids.size).toBe(KEYED_CALLS)
          await proveBooks(world, [customer], { answered: ids, refused: new Map() })
          const charges = await world.inspector.rows("select 1 from transfers where kind = 'charge'")
          expect(charges.length).toBe(KEYED_CALLS)
        },
        TEST_LIMIT_MS,
      )
    },
  )
}

/** Repeats a call as a patient client does; gives the id it was answered with. */
async function untilAnswered(
  world: ProcessWorld,
  { secret }: ProcessCustomer,
  idempotencyKey: string,
  random: SeededRandom,
): Promise<string> {
  await Bun.sleep(random.integer(0, KEYED_KILLS * KILL_AFTER_MS_MAX))
  const stream = random.chance(0.5)
  for (;;) {
    const process = world.processes[random.integer(0, world.processes.length - 1)]
    if (!process) throw new Error('nobody to call')
    try {
      const headers = { 'idempotency-key': idempotencyKey }
      const response = await world.chat(process, secret, { stream, user: idempotencyKey }, headers)
      const { status } = response
      const text = await response.text()
      if (status === 200 && isWhole(text, stream)) return response.headers.get('x-request-id') ?? ''
      if (status !== 200) expect(status).toBe(503)
    } catch (error) {
      if (!(error instanceof Error) || !('code' in error)) throw error
    }
    await Bun.sleep(random.integer(10, 200))
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
