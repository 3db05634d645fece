import type { UpstreamError } from '../core/failure.ts'
import { invalidAnswer } from './invalidAnswer.ts'

/** Header value types with the number of bytes of their values; 6 and 7 say their length themselves. */
const VALUE_BYTES: readonly (number | undefined)[] = [0, 0, 1, 2, 4, 8, undefined, undefined, 8, 16]
const STRING_VALUE = 7

const decoder = new TextDecoder()

/** What the frame needs of a message's headers. */
export interface AwsHeaders {
  /** What they were read from. */
  readonly bytes: Uint8Array
  readonly values: ReadonlyMap<string, string>
}

/** The headers between two places. Most messages of a stream have those of the one before, which are kept. */
export function headersAt(input: Uint8Array, start: number, end: number, known: AwsHeaders): AwsHeaders {
  if (isAt(input, start, end, known.bytes)) return known
  const bytes = input.slice(start, end)
  return { bytes, values: readHeaders(bytes) }
}

function isAt(input: Uint8Array, start: number, end: number, bytes: Uint8Array): boolean {
  if (end - start !== bytes.length) return false
  for (let i = 0; i < bytes.length; i++) if (input[start + i] !== bytes[i]) return false
  return true
}

/** Only string headers are of interest; the others are stepped over. */
function readHeaders(bytes: Uint8Array): ReadonlyMap<string, string> {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  const values = new Map<string, string>()
  const end = bytes.length
  let at = 0
  while (at < end) {
    const nameEnd = at + 1 + view.getUint8(at)
    if (nameEnd >= end) throw damaged('header name beyond the headers')
    const name = decoder.decode(bytes.subarray(at + 1, nameEnd))
    const type = view.getUint8(nameEnd)
    let valueStart = nameEnd + 1
    let length = VALUE_BYTES[type]
    if (length === undefined) {
      if (type >= VALUE_BYTES.length || valueStart + 2 > end) throw damaged('header of an unknown type')
      length = view.getUint16(valueStart)
      valueStart += 2
    }
    at = valueStart + length
    if (at > end) throw damaged('header value beyond the headers')
    if (type === STRING_VALUE) values.set(name, decoder.decode(bytes.subarray(valueStart, at)))
  }
  return values
}

/** What cannot be read, nor what follows it. */
export function damaged(detail: string): UpstreamError {
  return invalidAnswer(`event stream: ${detail}`)
}
