import { type AwsHeaders, damaged, headersAt } from './awsHeaders.ts'
import { crc32 } from './crc32.ts'
import type { Frame } from '../core/answer/frame.ts'
import { ANSWER_LENGTH_MAX, type FrameSplitter } from './frame.ts'

/**
 * The binary framing of AWS event streams (`application/vnd.amazon.eventstream`). A message is: total
 * length (4 bytes, big endian), length of the headers (4), CRC-32 of these eight bytes (4), headers,
 * payload, CRC-32 of all before it (4). Source: AWS, "Event stream encoding".
 */

const PRELUDE_BYTES = 12
const CRC_BYTES = 4
const SHORTEST_MESSAGE_BYTES = PRELUDE_BYTES + CRC_BYTES
const INITIAL_BUFFER_BYTES = 16 * 1024

/**
 * Decodes bytes into frames, however they are split. The frame's event is `:event-type`; of an exception
 * its `:exception-type`, of an unmodelled error its `:error-code`, both always ending in `Exception`.
 * `push` throws `UpstreamError` (`invalid_answer`) at a damaged or oversized message: what follows it
 * cannot be read. `end` drops an unfinished message; whether the answer is whole is the codec's to say.
 */
export function awsEventStreamFrames(): FrameSplitter {
  let buffer = new Uint8Array(0)
  let held = 0
  /** Of the message before. */
  let headers: AwsHeaders = { bytes: new Uint8Array(0), values: new Map() }

  return {
    get kept() {
      return held
    },
    push(bytes) {
      // Most reads hold whole messages: only a rest is copied.
      const input = held === 0 ? bytes : append(bytes)
      const frames: Frame[] = []
      let at = 0
      while (input.length - at >= PRELUDE_BYTES) {
        const length = messageLength(input, at)
        if (input.length - at < length) break
        const end = at + length - CRC_BYTES
        if (crc32(input, at, end) !== uint32(input, end)) throw damaged('message checksum differs')
        const headersEnd = at + PRELUDE_BYTES + uint32(input, at + 4)
        headers = headersAt(input, at + PRELUDE_BYTES, headersEnd, headers)
        frames.push(frameOf(headers.values, decoder.decode(input.subarray(headersEnd, end))))
        at += length
      }
      if (at === input.length) held = 0
      else keep(input.subarray(at))
      return frames
    },
    end() {
      buffer = new Uint8Array(0)
      held = 0
      return []
    },
  }

  function append(bytes: Uint8Array): Uint8Array {
    reserve(held + bytes.length)
    buffer.set(bytes, held)
    held += bytes.length
    return buffer.subarray(0, held)
  }

  function keep(rest: Uint8Array): void {
    if (rest.buffer === buffer.buffer) buffer.copyWithin(0, rest.byteOffset, rest.byteOffset + rest.length)
    else {
      held = 0
      reserve(rest.length)
      buffer.set(rest)
    }
    held = rest.length
  }

  function reserve(size: number): void {
    if (size <= buffer.length) return
    const grown = new Uint8Array(Math.max(size, buffer.length * 2, INITIAL_BUFFER_BYTES))
    grown.set(buffer.subarray(0, held))
    buffer = grown
  }
}

const decoder = new TextDecoder()

function messageLength(input: Uint8Array, at: number): number {
  const length = uint32(input, at)
  if (crc32(input, at, at + 8) !== uint32(input, at + 8)) throw damaged('prelude checksum differs')
  if (length > ANSWER_LENGTH_MAX) throw damaged(`message of ${length} bytes`)
  if (length < SHORTEST_MESSAGE_BYTES + uint32(input, at + 4))
    throw damaged('message shorter than its headers')
  return length
}

function frameOf(headers: ReadonlyMap<string, string>, data: string): Frame {
  switch (headers.get(':message-type')) {
    case 'exception':
      return { event: asException(headers.get(':exception-type')), data }
    case 'error':
      return {
        event: asException(headers.get(':error-code')),
        data: JSON.stringify({ message: headers.get(':error-message') ?? '' }),
      }
    default:
      return { event: headers.get(':event-type'), data }
  }
}

function asException(name: string | undefined): string {
  if (name === undefined) return 'unknownException'
  return name.endsWith('Exception') ? name : `${name}Exception`
}

/** Big endian. */
function uint32(bytes: Uint8Array, at: number): number {
  const high = ((bytes[at] ?? 0) << 24) | ((bytes[at + 1] ?? 0) << 16)
  return (high | ((bytes[at + 2] ?? 0) << 8) | (bytes[at + 3] ?? 0)) >>> 0
}
