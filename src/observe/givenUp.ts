import type { Logger } from 'pino'
import type { RequestId } from '../core/id.ts'
import type { OutstandingSettlement } from '../pipeline/settle/outstanding.ts'

/** How many calls or settlements a line names; what is beyond is counted. */
const NAMED_MAX = 1_000

/** Says which calls are ended because the process ends. */
export function logStopped(log: Logger, calls: readonly RequestId[]): void {
  log.warn(
    { count: calls.length, calls: calls.slice(0, NAMED_MAX) },
    'calls are ended: the process does not wait for them any longer; they cost their callers nothing',
  )
}

/** Says which settlements the database has not taken before the process ended, so that they can be booked by hand. */
export function logGivenUp(log: Logger, outstanding: readonly OutstandingSettlement[]): void {
  if (outstanding.length === 0) return
  const settlements = outstanding.slice(0, NAMED_MAX).map(({ settlement, inDoubt }) => ({
    id: settlement.id,
    workspace_id: settlement.workspaceId,
    key_id: settlement.record.keyId,
    ending: settlement.record.ending,
    charge_nano_usd: String(settlement.cost),
    in_doubt: inDoubt,
  }))
  log.error(
    { count: outstanding.length, settlements },
    'settlements were given up: the database did not take them before the process ended',
  )
}
