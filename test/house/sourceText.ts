/** A stretch of a source file. Template literals are split: `${…}` is code again. */
export interface Segment {
  readonly kind: 'code' | 'text' | 'pattern' | 'comment'
  readonly start: number
  readonly end: number
}

/** After these words a slash begins a regular expression; after any other word it divides. */
const BEFORE_A_PATTERN = new Set(
  'await case delete do else in instanceof new of return throw typeof void yield'.split(' '),
)

const TOKEN = new RegExp(
  [
    String.raw`(?<comment>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))`,
    String.raw`(?<text>'(?:\\[\s\S]|[^'\\\n])*'?|"(?:\\[\s\S]|[^"\\\n])*"?)`,
    String.raw`(?<word>[\p{ID_Start}$_#][\p{ID_Continue}$]*|\d[\w.]*)`,
    String.raw`(?<space>\s+)`,
    String.raw`(?<sign>[\s\S])`,
  ].join('|'),
  'uy',
)
const PATTERN = /\/(?:\\[^\n]|\[(?:\\[^\n]|[^\]\\\n])*\]|[^/\\[\n])+\/[a-z]*/y
const TEMPLATE = /(?:\\[\s\S]|\$(?!\{)|[^`\\$])*(?:`|\$\{|$)/y

/** Splits a source into code, texts, regular expressions and comments, in order and without gaps. */
export function segmentsOf(source: string): Segment[] {
  const segments: Segment[] = []
  // For each open `${`, how many braces of code are open inside.
  const openBraces: number[] = []
  let at = 0
  let divides = false
  const add = (kind: Segment['kind'], end: number): void => {
    const last = segments.at(-1)
    if (kind === 'code' && last?.kind === 'code') segments[segments.length - 1] = { ...last, end }
    else segments.push({ kind, start: at, end })
    at = end
  }
  const addTemplate = (): void => {
    const end = endOf(TEMPLATE, source, at + 1) ?? source.length
    if (source.startsWith('${', end - 2)) openBraces.push(0)
    divides = source[end - 1] === '`'
    add('text', end)
  }
  while (at < source.length) {
    TOKEN.lastIndex = at
    const { comment, text, word, space, sign = '' } = TOKEN.exec(source)?.groups ?? {}
    const inner = openBraces.at(-1)
    if (comment !== undefined) {
      add('comment', at + comment.length)
    } else if (text !== undefined) {
      add('text', at + text.length)
      divides = true
    } else if (word !== undefined) {
      add('code', at + word.length)
      divides = !BEFORE_A_PATTERN.has(word)
    } else if (space !== undefined) {
      add('code', at + space.length)
    } else if (sign === '`') {
      addTemplate()
    } else if (sign === '}' && inner === 0) {
      openBraces.pop()
      addTemplate()
    } else {
      const end: number | undefined = sign === '/' && !divides ? endOf(PATTERN, source, at) : undefined
      if (inner !== undefined && sign === '{') openBraces[openBraces.length - 1] = inner + 1
      if (inner !== undefined && sign === '}') openBraces[openBraces.length - 1] = inner - 1
      divides = end !== undefined || sign === ')' || sign === ']' || sign === '}'
      if (end === undefined) add('code', at + sign.length)
      else add('pattern', end)
    }
  }
  return segments
}

/** The source with only segments of these kinds. The others become spaces, so that each place keeps its line. */
export function only(
  source: string,
  kinds: readonly Segment['kind'][],
  segments: readonly Segment[] = segmentsOf(source),
): string {
  return segments
    .map(({ kind, start, end }) => {
      const text = source.slice(start, end)
      return kinds.includes(kind) ? text : text.replaceAll(/[^\n]+/g, ({ length }) => ' '.repeat(length))
    })
    .join('')
}

/** The line of a place in a text, from 1. */
export function lineAt(text: string, index: number): number {
  let line = 1
  for (let end = text.indexOf('\n'); end !== -1 && end < index; end = text.indexOf('\n', end + 1)) line += 1
  return line
}

function endOf(pattern: RegExp, source: string, start: number): number | undefined {
  pattern.lastIndex = start
  return pattern.test(source) ? pattern.lastIndex : undefined
}
