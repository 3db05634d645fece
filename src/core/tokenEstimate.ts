import { IDEOGRAPHS, SYLLABLES } from './commonCharacters.ts'
import { LETTERS, SCRIPTS } from './scriptWeights.ts'

/**
 * A quick count of tokens that rather errs upwards, for holds: nothing is charged by it while a
 * provider reports usage. For natural text and code it is at least what o200k counts and for English
 * less than twice that. Random letters of any script are near their count; base64, and one letter of a living language
 * again and again, may have more tokens.
 */
export function estimateTokens(text: string): number {
  if (text === '') return 0
  let sum = 0
  let before = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < ASCII) {
      sum += PAIR_WEIGHTS[before + code] ?? 0
      before = PAIRS_OF[code] ?? 0
    } else {
      sum += WEIGHTS[code] ?? 0
      before = 0
    }
  }
  return Math.ceil(sum / UNIT) + 1
}

const KIND_OTHER = 0
const KIND_SPACE = 1
const KIND_LOWER = 2
const KIND_UPPER = 3
const KIND_DIGIT = 4

/** Weights are in twelfths of a token. */
const UNIT = 12
const TRANSITION = 7
const REPEATED_SPACE = 1

function kindOf(code: number): number {
  if (code === 0x20 || code === 0x09) return KIND_SPACE
  if (code >= 0x61 && code <= 0x7a) return KIND_LOWER
  if (code >= 0x41 && code <= 0x5a) return KIND_UPPER
  if (code >= 0x30 && code <= 0x39) return KIND_DIGIT
  return KIND_OTHER
}

const IDEOGRAPH = 15
const SYLLABLE = 11
const CONTROL = 12

/** Twelfths of a token per UTF-16 unit. */
const WEIGHTS = new Uint8Array(0x10000)
WEIGHTS.fill(CONTROL, 0, 0x80)
SCRIPTS.forEach(([from, weight], index) => WEIGHTS.fill(weight, from, SCRIPTS[index + 1]?.[0]))
for (const [weight, letters] of LETTERS) weigh(letters, weight)
for (const ideographs of IDEOGRAPHS) weigh(ideographs, IDEOGRAPH)
for (const syllables of SYLLABLES) weigh(syllables, SYLLABLE)
for (let code = 0x20; code < 0x7f; code++) {
  const kind = kindOf(code)
  WEIGHTS[code] = kind === KIND_OTHER ? 10 : kind === KIND_DIGIT ? 8 : 4
}

function weigh(characters: string, weight: number): void {
  for (let i = 0; i < characters.length; i++) WEIGHTS[characters.charCodeAt(i)] = weight
}

const ASCII = 0x80
/** Of an ASCII character behind one of a kind: a table, for the longest prompts are millions of them. */
const PAIR_WEIGHTS = new Uint8Array((KIND_DIGIT + 1) * ASCII)
/** Where a kind's pairs begin, by the character that is of it. */
const PAIRS_OF = new Uint16Array(ASCII)
for (let code = 0; code < ASCII; code++) {
  const kind = kindOf(code)
  PAIRS_OF[code] = kind * ASCII
  for (let before = KIND_OTHER; before <= KIND_DIGIT; before++) {
    PAIR_WEIGHTS[before * ASCII + code] = weightBehind(before, kind, WEIGHTS[code] ?? 0)
  }
}

/** Words of code end where letters turn to digits or to capitals (`getHTTP2`); indentation is one token. */
function weightBehind(before: number, kind: number, weight: number): number {
  if (kind === KIND_SPACE && before === KIND_SPACE) return REPEATED_SPACE
  const turns = kind !== before && kind >= KIND_LOWER && before >= KIND_LOWER
  return turns && !(before === KIND_UPPER && kind === KIND_LOWER) ? TRANSITION + weight : weight
}
