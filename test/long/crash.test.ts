import { describe, expect, test } from 'bun:test'
import { LEASE_MS } from '../../src/pipeline/admit.ts'
import { SWEEP_MS } from '../../src/jobs/jobs.ts'
import { type ProcessWorld, startProcessWorld } from '../support/processWorld.ts'
import { isLong, scaled } from '../support/scale.ts'
import { createSeededRandom } from '../support/seededRandom.ts'
import { PROCESS_ENGINES } from './engines.ts'
import { CALLERS, LOAD_BALANCE_USD, LOAD_SCRIPT, proveBooks, startLoad } from './load.ts'

const SEED = process.env['TOLLGATE_SEED'] ?? 'crash'
const ROUNDS = scaled({ short: 2, long: 50 })
const PROCESSES = 3
/** A kill comes this long after the process before it is back. */
const KILL_AFTER_MS_MAX = 600
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
            provider: LOAD_SCRIPT,
          })
          const customers = [
            await world.createCustomer({ balance: LOAD_BALANCE_USD }),
            await world.createCustomer({ balance: LOAD_BALANCE_USD, key: { monthly_spend_usd: '500' } }),
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
          // Only a process that is gone refuses, and it does so without an answer.
          expect(load.refused).toEqual(new Map())

          await holdsGone(world, lastKillAt)
          await proveBooks(world, customers, load)
          const verdict = await world.command('ledger', 'verify', '--json')
          expect(verdict.output).toContain('"ok": true')
          expect(verdict.code).toBe(0)
          console.log(
            `${engine.name}: ${ROUNDS} kills, ${load.answered.size} answered, ${load.broken()} broken off`,
          )
        },
        TIMEOUT_MS,
      )
    },
  )
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
