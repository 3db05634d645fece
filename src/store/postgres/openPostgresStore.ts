import { Kysely, sql } from 'kysely'
import type { Store, StoreAccess } from '../../core/ports/store.ts'
import { createAdminTokens } from '../queries/adminTokens.ts'
import { createAuditLog } from '../queries/audit.ts'
import { createBookQueries } from '../queries/books.ts'
import { createDirectory } from '../queries/directory.ts'
import { createRefusals } from '../queries/refusals.ts'
import type { Schema } from '../schema.ts'
import { createAnswers } from './answers.ts'
import { createAtomically } from './atomically.ts'
import { listenForChanges } from './changes.ts'
import { createClient } from './client.ts'
import { credit } from './credit.ts'
import { postgresDialect } from './dialect.ts'
import { callersError } from './failure.ts'
import { migrate, requireSchema } from './migrate.ts'
import { createSession, STATEMENT_TIMEOUT_MS, type Session } from './session.ts'
import { createTill } from './till.ts'
import { createLane, type Lane } from './transaction.ts'

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** How many calls of one step share a transaction. */
  readonly groupSizeMax?: number
  /** How long the server lets a statement run, or wait for a lock. */
  readonly statementTimeoutMs?: number
  readonly access?: StoreAccess
}

const GROUP_SIZE_MAX = 512
/** One for each lane of the till, the answers, the operator's changes and the refusals, and some for everything else. */
const CONNECTIONS_MAX = 13
/** When a node stops between its two round trips, the server frees its locks after this, in milliseconds. */
const IDLE_IN_TRANSACTION_TIMEOUT_MS = 2_000
/** How long `close` waits for statements under way, in seconds. */
const CLOSE_TIMEOUT_S = 5

/**
 * Opens the store on Postgres, or an engine that speaks its language, and brings the schema up to date
 * unless it is only to be read.
 * Any number of processes may share it. Throws `StoreUnavailable` when the database cannot be reached and
 * `UnknownSchema` when it was written by a newer version.
 */
export async function openPostgresStore({
  url,
  groupSizeMax = GROUP_SIZE_MAX,
  statementTimeoutMs = STATEMENT_TIMEOUT_MS,
  access = 'change',
}: PostgresStoreOptions): Promise<Store> {
  const pool = createClient(url, {
    max: CONNECTIONS_MAX,
    bigint: true,
    connection: {
      application_name: 'tollgate',
      statement_timeout: statementTimeoutMs,
      idle_in_transaction_session_timeout: IDLE_IN_TRANSACTION_TIMEOUT_MS,
    },
  })
  try {
    if (access === 'change') await migrate(pool, Date.now())
    else await requireSchema(pool)
  } catch (error) {
    await pool.close({ timeout: 0 })
    throw callersError(error)
  }

  const life = crypto.randomUUID()
  const sessions: Session[] = []
  const lanes: Lane[] = []
  function openLane(step: string): Lane {
    const session = createSession(pool)
    const lane = createLane(session, `${life} ${step}`, Date.now)
    sessions.push(session)
    lanes.push(lane)
    return lane
  }
  const db = new Kysely<Schema>({ dialect: postgresDialect(pool) })
  const changes = await listenForChanges(url, async (channel, payload) => {
    await sql`SELECT pg_notify(${channel}, ${payload})`.execute(db)
  })
  const till = createTill(openLane, groupSizeMax)
  const answers = createAnswers(db, openLane('claim'), groupSizeMax)
  const admin = openLane('admin')
  const atomically = createAtomically(admin)

  return {
    directory: createDirectory(db, changes, atomically),
    till,
    books: {
      ...createBookQueries(db),
      credit: (given) => credit(admin, db, given),
    },
    answers,
    refusals: createRefusals(db, createAtomically(openLane('refusals'))),
    adminTokens: createAdminTokens(db, atomically),
    audit: createAuditLog(db, atomically),
    async ping() {
      await sql`SELECT 1`.execute(db)
    },
    async close() {
      await Promise.all([till.idle(), answers.idle(), changes.close()])
      await Promise.all(lanes.map((lane) => lane.close()))
      await Promise.all(sessions.map((session) => session.reset()))
      await pool.close({ timeout: CLOSE_TIMEOUT_S })
    },
  }
}
