import type { Jobs } from '../jobs/jobs.ts'
import { logGivenUp, logStopped } from '../observe/givenUp.ts'
import type { Platform } from '../platform.ts'
import type { DrainTime } from './drain.ts'
import type { Parts } from './parts.ts'
import type { Servers } from './servers.ts'

/** How long calls that outlive the drain time have to be settled as stopped, in milliseconds. */
export const STOPPED_LIMIT_MS = 2_000
/** How long settlements that are under way when the time is over have to be answered, in milliseconds. */
export const LAST_ATTEMPT_LIMIT_MS = 500
/** How long callers whose calls are stopped, or whose settlements are given up, have to receive their errors, in milliseconds. */
export const LAST_WORDS_LIMIT_MS = 1_000
/**
 * How long a stop waits at its end for the store to close, in milliseconds. A healthy one needs a moment; one that is away
 * may leave round trips unanswered.
 */
export const CLOSE_LIMIT_MS = 10_000
/** The same where settlements were given up, so that the store is known to be away. */
const LOST_CLOSE_LIMIT_MS = 2_000

/** What runs, and is ended by a stop. */
export interface Running {
  readonly parts: Parts
  readonly servers: Servers
  readonly jobs: Jobs
}

/** Ends a gateway: see `Gateway.stop`. */
export async function stop({ parts, servers, jobs }: Running): Promise<void> {
  const { log, drain, pipeline, platform } = parts
  const drainTime = await drain.begin()
  await finishCalls(parts, drainTime)
  const isAnyStopped = await stopCalls(parts, drainTime)
  const closed = servers.main.stop()
  await sendLastBytes(closed, drainTime)
  await finishSettlements(parts, drainTime)
  const isAnyGivenUp = await giveUpSettlements(parts)
  if (isAnyStopped || isAnyGivenUp) await sendLastWords(closed, platform)
  drainTime.end()
  jobs.stop()
  await closeServers(servers, closed)
  await closeStore(parts, isAnyGivenUp ? LOST_CLOSE_LIMIT_MS : CLOSE_LIMIT_MS)
  // Attempts that were under way have ended by now, one way or the other.
  logGivenUp(log, pipeline.outstanding.list())
}

/** Listens on meanwhile: a new request gets a 503, and its connection is not refused. */
async function finishCalls({ pipeline: { calls } }: Parts, { over }: DrainTime): Promise<void> {
  await Promise.race([calls.idle(), over])
}

/** Ends the calls that are left, and waits until they are settled. Returns whether there were any. */
async function stopCalls(
  { log, platform, pipeline: { calls } }: Parts,
  { ended }: DrainTime,
): Promise<boolean> {
  const left = calls.ids()
  if (left.length === 0) return false
  logStopped(log, left)
  calls.stop()
  await Promise.race([calls.idle(), platform.sleep(STOPPED_LIMIT_MS, ended)])
  return true
}

/** A call is settled before its last bytes are sent: they have their time too. */
async function sendLastBytes(closed: Promise<void>, { over }: DrainTime): Promise<void> {
  await Promise.race([closed, over])
}

/** Calls whose callers have left, or were refused because they cannot be booked, are settled without them. */
async function finishSettlements({ pipeline: { outstanding } }: Parts, { over }: DrainTime): Promise<void> {
  await Promise.race([outstanding.idle(), over])
}

/** Returns whether there was anything to give up. */
async function giveUpSettlements({ pipeline: { outstanding }, platform }: Parts): Promise<boolean> {
  return outstanding.giveUp(platform.sleep(LAST_ATTEMPT_LIMIT_MS))
}

/** Callers who still wait get an error that says it is not known. Otherwise their connection would just end. */
async function sendLastWords(closed: Promise<void>, { sleep }: Platform): Promise<void> {
  await Promise.race([closed, sleep(LAST_WORDS_LIMIT_MS)])
}

/** What is still open now was given its time; its hold ends with its lease. */
async function closeServers({ main, metrics }: Servers, closed: Promise<void>): Promise<void> {
  await Promise.race([closed, main.close()])
  await metrics?.close()
}

/** Stores what was kept together, and lets go of everything, but waits for it no longer than the limit. */
async function closeStore(
  { refusals, door, observers: { faults }, platform, letGo }: Parts,
  limitMs: number,
): Promise<void> {
  async function close(): Promise<void> {
    await refusals.flush().catch((error: unknown) => faults.job('keep refusals', error))
    await door.flush().catch((error: unknown) => faults.job('keep visits', error))
    await letGo()
  }
  const over = new AbortController()
  try {
    await Promise.race([close(), platform.sleep(limitMs, over.signal)])
  } finally {
    over.abort()
  }
}
