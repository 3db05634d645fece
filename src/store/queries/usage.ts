import { sql, type Kysely } from 'kysely'
import { unreachable } from '../../core/assert.ts'
import type { WorkspaceId } from '../../core/id.ts'
import { DAY_MS, utcDay } from '../../core/limit.ts'
import { addNano } from '../../core/money.ts'
import type { UsageGroup, UsageQuery } from '../../core/ports/books.ts'
import { readNano, readNumber } from '../rows.ts'
import type { Schema, StoredInteger } from '../schema.ts'
import { workspaceAsked } from './requests.ts'
import type { Pace } from './turns.ts'
import { readTimeWindows, within, type TimeWindow } from './windows.ts'

/** How many workspaces are listed at once when the usage of all is added up. */
const WORKSPACES_PER_READ = 1_000
/** How many names of keys or workspaces are read at once. */
const NAMES_PER_READ = 500

/**
 * Adds up usage records, group by group in order of the groups.
 * @param by how the engine finds the records of all workspaces
 */
export async function sumUsage(
  db: Kysely<Schema>,
  query: UsageQuery,
  pace: Pace,
  by: 'workspace' | 'time',
): Promise<readonly UsageGroup[]> {
  const workspaceId = await workspaceAsked(db, query)
  if (workspaceId === null) return []
  const { from, to: before, ...rest } = query
  const sums = new Map<string, UsageGroup>()
  const all = by === 'time' ? [undefined] : workspaceIds(db)
  for await (const id of workspaceId === undefined ? all : [workspaceId]) {
    const asked = { ...rest, ...(id !== undefined && { workspaceId: id }) }
    const windows = readTimeWindows(db, { workspaceId: id, from, before }, pace, (window) =>
      readUsage(db, asked, window),
    )
    for await (const parts of windows) {
      for (const part of parts) {
        const sum = sums.get(part.group)
        sums.set(part.group, sum ? addUsageGroups(sum, part) : part)
      }
    }
  }
  return withNames(
    db,
    query.groupBy,
    [...sums.values()].toSorted((a, b) => (a.group < b.group ? -1 : 1)),
  )
}

/** Keys and workspaces with what people call them: whoever reads who spent what does not know ids. */
async function withNames(
  db: Kysely<Schema>,
  groupBy: UsageQuery['groupBy'],
  groups: readonly UsageGroup[],
): Promise<readonly UsageGroup[]> {
  if (groupBy !== 'key' && groupBy !== 'workspace') return groups
  const names = new Map<string, string>()
  for (let start = 0; start < groups.length; start += NAMES_PER_READ) {
    const ids = groups.slice(start, start + NAMES_PER_READ).map(({ group }) => group)
    const rows = await db
      .selectFrom(groupBy === 'key' ? 'keys' : 'workspaces')
      .select(['id', 'name'])
      .where('id', 'in', ids)
      .execute()
    for (const { id, name } of rows) names.set(id, name)
  }
  return groups.map((group) => {
    const name = names.get(group.group)
    return name === undefined ? group : { ...group, name }
  })
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

async function readUsage(
  db: Kysely<Schema>,
  query: Omit<UsageQuery, 'from' | 'to'>,
  window: TimeWindow,
): Promise<UsageGroup[]> {
  const group = groupColumn(query.groupBy)
  let select = within(
    db
      .selectFrom('usage_records')
      .select([
        group.as('group'),
        sql<StoredInteger>`count(*)`.as('requests'),
        sql<StoredInteger>`sum(prompt_tokens)`.as('prompt_tokens'),
        sql<StoredInteger>`sum(completion_tokens)`.as('completion_tokens'),
        sql<StoredInteger>`sum(charge)`.as('charge'),
      ]),
    'started_at',
    window,
  )
    .groupBy(group)
    .orderBy(group)
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
