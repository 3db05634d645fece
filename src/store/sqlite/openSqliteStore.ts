import { realpathSync } from 'node:fs'
import { Kysely } from 'kysely'
import type { Store, StoreAccess } from '../../core/ports/store.ts'
import { StoreUnavailable, type Till } from '../../core/ports/till.ts'
import { createAnswerQueries } from '../queries/answers.ts'
import { createAdminTokens } from '../queries/adminTokens.ts'
import { createAuditLog, recorded } from '../queries/audit.ts'
import { createBookQueries } from '../queries/books.ts'
import { createDirectory } from '../queries/directory.ts'
import { createKeptResponses } from '../queries/keptResponses.ts'
import { createRefusals } from '../queries/refusals.ts'
import { createTurns } from '../queries/turns.ts'
import type { Schema } from '../schema.ts'
import { createAtomically, createRunInGroup } from './atomically.ts'
import { createChangeFeed } from './changes.ts'
import { createCheckpoints } from './checkpoints.ts'
import { createCleanUps, type CleanUps } from './cleanUps.ts'
import {
  blockBriefly,
  letCommitsCheckpoint,
  openConnection,
  unavailable,
  type Durability,
} from './connection.ts'
import { createDialect } from './dialect.ts'
import { createLogSync } from './durability.ts'
import { createGroupCommit, type GroupCommit } from './groupCommit.ts'
import { type Health, UNWATCHED, watchHealth } from './health.ts'
import { APPLICATION_ID, migrate, refuseUnfinishedMove } from './migrate.ts'
import { makePrivate } from './privateFile.ts'
import { createStatements, type Statements } from './statements.ts'
import { createTables, type Tables } from './tables.ts'
import { admitIn, claimIn, creditIn, extendIn, settleIn } from './till.ts'

export interface SqliteStoreOptions {
  /** A file; created when it is not there, unless it is only to be read. Several processes of one machine may share it. */
  readonly path: string
  readonly durability: Durability
  /** Milliseconds since the epoch; dates the migrations. */
  readonly now: () => number
  readonly access?: StoreAccess
  /** Reports what an operator should look at, in a sentence. Default: nobody hears it. */
  readonly warn?: (sentence: string) => void
  /** Reports once when the store stops working, with what is wrong, and once when it works again. */
  readonly onHealth?: (fault: StoreUnavailable | undefined) => void
}

/**
 * The embedded store: one file, one connection, group commit.
 * Throws `StoreUnavailable` when the file cannot be used, `UnknownSchema` when a newer version wrote it.
 */
export async function openSqliteStore({
  path,
  durability,
  now,
  access = 'change',
  warn = () => undefined,
  onHealth = () => undefined,
}: SqliteStoreOptions): Promise<Store> {
  const mayChange = access === 'change'
  const connection = openConnection(path, durability, access)
  // Where the path is a link, SQLite keeps its other files beside the database itself.
  let file: string
  try {
    file = realpathSync(path)
    refuseUnfinishedMove(connection)
    if (mayChange) {
      for (const open of makePrivate(file)) {
        warn(
          `${open} belongs to another user, so others may still read it: make it readable by its owner only`,
        )
      }
      migrate(connection, now())
    }
    blockBriefly(connection)
  } catch (error) {
    connection.close()
    throw unavailable(error)
  }

  const statements = createStatements(connection)
  const tables = createTables(statements)
  const logSync = mayChange && durability === 'default' ? createLogSync(file) : undefined
  const checkpoints = createCheckpoints({
    file,
    letCommitsCheckpoint: (they) => letCommitsCheckpoint(connection, they),
    warn,
  })
  const onCommit = (): void => {
    logSync?.committed()
    checkpoints.committed()
  }
  const group = createGroupCommit({
    db: connection,
    statements,
    begin: () => tables.forget(),
    end: () => tables.writeBack(),
    onCommit,
    onFault: (fault) => health.failed(fault),
    refusal: () => health.gone(),
  })
  // The smallest commit there is: it changes nothing that anybody reads.
  const writeSomething = statements.prepare(`pragma application_id = ${APPLICATION_ID}`)
  const health = mayChange
    ? watchHealth({
        path,
        log: `${file}-wal`,
        write: () => group.submit(() => void writeSomething.run()),
        onChange: onHealth,
      })
    : UNWATCHED
  let closing: Promise<void> | undefined
  let closed = false
  function openStatements(): Statements {
    if (closed) throw new StoreUnavailable('the store is closed')
    const gone = health.gone()
    if (gone) throw gone
    return statements
  }
  const db = new Kysely<Schema>({ dialect: createDialect(openStatements, onCommit) })
  const changes = createChangeFeed(statements)
  const turns = createTurns()
  const runInGroup = createRunInGroup(openStatements)
  const atomically = createAtomically(group, runInGroup)
  const cleanUps = createCleanUps({ group, tables, statements: openStatements, turns })

  async function close(): Promise<void> {
    await group.close()
    closed = true
    changes.close()
    health.stop()
    logSync?.close()
    // The last connection that closes leaves one whole file: that one is this.
    await checkpoints.close()
    statements.finalize()
    connection.close(true)
  }

  return {
    directory: createDirectory(db, changes, atomically),
    till: createTill(group, tables, health, cleanUps),
    books: {
      ...createBookQueries(db, { ledgers: turns, reports: turns, usageBy: 'workspace' }),
      credit: (credit) =>
        group.submit(() =>
          creditIn(tables, credit, (entry) => {
            for (const query of recorded(db, entry)) runInGroup(query)
          }),
        ),
    },
    answers: {
      ...createAnswerQueries(db),
      claim: (claim) => group.submit(() => claimIn(tables, claim)),
      expire: (at) => cleanUps.expireAnswers(at),
    },
    keptResponses: createKeptResponses(db, atomically, turns),
    refusals: createRefusals(db, atomically, turns),
    adminTokens: createAdminTokens(db, atomically),
    audit: createAuditLog(db, atomically, turns),

    async ping() {
      openStatements()
      await health.prove()
      const failure = logSync?.failure()
      if (failure) throw new StoreUnavailable(`SQLite: ${failure.message}`, { cause: failure })
    },

    close: () => (closing ??= close()),
  }
}

function createTill(
  group: GroupCommit,
  tables: Tables,
  health: Pick<Health, 'closedForCalls'>,
  cleanUps: CleanUps,
): Till {
  return {
    admit(admission) {
      // Its hold may still fit where its settlement does not: nothing is begun that could not be ended.
      const closed = health.closedForCalls()
      return closed ? Promise.reject(closed) : group.submit(() => admitIn(tables, admission))
    },
    extend: (extension) => group.submit(() => extendIn(tables, extension)),
    settle: (settlement) => group.submit(() => settleIn(tables, settlement)),

    renew: (ids, expiresAt) => cleanUps.renewLeases(ids, expiresAt),
    sweep: (at) => cleanUps.sweepHolds(at),
  }
}
