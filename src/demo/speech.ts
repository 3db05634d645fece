import { ENDINGS, OBJECTS, OPENINGS, SUBJECTS, VERBS } from './phrases.ts'

const SENTENCES_MIN = 3
const SENTENCES_MORE = 4
const SENTENCES_PER_PARAGRAPH = 3

/**
 * Plausible English, token by token, the same for the same seed. Ends by itself after a few sentences,
 * or goes on until `length` tokens have been given.
 */
export function* speech(seed: number, length?: number): Generator<string, void> {
  const pick = picker(seed)
  const few = SENTENCES_MIN + pick(SENTENCES_MORE)
  const sentences = length === undefined ? few : Infinity
  let given = 0
  for (let sentence = 0; sentence < sentences; sentence++) {
    const words = sentence === 0 ? from(OPENINGS) : `${from(SUBJECTS)} ${from(VERBS)} ${from(OBJECTS)}`
    const ending = sentence > 0 && pick(2) === 0 ? `, ${from(ENDINGS)}` : ''
    const opens = sentence % SENTENCES_PER_PARAGRAPH === 0
    const closes = (sentence + 1) % SENTENCES_PER_PARAGRAPH === 0 && sentence + 1 < sentences
    for (const token of tokensOf(
      `${opens ? '' : ' '}${capitalised(words)}${ending}${closes ? '.\n\n' : '.'}`,
    )) {
      if (given === length) return
      given++
      yield token
    }
  }

  function from(list: readonly string[]): string {
    return list[pick(list.length)] ?? ''
  }
}

/** Splits as the tokenizer does: a word takes the space before it; a mark stands alone. */
export function tokensOf(text: string): string[] {
  return text.match(/\.?\n\n| ?[A-Za-z]+|[^A-Za-z]/g) ?? []
}

function capitalised(words: string): string {
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** Mulberry32: a small generator whose numbers depend on the seed alone. */
function picker(seed: number): (below: number) => number {
  let state = seed | 0
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** FNV-1a: a seed of a text. */
export function seedOf(text: string): number {
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return hash >>> 0
}
