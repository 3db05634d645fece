import type { ReservedSQL, SQL } from 'bun'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { CONNECT_TIMEOUT_MS, createClient } from './client.ts'
import { createConnectionRefusals } from './connectionRefusals.ts'

/** One statement of a round trip. */
export interface Statement {
  readonly text: string
  /** For `$1`, `$2`, …; absent: none. */
  readonly values?: readonly unknown[]
}

export type Row = Readonly<Record<string, unknown>>
/** The rows of one statement, its command tag, and how many rows it changed. */
export type Rows = readonly Row[] & { readonly command: string | null; readonly affectedRows: number | null }

/** The connections of this process to the database. */
export interface Pool {
  /** Takes one for itself; throws when none can be had in time. */
  take(): Promise<Connection>
  /** How many were taken and not given back. */
  inUse(): number
  /** Waits a moment for statements under way, unless told not to. */
  close(how?: 'at once'): Promise<void>
}

export interface Connection {
  /**
   * Sends all statements at once and waits for all their answers: one round trip, once the connection has prepared
   * them. Throws the first failure; a connection that does not answer in time is closed.
   */
  send(statements: readonly Statement[], timeoutMs?: number): Promise<readonly Rows[]>
  /** Whether one of its age did not answer: as a rule they have died together, on a line that says nothing of it. */
  isSuspect(): boolean
  /** Gives it back, or closes it where it is suspect. It has no transaction open. */
  release(): void
  /** An open transaction is rolled back. */
  close(): Promise<void>
}

export interface PoolOptions {
  readonly url: string
  /** How many connections there are, at most. */
  readonly connections: number
  /** By which others see its sessions. Default: `tollgate`. */
  readonly name?: string
  /** Hears how long each round trip took, in milliseconds. */
  readonly onRoundTrip?: ((ms: number) => void) | undefined
}

/**
 * How long a round trip may take, in milliseconds: longer than the server lets a statement run, which leaves the
 * connection in use; this one is for a server that does not even say that.
 */
export const ROUND_TRIP_TIMEOUT_MS = 6_000
/** How long statements under way have to end when their connections are no longer used, in seconds. */
const CLOSE_TIMEOUT_S = 5

/**
 * A pool that trusts none of its connections any more when one of them does not answer: whatever was taken before may
 * end what it has under way, and what is taken then is new.
 */
export function createPool({ url, connections, name = 'tollgate', onRoundTrip }: PoolOptions): Pool {
  const refusals = createConnectionRefusals()
  const open = (): SQL =>
    createClient(url, {
      max: connections,
      bigint: true,
      connection: { application_name: name },
      onclose: refusals.closed,
    })
  let current = open()
  let closed = false
  let inUse = 0

  function distrust(client: SQL): void {
    if (client !== current || closed) return
    current = open()
    void client.close({ timeout: CLOSE_TIMEOUT_S })
  }

  return {
    inUse: () => inUse,
    async take() {
      const client = current
      const reserved = await reserve(client, (since) => {
        return refusals.after(since) ?? noneInTime(inUse < connections)
      })
      inUse++
      let isOurs = true
      function end(): void {
        if (isOurs) inUse--
        isOurs = false
      }
      return {
        async send(statements, timeoutMs = ROUND_TRIP_TIMEOUT_MS) {
          const startedAt = performance.now()
          const timer = setTimeout(() => {
            void reserved.close({ timeout: 0 })
            distrust(client)
          }, timeoutMs)
          const answers = await Promise.allSettled(statements.map((statement) => ask(reserved, statement)))
          clearTimeout(timer)
          onRoundTrip?.(performance.now() - startedAt)
          return answers.map((answer) => {
            if (answer.status === 'rejected') throw answer.reason
            return answer.value
          })
        },
        isSuspect: () => client !== current,
        release() {
          end()
          const closing = () => reserved.close({ timeout: 0 })
          if (client === current) reserved.release().catch(closing)
          else void closing()
        },
        close() {
          end()
          return reserved.close({ timeout: 0 })
        },
      }
    },
    close(how) {
      closed = true
      return current.close({ timeout: how === 'at once' ? 0 : CLOSE_TIMEOUT_S })
    },
  }
}

function noneInTime(mayOpenMore: boolean): StoreUnavailable {
  const limit = `within ${CONNECT_TIMEOUT_MS / 1_000} s`
  return new StoreUnavailable(
    mayOpenMore
      ? `an attempt to connect was not answered ${limit}`
      : `no connection became free ${limit}: all that this process may have (database.connections) are in use`,
  )
}

/**
 * While others of the pool are open, the client says nothing of those that the server refuses ("too many clients"): it
 * waits for an open one to be given back.
 *
 * @param whyNone asked when the time is over, with the moment from which it was tried
 */
async function reserve(client: SQL, whyNone: (since: number) => unknown): Promise<ReservedSQL> {
  const since = performance.now()
  const signal = AbortSignal.timeout(CONNECT_TIMEOUT_MS)
  try {
    try {
      return await client.reserve({ signal })
    } catch (error) {
      if (signal.aborted) throw error
      // The client may have told of an attempt to connect that began before this, when the database was still away.
      return await client.reserve({ signal })
    }
  } catch (error) {
    throw signal.aborted ? whyNone(since) : error
  }
}

/** Bun sends a text alone by the simple protocol, which waits for all answers before it; a template goes with the others. */
function ask(reserved: ReservedSQL, { text, values = [] }: Statement): Promise<Rows> {
  if (values.length > 0) return reserved.unsafe<Rows>(text, [...values]).execute()
  const template = Object.defineProperty([text], 'raw', { value: [text] })
  return reserved<Rows>(template as readonly string[] as TemplateStringsArray).execute()
}
