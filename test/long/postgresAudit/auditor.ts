import { SQL } from 'bun'
import { type Check, CHECKS, PREPARATION } from './checks.ts'

/** What became of calls, as their callers saw it. */
export interface Outcomes {
  /** Ids of those whose completion came whole. */
  readonly answered: readonly string[]
  /** Ids of those that got an error, as a status or as an event in the stream. */
  readonly refused: readonly string[]
  /** How many ended without either. */
  readonly cut: number
  /** What each of the answered costs, in nano-dollars. */
  readonly cost: bigint
}

/** A check that failed. */
export interface Fault {
  readonly check: string
  /** The first that contradict it. */
  readonly found: readonly string[]
}

export interface Findings {
  /** What is wrong whatever is still under way. */
  readonly faults: readonly Fault[]
  /** What is wrong unless something is still under way. */
  readonly unfinished: readonly Fault[]
}

const FOUND_MAX = 5

/** Audits the books of one instant. The tables are those of the search path of the client, which has one connection. */
export async function audit(sql: SQL, outcomes: Outcomes): Promise<Findings> {
  return sql.begin('isolation level repeatable read', async (snapshot) => {
    for (const name of ['answered', 'refused'] as const) {
      await snapshot.unsafe(`create temp table ${name} (id text not null primary key) on commit drop`)
      await snapshot.unsafe(`insert into ${name} select json_array_elements_text($1::text::json)`, [
        JSON.stringify(outcomes[name]),
      ])
    }
    await snapshot.unsafe('create temp table expected (cost bigint, cut bigint) on commit drop')
    await snapshot.unsafe(`insert into expected values (${outcomes.cost}, ${outcomes.cut})`)
    for (const statement of PREPARATION) await snapshot.unsafe(statement)

    const findings = { faults: [] as Fault[], unfinished: [] as Fault[] }
    for (const check of CHECKS) {
      const found = await contradictions(snapshot, check)
      if (found.length === 0) continue
      findings[check.onlyAtRest ? 'unfinished' : 'faults'].push({ check: check.name, found })
    }
    return findings
  })
}

async function contradictions(sql: SQL, { query }: Check): Promise<string[]> {
  const rows = await sql.unsafe<{ what: string }[]>(
    `select what from (${query}) as found (what) limit ${FOUND_MAX}`,
  )
  return Array.from(rows, ({ what }) => what)
}

/** Audits on a connection of its own. */
export async function auditAt(url: string, outcomes: Outcomes): Promise<Findings> {
  const sql = new SQL(url, { max: 1 })
  try {
    return await audit(sql, outcomes)
  } finally {
    await sql.close({ timeout: 0 })
  }
}
