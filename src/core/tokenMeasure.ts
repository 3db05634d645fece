/** A measure of one token. */
export const MEASURE_PER_TOKEN = 12

/** The measure of a character that is no letter and repeats the one before: vocabularies have tokens of many of them. */
export const REPEATED_MEASURE = 3

/**
 * How many tokens a text is, in parts of `MEASURE_PER_TOKEN`: near the truth for natural text, code and JSON, where `estimateTokens` errs
 * upwards. By single characters, so that it can be cut anywhere. Text without any language may have more tokens.
 *
 * @param before the UTF-16 unit before the text; 0: none
 */
export function measureTokens(text: string, before = 0): number {
  let sum = 0
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    sum += code === before && isSign(code) ? REPEATED_MEASURE : (MEASURES[code] ?? 0)
    before = code
  }
  return sum
}

/** A character of ASCII that is neither letter nor digit. */
export function isSign(code: number): boolean {
  return (
    code < 0x30 ||
    (code > 0x39 && code < 0x41) ||
    (code > 0x5a && code < 0x61) ||
    (code > 0x7a && code < 0x80)
  )
}

const LETTER = 3
const DIGIT = 6
const BLANK = 3
const SIGN = 7

/** By script: what a UTF-16 unit takes in o200k, from many letters for a token to many tokens for a letter. */
const SCRIPTS: readonly (readonly [from: number, measure: number])[] = [
  [0x0000, LETTER],
  [0x0080, 8],
  [0x0370, 5],
  [0x0400, 4],
  [0x0530, 6],
  [0x0700, 24],
  [0x0900, 5],
  [0x0e00, 7],
  [0x0e80, 24],
  [0x1000, 8],
  [0x10a0, 3],
  [0x1100, 12],
  [0x1200, 27],
  [0x1780, 9],
  [0x1800, 30],
  [0x1e00, 6],
  [0x2000, 8],
  [0x2070, 20],
  [0x2e80, 12],
]

const MEASURES = new Uint8Array(0x10000)
SCRIPTS.forEach(([from, measure], index) => MEASURES.fill(measure, from, SCRIPTS[index + 1]?.[0]))
for (let code = 0; code < 0x80; code++) if (isSign(code)) MEASURES[code] = code <= 0x20 ? BLANK : SIGN
MEASURES.fill(DIGIT, 0x30, 0x3a)
