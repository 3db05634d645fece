import { sql, type Kysely } from 'kysely'
import { unreachable } from '../../core/assert.ts'
import type { KeyId, WorkspaceId } from '../../core/id.ts'
import { DAY_MS, utcDay } from '../../core/limit.ts'
import { addNano } from '../../core/money.ts'
import type { UsageGroup, UsageQuery } from '../../core/ports/books.ts'
import { readNano, readNumber } from '../rows.ts'
import type { Schema, StoredInteger } from '../schema.ts'
import { nextTurn } from './nextTurn.ts'

/** How many workspaces are listed at once when the usage of all is added up. */
const WORKSPACES_PER_READ = 1_000

/**
 * Adds up usage records, group by group in order of the groups.
 * @param rowsPerRead how many records one statement reads, calls go on in between; infinite: all of them
 */
export async function sumUsage(
  db: Kysely<Schema>,
  query: UsageQuery,
  rowsPerRead: number,
): Promise<readonly UsageGroup[]> {
  if (rowsPerRead === Infinity) return readUsage(db, query)
  const sums = new Map<string, UsageGroup>()
  for await (const slice of slicesOf(db, query, rowsPerRead)) {
    for (const part of await readUsage(db, slice)) {
      const sum = sums.get(part.group)
      sums.set(part.group, sum ? addUsageGroups(sum, part) : part)
    }
    await nextTurn()
  }
  return [...sums.values()].toSorted((a, b) => (a.group < b.group ? -1 : 1))
}

function addUsageGroups(a: UsageGroup, b: UsageGroup): UsageGroup {
  return {
    group: a.group,
    requests: a.requests + b.requests,
    promptTokens: a.promptTokens + b.promptTokens,
    completionTokens: a.completionTokens + b.completionTokens,
    charge: addNano(a.charge, b.charge),
  }
}

/** The same question in parts, each about so many records that follow each other in an index. */
async function* slicesOf(
  db: Kysely<Schema>,
  query: UsageQuery,
  rowsPerRead: number,
): AsyncGenerator<UsageQuery> {
  const { workspaceId, keyId, ...rest } = query
  if (keyId !== undefined) {
    // A key is of one workspace: by both, a read might follow the other's index.
    const mayHaveSome = workspaceId === undefined || (await workspaceOfKey(db, keyId)) === workspaceId
    if (mayHaveSome) yield* timeSlicesOf(db, { ...rest, keyId }, rowsPerRead)
    return
  }
  if (workspaceId !== undefined) {
    yield* timeSlicesOf(db, query, rowsPerRead)
    return
  }
  for await (const id of workspaceIds(db)) {
    yield* timeSlicesOf(db, { ...query, workspaceId: id }, rowsPerRead)
  }
}

async function* timeSlicesOf(
  db: Kysely<Schema>,
  query: UsageQuery,
  rowsPerRead: number,
): AsyncGenerator<UsageQuery> {
  let rest = query
  for (;;) {
    const next = await startedAfter(db, rest, rowsPerRead)
    if (next === undefined) {
      yield rest
      return
    }
    // Of one millisecond, a slice takes all records or none.
    const to = rest.from !== undefined && next <= rest.from ? rest.from + 1 : next
    yield { ...rest, to }
    rest = { ...rest, from: to }
  }
}

/** When the record started that so many others come before; undefined when there are no more than those. */
async function startedAfter(
  db: Kysely<Schema>,
  { from, to, workspaceId, keyId }: UsageQuery,
  records: number,
): Promise<number | undefined> {
  let select = db
    .selectFrom('usage_records')
    .select('started_at')
    .orderBy('started_at')
    .limit(1)
    .offset(records)
  if (keyId !== undefined) select = select.where('key_id', '=', keyId)
  if (workspaceId !== undefined) select = select.where('workspace_id', '=', workspaceId)
  if (from !== undefined) select = select.where('started_at', '>=', from)
  if (to !== undefined) select = select.where('started_at', '<', to)
  const row = await select.executeTakeFirst()
  return row && readNumber(row.started_at)
}

/** Undefined when the key was never used. */
async function workspaceOfKey(db: Kysely<Schema>, key: KeyId): Promise<string | undefined> {
  const row = await db
    .selectFrom('usage_records')
    .select('workspace_id')
    .where('key_id', '=', key)
    .limit(1)
    .executeTakeFirst()
  return row?.workspace_id
}

async function* workspaceIds(db: Kysely<Schema>): AsyncGenerator<WorkspaceId> {
  let last = ''
  for (;;) {
    const rows = await db
      .selectFrom('workspaces')
      .select('id')
      .where('id', '>', last)
      .orderBy('id')
      .limit(WORKSPACES_PER_READ)
      .execute()
    for (const row of rows) yield row.id as WorkspaceId
    if (rows.length < WORKSPACES_PER_READ) return
    last = rows.at(-1)?.id ?? last
  }
}

async function readUsage(db: Kysely<Schema>, query: UsageQuery): Promise<UsageGroup[]> {
  const group = groupColumn(query.groupBy)
  let select = db
    .selectFrom('usage_records')
    .select([
      group.as('group'),
      sql<StoredInteger>`count(*)`.as('requests'),
      sql<StoredInteger>`sum(prompt_tokens)`.as('prompt_tokens'),
      sql<StoredInteger>`sum(completion_tokens)`.as('completion_tokens'),
      sql<StoredInteger>`sum(charge)`.as('charge'),
    ])
    .groupBy(group)
    .orderBy(group)
  if (query.from !== undefined) select = select.where('started_at', '>=', query.from)
  if (query.to !== undefined) select = select.where('started_at', '<', query.to)
  if (query.workspaceId !== undefined) select = select.where('workspace_id', '=', query.workspaceId)
  if (query.keyId !== undefined) select = select.where('key_id', '=', query.keyId)
  if (query.model !== undefined) select = select.where('model', '=', query.model)
  const rows = await select.execute()
  return rows.map((row) => ({
    group: query.groupBy === 'day' ? utcDay(readNumber(row.group) * DAY_MS) : String(row.group),
    requests: readNumber(row.requests),
    promptTokens: readNumber(row.prompt_tokens),
    completionTokens: readNumber(row.completion_tokens),
    charge: readNano(row.charge),
  }))
}

/** A UTC day as its number since the epoch, or the column itself. */
function groupColumn(groupBy: UsageQuery['groupBy']) {
  switch (groupBy) {
    case 'day':
      return sql<StoredInteger>`started_at / ${sql.lit(DAY_MS)}`
    case 'model':
      return sql<string>`model`
    case 'key':
      return sql<string>`key_id`
    case 'workspace':
      return sql<string>`workspace_id`
    default:
      return unreachable(groupBy)
  }
}
