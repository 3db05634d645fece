import { Kysely } from 'kysely'
import type { RequestId } from '../../core/id.ts'
import type { Store, StoreAccess } from '../../core/ports/store.ts'
import { StoreUnavailable, type Till } from '../../core/ports/till.ts'
import { createAnswerQueries } from '../queries/answers.ts'
import { createBookQueries } from '../queries/books.ts'
import { createDirectory } from '../queries/directory.ts'
import type { Schema } from '../schema.ts'
import { createChangeFeed } from './changes.ts'
import { blockBriefly, openConnection, unavailable, type Durability } from './connection.ts'
import { createDialect } from './dialect.ts'
import { createLogSync } from './durability.ts'
import { createGroupCommit, type GroupCommit } from './groupCommit.ts'
import { migrate } from './migrate.ts'
import { createStatements, type Statements } from './statements.ts'
import { createTables, type Tables } from './tables.ts'
import { admitIn, claimIn, creditIn, extendIn, renewIn, settleIn, sweepIn } from './till.ts'

/** How many holds one transaction releases or renews at most: others wait for it. */
const HOLDS_PER_TRANSACTION = 500

/** How many usage records one statement adds up: some milliseconds in which nothing else goes on. */
const USAGE_ROWS_PER_READ = 2_000

export interface SqliteStoreOptions {
  /** A file; created when it is not there, unless it is only to be read. Several processes of one machine may share it. */
  readonly path: string
  readonly durability: Durability
  /** Milliseconds since the epoch; dates the migrations. */
  readonly now: () => number
  readonly access?: StoreAccess
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
}: SqliteStoreOptions): Promise<Store> {
  const connection = openConnection(path, durability, access)
  try {
    if (access === 'change') migrate(connection, now())
    blockBriefly(connection)
  } catch (error) {
    connection.close()
    throw unavailable(error)
  }

  const statements = createStatements(connection)
  const tables = createTables(statements)
  const logSync = durability === 'default' ? createLogSync(path) : undefined
  const onCommit = (): void => logSync?.committed()
  const group = createGroupCommit({
    db: connection,
    statements,
    begin: () => tables.forget(),
    end: () => tables.writeBack(),
    onCommit,
  })
  let closing: Promise<void> | undefined
  let closed = false
  function openStatements(): Statements {
    if (closed) throw new StoreUnavailable('the store is closed')
    return statements
  }
  const db = new Kysely<Schema>({ dialect: createDialect(openStatements, onCommit) })
  const changes = createChangeFeed(statements)

  async function close(): Promise<void> {
    await group.close()
    closed = true
    changes.close()
    logSync?.close()
    statements.finalize()
    connection.close(true)
  }

  return {
    directory: createDirectory(db, changes),
    till: createTill(group, tables),
    books: {
      ...createBookQueries(db, { usageRowsPerRead: USAGE_ROWS_PER_READ }),
      credit: (credit) => group.submit(() => creditIn(tables, credit)),
    },
    answers: { ...createAnswerQueries(db), claim: (claim) => group.submit(() => claimIn(tables, claim)) },

    async ping() {
      // A transaction of its own: a file that can be read and not written cannot serve.
      await group.submit(() => statements.passing('select 1').get())
      const failure = logSync?.failure()
      if (failure) throw new StoreUnavailable(`SQLite: ${failure.message}`, { cause: failure })
    },

    close: () => (closing ??= close()),
  }
}

function createTill(group: GroupCommit, tables: Tables): Till {
  return {
    admit: (admission) => group.submit(() => admitIn(tables, admission)),
    extend: (extension) => group.submit(() => extendIn(tables, extension)),
    settle: (settlement) => group.submit(() => settleIn(tables, settlement)),

    async renew(ids: readonly RequestId[], expiresAt: number) {
      for (let from = 0; from < ids.length; from += HOLDS_PER_TRANSACTION) {
        const some = ids.slice(from, from + HOLDS_PER_TRANSACTION)
        await group.submit(() => renewIn(tables, some, expiresAt))
      }
    },

    async sweep(at) {
      let released = 0
      for (;;) {
        const count = await group.submit(() => sweepIn(tables, at, HOLDS_PER_TRANSACTION))
        released += count
        if (count < HOLDS_PER_TRANSACTION) return released
      }
    },
  }
}
