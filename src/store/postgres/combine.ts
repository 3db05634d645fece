import { RecentMap } from '../../core/recent.ts'
import type { Statement } from './pool.ts'

/** Texts of combined statements by what they combine: only a handful of combinations occur. */
const COMBINATIONS_MAX = 500
const combined = new RecentMap<string, string>(COMBINATIONS_MAX)

/**
 * Makes one statement of several that write, each to a table of its own: what a statement costs beside its
 * rows is then paid once. Only for INSERT, UPDATE and DELETE: a SELECT that nobody asks would not run.
 */
export function combineWrites(statements: readonly Statement[]): Statement {
  const values = statements.flatMap((statement) => statement.values ?? [])
  const key = statements.map(({ text }) => text).join(';')
  let text = combined.get(key)
  if (text === undefined) {
    text = combineTexts(statements)
    combined.set(key, text)
  }
  return { text, values }
}

function combineTexts(statements: readonly Statement[]): string {
  let used = 0
  const parts = statements.map(({ text, values = [] }, index) => {
    const offset = used
    used += values.length
    return `write_${index} AS (${text.replaceAll(/\$(\d+)/g, (_, number) => `$${Number(number) + offset}`)})`
  })
  return `WITH ${parts.join(',\n')} SELECT 1`
}
