/** A fenced block of a document. */
export interface Block {
  /** First word after the fence; empty where there is none. */
  readonly language: string
  /** What follows it: the name of a file, or of a schema. */
  readonly about: string
  readonly text: string
  /** Line of the fence, from 1. */
  readonly line: number
  /** What the comment before it says to the test: `not run: why`, `keeps running`. */
  readonly note: string | undefined
}

const FENCE = /^( *)```(\S*) *(.*)\n([\s\S]*?)^\1```$/gm
const NOTE = /<!-- ([^>]*) -->\s*$/

/** The fenced blocks of a Markdown text, in order. */
export function blocksOf(markdown: string): Block[] {
  return [...markdown.matchAll(FENCE)].map((match) => {
    const [, indent = '', language = '', about = '', body = ''] = match
    const before = markdown.slice(0, match.index)
    return {
      language,
      about: about.trim(),
      text: body.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
      line: before.split('\n').length,
      note: NOTE.exec(before)?.[1],
    }
  })
}
