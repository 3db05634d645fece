import { printable } from '../core/printable.ts'
import type { ListView } from '../operations/page.ts'
import type { Query } from '../operations/operations.ts'
import type { CommandContext } from './commandContext.ts'
import { CommandFailure } from './usageError.ts'

const PAGE_LIMIT = '100'

/** Shows a list: one page, or with `--all` every page put together. */
export async function showList<View>(
  context: CommandContext,
  fetchPage: (query: Query) => Promise<ListView<View>>,
  table: (rows: readonly View[]) => string,
  filters: Query = {},
): Promise<number> {
  const query = pageQuery(context, filters)
  const list = context.isOn('all') ? await everyPage(fetchPage, query) : await fetchPage(query)
  context.show(list, ({ data }) => table(data))
  if (list.next_cursor !== null && !context.isOn('json')) {
    context.io.err(`There is more: --cursor ${printable(list.next_cursor)}, or --all\n`)
  }
  return 0
}

/** The list options as query parameters, with the command's own filters. */
function pageQuery(context: CommandContext, filters: Query): Query {
  return { limit: context.value('limit'), cursor: context.value('cursor'), ...filters }
}

async function everyPage<View>(
  fetchPage: (query: Query) => Promise<ListView<View>>,
  query: Query,
): Promise<ListView<View>> {
  const data: View[] = []
  const seen = new Set<string>()
  let { cursor } = query
  do {
    const page = await fetchPage({ ...query, limit: PAGE_LIMIT, cursor })
    data.push(...page.data)
    cursor = page.next_cursor ?? undefined
    if (cursor !== undefined && seen.has(cursor)) {
      throw new CommandFailure('the list does not end: a page names one that has been shown as the next')
    }
    if (cursor !== undefined) seen.add(cursor)
  } while (cursor !== undefined)
  return { data, next_cursor: null }
}
