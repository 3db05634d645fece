import { type SourceFile, findAll } from './source.ts'

/** A line that the source writes to the log. */
export interface LogLine {
  readonly level: string
  /** What stands in for a value is `…`; undefined: not a literal, so told in `expression`. */
  readonly message: string | undefined
  readonly expression: string
  readonly path: string
}

const CALL =
  /\b(?:log|errors)\.(debug|info|warn|error)\(|\blog\[level\]\(|(?<!function )\b(words)\(|(?<!function )\bwarn(?:Of|\?\.)?\(/g
const LITERAL = /'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|`((?:[^`\\]|\\.)*)`/g

/** Every call of the logger, by the literals in its last argument. */
export function logLines(files: readonly SourceFile[]): LogLine[] {
  return files.flatMap((file) =>
    [...file.text.matchAll(CALL)].flatMap((match): LogLine[] => {
      const level = match[1] ?? (match[2] ? 'debug' : 'warn')
      const open = match.index + match[0].lastIndexOf('(')
      const expression = lastArgument(file.text, open)
      const messages = messagesIn(expression, file)
      if (messages.length === 0) return [{ level, message: undefined, expression, path: file.path }]
      return messages.map((message) => ({ level, message, expression, path: file.path }))
    }),
  )
}

/** The last of the arguments whose parenthesis opens here. */
function lastArgument(text: string, open: number): string {
  let depth = 0
  let start = open + 1
  let last = ''
  let quote = ''
  for (let i = open; i < text.length; i++) {
    const sign = text[i] ?? ''
    if (quote !== '') {
      if (sign === '\\') i++
      else if (sign === quote) quote = ''
    } else if (sign === "'" || sign === '"' || sign === '`') quote = sign
    else if ('([{'.includes(sign)) depth++
    else if (')]}'.includes(sign)) depth--
    if (depth === 0 || (depth === 1 && sign === ',' && quote === '')) {
      last = text.slice(start, i).trim() || last
      start = i + 1
    }
    if (depth === 0) break
  }
  return last
}

/** Texts that stand there, or constants of the file that hold one. */
function messagesIn(expression: string, file: SourceFile): string[] {
  const literals = [...expression.matchAll(LITERAL)].map(
    ([, single, double, template]) => single ?? double ?? template ?? '',
  )
  const constants = [...expression.matchAll(/\b[A-Z][A-Z_]+\b/g)].flatMap(([name]) => [
    ...findAll([file], new RegExp(`const ${name} =\\s*['"\`](.+)['"\`]\\n`, 'g')),
  ])
  return [...literals, ...constants].map((text) =>
    (text.split(/\\n|\n/)[0] ?? '').replaceAll(/\$\{[^}]*\}/g, '…').replaceAll('\\', ''),
  )
}
