import { SQL } from 'bun'
import type { GatewayProcess } from '../../support/processWorld.ts'
import type { Stage } from './stage.ts'

const STORM_INTERVAL_MS = 200

/** Ends every connection to the database over and over, but the one that does it, until `end` resolves. */
export async function terminateStorm({ serverUrl }: Stage, end: Promise<void>): Promise<void> {
  const state = { over: false }
  const ended = end.finally(() => (state.over = true))
  const sql = new SQL(serverUrl, { max: 1 })
  try {
    while (!state.over) {
      await sql`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND pid <> pg_backend_pid()`
      await Bun.sleep(STORM_INTERVAL_MS)
    }
    await ended
  } finally {
    await sql.close({ timeout: 0 })
  }
}

/** A paused machine: everything it holds, locks and connections, it goes on holding. */
export async function freeze({ pid }: GatewayProcess, end: () => Promise<void>): Promise<void> {
  process.kill(pid, 'SIGSTOP')
  try {
    await end()
  } finally {
    process.kill(pid, 'SIGCONT')
  }
}
