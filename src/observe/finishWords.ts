/** A longer word, or one of other characters, is not a reason: it may be a piece of a prompt, or with digits a key. */
const WORD = /^[A-Za-z][A-Za-z_.:-]{0,39}$/
/** So many distinct words are counted apart. */
export const FINISH_WORDS_MAX = 20
const OTHER = 'other'

/** The words that providers end answers with and no list has, as the log and the metrics may show them. */
export function createFinishWords(): (word: string) => string {
  const known = new Set<string>()
  return (word) => {
    if (!WORD.test(word)) return OTHER
    if (known.size < FINISH_WORDS_MAX) known.add(word)
    return known.has(word) ? word : OTHER
  }
}
