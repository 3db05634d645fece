import { isCollection, isScalar, visit, type Document, type YAMLParseError } from 'yaml'
import { printableStart } from '../core/printable.ts'
import { quoted } from './values.ts'

/** A mistake of YAML itself, in words for somebody who does not know the parser's. */
export interface SyntaxMistake {
  readonly offset: number
  readonly message: string
}

/**
 * What is wrong with the file as YAML: every name that stands twice, and the first of the other mistakes, since one
 * bracket that is open gives several errors further down.
 */
export function syntaxMistakes(document: Document, text: string): SyntaxMistake[] {
  const twice = document.errors.filter(({ code }) => code === 'DUPLICATE_KEY')
  const first = document.errors.find(({ code }) => code !== 'DUPLICATE_KEY')
  return [...(first ? [mistakeOf(first, document, text)] : []), ...twice.map((error) => twiceOf(error, text))]
}

const WORDS: Partial<Record<YAMLParseError['code'], string>> = {
  TAB_AS_INDENT: 'begins with a tab: indent with spaces',
  BAD_INDENT: 'is indented differently from the lines that it belongs to',
  MULTILINE_IMPLICIT_KEY: 'is not a name with a value: is a colon missing?',
  BLOCK_AS_IMPLICIT_KEY: 'holds a second colon: put the value in quotes',
  BAD_SCALAR_START: 'begins with a sign that means something else in YAML: put the value in quotes',
  BAD_ALIAS: 'begins with * but is not an anchor: put the value in quotes',
  BAD_DQ_ESCAPE: 'holds a backslash that means nothing in double quotes: put the value in single quotes',
  MULTIPLE_DOCS: 'begins a second document: a configuration is one',
  UNEXPECTED_TOKEN: 'does not belong here: is a comma, a quote or a line break missing before it?',
}

function mistakeOf(error: YAMLParseError, document: Document, text: string): SyntaxMistake {
  const open = openReference(text, error.pos[0])
  if (open !== undefined) return { offset: open, message: 'begins a reference that is not closed: ${NAME}' }
  if (/Missing closing ["']quote/.test(error.message)) {
    return { offset: openQuote(document, text) ?? error.pos[0], message: 'begins a quote that is not closed' }
  }
  const closing = /end with a ([}\]])/.exec(error.message)?.[1]
  if (closing !== undefined) {
    const sign = closing === '}' ? '{' : '['
    return {
      offset: openBracket(document, text, sign) ?? error.pos[0],
      message: `begins with ${sign}, and the ${closing} that closes it is missing`,
    }
  }
  if (/Sequence item without/.test(error.message)) return plain(error, WORDS.BAD_INDENT)
  if (/between flow/.test(error.message)) return plain(error, 'follows without a comma between')
  if (/followed by map values/.test(error.message)) return plain(error, WORDS.MULTILINE_IMPLICIT_KEY)
  return plain(error)
}

function twiceOf({ pos }: YAMLParseError, text: string): SyntaxMistake {
  const name = /^(?:"([^"\n]*)"|'([^'\n]*)'|([^\s:,{}[\]]+))/.exec(text.slice(pos[0]))
  const key = name?.[1] ?? name?.[2] ?? name?.[3] ?? ''
  return { offset: pos[0], message: `${quoted(key)} is written twice: each name may stand once` }
}

function plain({ code, pos, message }: YAMLParseError, words = WORDS[code]): SyntaxMistake {
  return { offset: pos[0], message: words ?? `is not YAML: ${printableStart(message)}` }
}

/** The last quote that does not end. */
function openQuote(document: Document, text: string): number | undefined {
  let found: number | undefined
  visit(document, {
    Scalar(_, { range }) {
      if (!range) return
      const quote = text[range[0]] ?? ''
      const ends = range[1] - 1 > range[0] && text[range[1] - 1] === quote
      if ((quote === '"' || quote === "'") && !ends) found = range[0]
    },
  })
  return found
}

/** The last bracket of a kind that does not end. */
function openBracket(document: Document, text: string, sign: '{' | '['): number | undefined {
  const closing = sign === '{' ? '}' : ']'
  let found: number | undefined
  visit(document, {
    Node(_, node) {
      if (isScalar(node) || !isCollection(node) || !node.range) return
      if (text[node.range[0]] === sign && text[node.range[1] - 1] !== closing) found = node.range[0]
    },
  })
  return found
}

/** `${NAME` without its end, in the line of a mistake. */
function openReference(text: string, offset: number): number | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const end = text.indexOf('\n', offset)
  const line = text.slice(start, end < 0 ? undefined : end)
  const at = /(?<!\$)\$\{[^}]*$/.exec(line)?.index
  return at === undefined ? undefined : start + at
}
