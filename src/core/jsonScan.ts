/** What a text of JSON may hold before it is parsed: parsing and walking it must neither stall nor swell the process. */
export interface JsonBounds {
  /** Objects and arrays within each other. */
  readonly depthMax: number
  /** Values, counted as the commas and opening brackets outside of strings. */
  readonly valuesMax: number
  /** Digits of a number: parsing takes many times as long for one of them as for a letter. */
  readonly digitsMax: number
}

/** Of everything that callers send. Ten thousand messages are 30,000 values; no tool schema is a tenth as deep. */
export const CALLER_JSON: JsonBounds = { depthMax: 128, valuesMax: 100_000, digitsMax: 100 }

export type JsonExcess = 'too_deep' | 'too_many_values' | 'too_long_number'

/** Looks at the bytes of one JSON text, in pieces of any size. */
export interface JsonScan {
  /** Undefined while the text is within its bounds; it need not be valid JSON. */
  push(bytes: Uint8Array): JsonExcess | undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
/** Between them stand signs, the point and digits, and what no JSON has outside of strings. */
const PLUS = 0x2b
const NINE = 0x39
const OPEN_BRACKET = 0x5b
const CLOSE_BRACKET = 0x5d
const OPEN_BRACE = 0x7b
const CLOSE_BRACE = 0x7d
/** Strings are looked at byte by byte for so long; only then is searching for the end of a longer one worth its call. */
const SHORT_STRING_BYTES = 32

export function createJsonScan({ depthMax, valuesMax, digitsMax }: JsonBounds): JsonScan {
  let depth = 0
  let values = 0
  /** Digits of the number that has not ended. */
  let run = 0
  let inString = false
  /** The last piece ended with a backslash that escapes the first byte of the next. */
  let escaping = false

  /** Goes on within a string; gives the position behind its closing quote, or the end of the piece. */
  function skipString(bytes: Uint8Array, from: number): number {
    let at = from
    while (at < bytes.length) {
      const near = Math.min(bytes.length, at + SHORT_STRING_BYTES)
      while (at < near) {
        const byte = bytes[at]
        if (byte === QUOTE) {
          inString = false
          return at + 1
        }
        at += byte === BACKSLASH ? 2 : 1
      }
      if (at >= bytes.length) break
      const quote = bytes.indexOf(QUOTE, at)
      const end = quote === -1 ? bytes.length : quote
      let slashes = end
      while (slashes > at && bytes[slashes - 1] === BACKSLASH) slashes--
      const escaped = (end - slashes) % 2
      at = end + escaped
      if (quote !== -1 && escaped === 0) {
        inString = false
        return at + 1
      }
    }
    escaping = at > bytes.length
    return bytes.length
  }

  return {
    push(bytes) {
      if (bytes.length === 0) return undefined
      let at = escaping ? 1 : 0
      escaping = false
      if (inString) at = skipString(bytes, at)
      while (at < bytes.length) {
        const byte = bytes[at++] ?? 0
        switch (byte) {
          case QUOTE:
            run = 0
            inString = true
            at = skipString(bytes, at)
            break
          case OPEN_BRACKET:
          case OPEN_BRACE:
            run = 0
            depth += 1
            values += 1
            if (depth > depthMax) return 'too_deep'
            if (values > valuesMax) return 'too_many_values'
            break
          case CLOSE_BRACKET:
          case CLOSE_BRACE:
            run = 0
            depth -= 1
            break
          case COMMA:
            run = 0
            values += 1
            if (values > valuesMax) return 'too_many_values'
            break
          default:
            run = byte >= PLUS && byte <= NINE ? run + 1 : 0
            if (run > digitsMax) return 'too_long_number'
        }
      }
      return undefined
    },
  }
}

const UTF_8 = new TextEncoder()
/** In UTF-16 units: a long text is not copied whole when its beginning is enough. */
const SLICE_LENGTH = 64 * 1024
/** A unit becomes three bytes at most. */
const slice = new Uint8Array(3 * SLICE_LENGTH)

/** The same for a text at hand. */
export function scanJsonText(text: string, bounds: JsonBounds): JsonExcess | undefined {
  const scan = createJsonScan(bounds)
  for (let at = 0; at < text.length; at += SLICE_LENGTH) {
    // Where a pair is cut in two its halves become other bytes, of which none means anything to the scan.
    const { written } = UTF_8.encodeInto(text.slice(at, at + SLICE_LENGTH), slice)
    const excess = scan.push(slice.subarray(0, written))
    if (excess) return excess
  }
  return undefined
}
