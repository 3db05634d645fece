import { Kysely, sql } from 'kysely'
import type { MovedTable, Row, Cell } from '../move/tables.ts'
import { movedByOther } from '../move/refusals.ts'
import { PART, type Source, type Target } from '../move/side.ts'
import { lastMoveIn, recorded } from '../queries/audit.ts'
import { createLedgerReader } from '../queries/ledger.ts'
import type { Schema } from '../schema.ts'
import { MOVE_TABLE } from '../unfinishedMove.ts'
import { bigints, texts } from './arrays.ts'
import { statementOf } from './atomically.ts'
import { beginning, COMMIT } from './begin.ts'
import { postgresDialect } from './dialect.ts'
import { callersError, openingError } from './failure.ts'
import { mendLedgerSequence } from './ledgerSequence.ts'
import { isBeingMovedInto, migrate, requireSchema } from './migrate.ts'
import { createPool, type Pool, type Rows, type Statement } from './pool.ts'
import { proveTransactions } from './proveTransactions.ts'
import { createSession } from './session.ts'
import { sayWhyUnreachable } from './unreachable.ts'

/** By which the sessions of a move are told from those of gateways and commands. */
const SESSION_NAME = 'tollgate move'
/** Two, because the proof of what is between needs two. */
const CONNECTIONS = 2
/** How long a statement may take, in milliseconds: counting a table reads all of it. */
const STATEMENT_TIMEOUT_MS = 600_000
/** How many other sessions a refusal names, at most. */
const SESSIONS_NAMED_MAX = 3

interface Opened {
  readonly pool: Pool
  readonly db: Kysely<Schema>
}

/** @param place names the database for people */
export async function openPostgresSource(url: string, place: string): Promise<Source> {
  const opened = await open(url, ({ db }) => requireSchema(db))
  return sideOf(opened, place)
}

/** Brings the schema up to date. */
export async function openPostgresTarget(url: string, place: string, at: number): Promise<Target> {
  const opened = await open(url, ({ pool, db }) => migrate(pool, db, at))
  return targetOf(opened, place)
}

async function open(url: string, prepare: (opened: Opened) => Promise<void>): Promise<Opened> {
  const begin = beginning(STATEMENT_TIMEOUT_MS)
  const pool = createPool({ url, connections: CONNECTIONS, name: SESSION_NAME })
  const opened = { pool, db: new Kysely<Schema>({ dialect: postgresDialect(pool, { begin }) }) }
  try {
    await proveTransactions(pool, begin)
    await prepare(opened)
    return opened
  } catch (error) {
    await pool.close('at once')
    throw await sayWhyUnreachable(openingError(error, url), url)
  }
}

function sideOf({ pool, db }: Opened, place: string): Source {
  const ask = createAsk(pool)

  async function readSome(table: MovedTable, after: Row | undefined, limit: number): Promise<Row[]> {
    const names = table.columns.map(({ name }) => name)
    const rows = await ask(behind(names.join(', '), table, after, limit))
    return rows.map((row) => names.map((name) => row[name] as Cell))
  }

  /** How many of the next rows are small enough to be read together: at least one, whatever its size. */
  async function countReadable(table: MovedTable, after: Row | undefined): Promise<number> {
    const columns = table.columns.filter(({ type }) => type === 'text')
    const size = columns.map(({ name }) => `coalesce(octet_length(${name}), 0)::bigint`).join(' + ')
    const rows = await ask(behind(`${size} AS size`, table, after, PART.rows))
    let sum = 0
    const tooMany = rows.findIndex(({ size }) => (sum += Number(size)) > PART.characters)
    return tooMany === -1 ? PART.rows : Math.max(tooMany, 1)
  }

  return {
    place,
    async read(table, after) {
      return readSome(table, after, table.rows === 'small' ? PART.rows : await countReadable(table, after))
    },
    async count(table) {
      const [row] = await ask({ text: `SELECT count(*)::bigint AS rows FROM ${table.name}` })
      return Number(row?.['rows'])
    },
    async lastTransfer() {
      const [row] = await ask({ text: 'SELECT coalesce(max(sequence), 0)::bigint AS last FROM transfers' })
      return row?.['last'] as bigint
    },
    otherUsers: () => otherSessions(db),
    async mark() {
      if (!(await isBeingMovedInto(db))) return undefined
      return (await ask({ text: `SELECT mark FROM ${MOVE_TABLE}` }))[0]?.['mark'] as string | undefined
    },
    close: () => pool.close(),
  }
}

function targetOf({ pool, db }: Opened, place: string): Target {
  const ask = createAsk(pool)
  return {
    ...sideOf({ pool, db }, place),
    lastMove: () => lastMoveIn(db),
    async begin(mark) {
      await ask(
        { text: `CREATE TABLE ${MOVE_TABLE} (mark text NOT NULL)` },
        { text: `INSERT INTO ${MOVE_TABLE} (mark) VALUES ($1::text)`, values: [mark] },
      )
    },
    async forget() {
      await ask({ text: `DROP TABLE ${MOVE_TABLE}` })
    },
    async write(table, rows, before, after) {
      const replaced = await ask(insertion(table, rows), {
        text: `UPDATE ${MOVE_TABLE} SET mark = $1::text WHERE mark = $2::text`,
        values: [after, before],
      })
      if (replaced.affectedRows !== 1) throw movedByOther(place)
    },
    async adjustCounters() {
      await mendLedgerSequence(db)
    },
    verify: (progress) => createLedgerReader(db, undefined).verify(progress),
    async finish(record) {
      await ask(...recorded(db, record).map(statementOf), { text: `DROP TABLE ${MOVE_TABLE}` })
    },
  }
}

/** Runs statements in one transaction, in one round trip, and gives the rows of the last one. */
function createAsk(pool: Pool): (...statements: readonly Statement[]) => Promise<Rows> {
  const session = createSession(pool, { timeoutMs: STATEMENT_TIMEOUT_MS, keeps: false })
  const begin = beginning(STATEMENT_TIMEOUT_MS)
  return async (...statements) => {
    try {
      const [rows] = (await session.send([...begin, ...statements, COMMIT])).slice(-2)
      session.rest()
      if (!rows) throw new Error('each statement has an answer')
      return rows
    } catch (error) {
      await session.reset()
      throw callersError(error)
    }
  }
}

/** The next rows by primary key. */
function behind(what: string, table: MovedTable, after: Row | undefined, limit: number): Statement {
  const key = table.key.map((index) => table.columns[index]?.name).join(', ')
  const places = table.key.map((_, i) => `$${i + 2}`).join(', ')
  const where = after ? `WHERE (${key}) > (${places})` : ''
  const text = `SELECT ${what} FROM ${table.name} ${where} ORDER BY ${key} LIMIT $1::bigint`
  return { text, values: [BigInt(limit), ...(after ?? [])] }
}

/** One parameter for each column, so that the statement is the same however many rows there are. */
function insertion({ name, columns }: MovedTable, rows: readonly Row[]): Statement {
  const arrays = columns.map(({ type }, i) => `$${i + 1}::${type === 'text' ? 'text' : 'bigint'}[]`)
  return {
    text: `INSERT INTO ${name} (${columns.map((column) => column.name).join(', ')})
      SELECT * FROM unnest(${arrays.join(', ')})`,
    values: columns.map(({ type }, i) => {
      const cells = rows.map((row) => row[i] ?? null)
      return type === 'text' ? texts(cells as (string | null)[]) : bigints(cells as (bigint | null)[])
    }),
  }
}

interface SessionRow {
  readonly name: string | null
  readonly role: string | null
  readonly address: string | null
}

/**
 * Gateways and commands name their sessions `tollgate`, unless their URL names them otherwise: then they have the role
 * that the move has. A pooler keeps its connections for a while after a gateway has ended.
 */
async function otherSessions(db: Kysely<Schema>): Promise<string | undefined> {
  const { rows } = await sql<SessionRow>`
    SELECT application_name AS name, usename::text AS role, client_addr::text AS address
    FROM pg_catalog.pg_stat_activity
    WHERE datname = current_database() AND pid <> pg_backend_pid() AND application_name <> ${SESSION_NAME}
      AND coalesce(backend_type, 'client backend') = 'client backend'
      AND (application_name = 'tollgate' OR usename = current_user)`.execute(db)
  if (rows.length === 0) return undefined
  const named = rows.slice(0, SESSIONS_NAMED_MAX).map(describeSession)
  const more = rows.length > named.length ? ', …' : ''
  return `its server has ${rows.length} other session${rows.length === 1 ? '' : 's'} there (${named.join(', ')}${more}; a pooler keeps its own for a while)`
}

function describeSession({ name, role, address }: SessionRow): string {
  return `"${name ?? ''}" of role ${role ?? 'unknown'} from ${address ?? 'this machine'}`
}
