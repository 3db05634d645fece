import { Kysely, sql } from 'kysely'
import {
  CONNECTIONS,
  type Store,
  type StoreAccess,
  type StoreHealthListener,
  type StoreMeter,
} from '../../core/ports/store.ts'
import { StoreUnavailable, type Till } from '../../core/ports/till.ts'
import { createAdminTokens } from '../queries/adminTokens.ts'
import { createAuditLog } from '../queries/audit.ts'
import { createBookQueries } from '../queries/books.ts'
import { createDirectory } from '../queries/directory.ts'
import { createKeptResponses } from '../queries/keptResponses.ts'
import { createRefusals } from '../queries/refusals.ts'
import type { Schema } from '../schema.ts'
import { createAnswers } from './answers.ts'
import { createAtomically } from './atomically.ts'
import { createSharedProof } from '../sharedProof.ts'
import { type Availability, watchAvailability } from './availability.ts'
import { beginning, STATEMENT_TIMEOUT_MS } from './begin.ts'
import { createChanges } from './changes.ts'
import { createPool } from './pool.ts'
import { credit } from './credit.ts'
import { postgresDialect } from './dialect.ts'
import { openingError } from './failure.ts'
import type { StepOptions } from './group.ts'
import { mendLedgerSequence } from './ledgerSequence.ts'
import { migrate, refuseUnfinishedMove, requireSchema } from './migrate.ts'
import { proveTransactions } from './proveTransactions.ts'
import { againSentence, createRecentSettlements, type RecentSettlements } from './recentSettlements.ts'
import { createReportTurns } from './reportTurns.ts'
import { createSession, type Session } from './session.ts'
import { createTill, type PostgresTill } from './till.ts'
import { sayWhyUnreachable } from './unreachable.ts'
import { createLane, forgetMarks, type Lane } from './transaction.ts'

export interface PostgresStoreOptions {
  /** `postgres://user:password@host:port/database`. */
  readonly url: string
  /** How many calls of one step share a transaction. */
  readonly groupSizeMax?: number
  /** How long the server lets a statement run, or wait for a lock. */
  readonly statementTimeoutMs?: number
  readonly access?: StoreAccess
  /** Of this process, at most; with fewer than `CONNECTIONS.min` the till's steps share them with all else. */
  readonly connections?: number
  /** Whether to listen for the changes of other processes, on one of the connections. Default: true. */
  readonly listens?: boolean
  /** How long to wait to hear a notification of its own before that is reported, in milliseconds. */
  readonly hearingTimeoutMs?: number
  /** Reports what an operator should look at, in a sentence. */
  readonly warn?: ((sentence: string) => void) | undefined
  readonly onHealth?: StoreHealthListener | undefined
  readonly meter?: StoreMeter | undefined
}

const GROUP_SIZE_MAX = 512

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
  connections = CONNECTIONS.default,
  listens = true,
  hearingTimeoutMs,
  warn,
  onHealth,
  meter,
}: PostgresStoreOptions): Promise<Store> {
  const begin = beginning(statementTimeoutMs)
  const pool = createPool({
    url,
    connections: listens ? connections - 1 : connections,
    onRoundTrip: meter?.roundTrip,
  })
  meter?.connections(() => pool.inUse())
  let availability: Availability | undefined
  const dialect = postgresDialect(pool, { begin, onUnavailable: (fault) => availability?.suspect(fault, 1) })
  const db = new Kysely<Schema>({ dialect })
  try {
    await proveTransactions(pool, begin)
    await refuseUnfinishedMove(db)
    if (access === 'change') {
      await migrate(pool, db, Date.now())
      await forgetMarks(db, Date.now())
      const raised = await mendLedgerSequence(db)
      if (raised > 0) {
        warn?.(
          `the sequence "ledgers" of the database was ${raised} behind its workspaces, as after a move by logical replication, which copies no sequences; it was raised`,
        )
      }
    } else await requireSchema(db)
  } catch (error) {
    await pool.close('at once')
    throw await sayWhyUnreachable(openingError(error, url), url)
  }

  const life = crypto.randomUUID()
  const sessions: Session[] = []
  const lanes: Lane[] = []
  function openLane(step: string, wants: 'own' | 'shared' = 'shared'): Lane {
    const session = createSession(pool, { keeps: wants === 'own' && connections >= CONNECTIONS.min })
    const lane = createLane(session, `${life} ${step}`, Date.now, begin)
    sessions.push(session)
    lanes.push(lane)
    return lane
  }
  const changes = await createChanges({
    ...(listens && { listenAt: url }),
    async announceTo(channel, payload) {
      await sql`SELECT pg_notify(${channel}, ${payload})`.execute(db)
    },
    ...(hearingTimeoutMs !== undefined && { hearingTimeoutMs }),
    warn,
  })
  const groups: StepOptions = {
    sizeMax: groupSizeMax,
    onGroup: meter?.group,
    onUnavailable: (fault, calls, step) => availability?.failed(fault, calls, step),
    onDone: (step) => availability?.succeeded(step),
  }
  const till = createTill(openLane, groups)
  const recent = listens ? await openRecentSettlements(till, { warn, meter }) : undefined
  let closed = false
  let fault: StoreUnavailable | undefined
  let proving: Promise<void> | undefined
  const proveOnce = () => (proving ??= till.prove().finally(() => (proving = undefined)))
  const prove = createSharedProof(proveOnce, (found) => {
    fault = found
    // Where nobody calls, this is how the outage is noticed and logged.
    if (found) availability?.suspect(found, 0)
  })
  availability = watchAvailability({
    prove: proveOnce,
    onChange: (change, outage) => onHealth?.(change, outage),
    onRefused: (count) => meter?.refused(count),
  })
  const answers = createAnswers(db, openLane('claim'), groups)
  const admin = openLane('admin')
  const atomically = createAtomically(admin)

  return {
    directory: createDirectory(db, changes, atomically),
    till: recent ? remembering(till, recent) : till,
    books: {
      ...createBookQueries(db, { reports: createReportTurns(), usageBy: 'time' }),
      credit: (given) => credit(admin, db, given),
    },
    answers,
    keptResponses: createKeptResponses(db, createAtomically(openLane('responses'))),
    refusals: createRefusals(db, createAtomically(openLane('refusals'))),
    adminTokens: createAdminTokens(db, atomically),
    audit: createAuditLog(db, atomically),
    async ping() {
      if (closed) throw new StoreUnavailable('the store is closed')
      await prove()
      const found = fault ?? availability?.fault
      if (found) throw found
    },
    async close() {
      closed = true
      availability?.close()
      recent?.close()
      await Promise.all([till.idle(), answers.idle(), changes.close()])
      await Promise.all(lanes.map((lane) => lane.close()))
      await Promise.all(sessions.map((session) => session.reset()))
      await pool.close()
    },
  }
}

/** Absent where the database does not say which server it is. */
async function openRecentSettlements(
  till: PostgresTill,
  { warn, meter }: Pick<PostgresStoreOptions, 'warn' | 'meter'>,
): Promise<RecentSettlements | undefined> {
  const recent = createRecentSettlements({
    ...till,
    now: Date.now,
    onAgain(again) {
      meter?.settledAgain(again.settled, again.writtenOff)
      warn?.(againSentence(again))
    },
    onFault: (fault) =>
      warn?.(`settlements that a failover may have lost could not be repeated: ${wordsOf(fault)}`),
  })
  try {
    await recent.look()
    return recent
  } catch (error) {
    if (error instanceof StoreUnavailable) return recent
    warn?.(
      `settlements that a failover loses are not repeated: the database does not say which server it is: ${wordsOf(error)}`,
    )
    return undefined
  }
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

function remembering(till: PostgresTill, recent: RecentSettlements): Till {
  return {
    ...till,
    async settle(settlement) {
      const result = await till.settle(settlement)
      recent.remember(settlement)
      return result
    },
  }
}
