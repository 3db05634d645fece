import { COMMON_PAIRS } from './commonPairs.ts'
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
  let before = NOTHING
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    if (code < ASCII) {
      sum += PAIR_WEIGHTS[before * ASCII + code] ?? 0
      before = code
    } else if (code < FOREIGN_FROM) {
      sum += WEIGHTS[code] ?? 0
      before = NOTHING
    } else {
      sum += (WEIGHTS[code] ?? 0) + (BEGINS[before] ?? 0)
      before = FOREIGN
    }
  }
  return Math.ceil(sum / UNIT) + 1
}

/** Behind which no word goes on. */
const NOTHING = 0

const KIND_OTHER = 0
const KIND_SPACE = 1
const KIND_LOWER = 2
const KIND_UPPER = 3
const KIND_DIGIT = 4

/** Weights are in twelfths of a token. */
const UNIT = 12
const TRANSITION = 7
/** Where two scripts meet within a word. */
const SCRIPT_TURN = 9
/** Of a letter behind one that it seldom follows. */
const RARE_PAIR = 13
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
/** Behind a character of another script than Latin: a word does not go on there. */
const FOREIGN = ASCII
const FOREIGN_FROM = 0x370
/** Of an ASCII character behind another, or behind one of another script: a table, for the longest prompts are millions of them. */
const PAIR_WEIGHTS = new Uint8Array((FOREIGN + 1) * ASCII)
for (let before = 0; before <= FOREIGN; before++) {
  for (let code = 0; code < ASCII; code++) {
    PAIR_WEIGHTS[before * ASCII + code] = weightBehind(before, code)
  }
}

/** Of a character of another script behind a letter of ASCII. */
const BEGINS = new Uint8Array(FOREIGN + 1)
for (let before = 0; before < FOREIGN; before++) {
  if (isLetter(kindOf(before))) BEGINS[before] = SCRIPT_TURN
}

/** Words of code end where letters turn to digits or to capitals (`getHTTP2`); indentation is one token. */
function weightBehind(before: number, code: number): number {
  const weight = WEIGHTS[code] ?? 0
  const kind = kindOf(code)
  if (before === FOREIGN) return isLetter(kind) ? SCRIPT_TURN + weight : weight
  const kindBefore = kindOf(before)
  if (kind === KIND_SPACE && kindBefore === KIND_SPACE) return REPEATED_SPACE
  if (before !== code && isLetter(kind) && isLetter(kindBefore) && !isCommon(before, code)) return RARE_PAIR
  const turns = kind !== kindBefore && kind >= KIND_LOWER && kindBefore >= KIND_LOWER
  return turns && !(kindBefore === KIND_UPPER && kind === KIND_LOWER) ? TRANSITION + weight : weight
}

function isLetter(kind: number): boolean {
  return kind === KIND_LOWER || kind === KIND_UPPER
}

function isCommon(before: number, code: number): boolean {
  const [first, second] = [before, code].map((unit) => String.fromCharCode(unit).toLowerCase())
  return COMMON_PAIRS[first ?? '']?.includes(second ?? '') ?? false
}
