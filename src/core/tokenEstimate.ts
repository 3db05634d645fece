/**
 * A quick count of tokens that rather errs upwards, for holds: nothing is charged by it while a
 * provider reports usage. For natural text and code it is at least what o200k counts and for English
 * less than twice that; only text without any language (base64, random letters) may have more tokens.
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

/**
 * Twelfths of a token per UTF-16 unit, by script: a third of a token for a Latin letter, about one for
 * an ideograph, and for scripts that vocabularies hardly know one for each byte of UTF-8.
 */
const SCRIPTS: readonly (readonly [from: number, weight: number])[] = [
  [0x0000, 12],
  [0x0080, 14],
  [0x0370, 7],
  [0x0400, 6],
  [0x0530, 9],
  [0x0590, 7],
  [0x0700, 24],
  [0x0900, 9],
  [0x0e80, 36],
  [0x1000, 9],
  [0x10a0, 7],
  [0x1100, 36],
  [0x1200, 30],
  [0x13a0, 36],
  [0x1780, 11],
  [0x1800, 36],
  [0x1e00, 12],
  [0x2000, 12],
  [0x2070, 30],
  [0x2c00, 36],
  [0x3000, 12],
  [0x3100, 30],
  [0x4e00, 14],
  [0xa000, 36],
  [0xac00, 11],
  [0xd7a4, 24],
  [0xe000, 36],
  [0xf900, 30],
  [0xff00, 18],
]

const WEIGHTS = new Uint8Array(0x10000)
SCRIPTS.forEach(([from, weight], index) => WEIGHTS.fill(weight, from, SCRIPTS[index + 1]?.[0]))
for (let code = 0x20; code < 0x7f; code++) {
  const kind = kindOf(code)
  WEIGHTS[code] = kind === KIND_OTHER ? 10 : kind === KIND_DIGIT ? 8 : 4
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
