const MAX_TYPOS = 2

/** ` (did you mean "port"?)` for the nearest word, or nothing when none is near. */
export function didYouMean(written: string, known: Iterable<string>): string {
  const word = nearestWord(written, known)
  return word === undefined ? '' : ` (did you mean "${word}"?)`
}

/** The word that was probably meant: at most two typing mistakes away, and fewer in a short one. */
export function nearestWord(written: string, known: Iterable<string>): string | undefined {
  let best: string | undefined
  let least = Math.min(MAX_TYPOS, Math.floor(written.length / 2)) + 1
  for (const word of known) {
    const distance = typos(plain(written), plain(word), least)
    if (distance < least) [best, least] = [word, distance]
  }
  return best
}

/** `maxOutputTokens` and `max-output-tokens` are `max_output_tokens` to a reader. */
function plain(word: string): string {
  return word.toLowerCase().replaceAll(/[_-]/g, '')
}

/** Edits between two words: insert, delete, replace, swap of neighbours; stops counting at `limit`. */
function typos(a: string, b: string, limit: number): number {
  if (Math.abs(a.length - b.length) >= limit) return limit
  let before: number[] = []
  let above = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1]
      let cost = Math.min(
        (above[j] ?? limit) + 1,
        (row[j - 1] ?? limit) + 1,
        (above[j - 1] ?? limit) + (same ? 0 : 1),
      )
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        cost = Math.min(cost, (before[j - 2] ?? limit) + 1)
      row.push(cost)
    }
    before = above
    above = row
  }
  return above[b.length] ?? limit
}
