import { crc32 } from '../../src/wire/crc32.ts'
import type { Frame } from '../../src/core/answer/frame.ts'

// The framing is described at `awsEventStreamFrames`, which reads it.
const PRELUDE_BYTES = 12
const CRC_BYTES = 4
const STRING_VALUE = 7

const encoder = new TextEncoder()

/** Encodes a frame as an event, or as an exception if the name of its event ends in `Exception`. */
export function encodeAwsEventStreamFrame(frame: Frame): Uint8Array {
  const event = frame.event ?? ''
  const exception = event.endsWith('Exception')
  const headers = [
    ...stringHeader(exception ? ':exception-type' : ':event-type', event),
    ...stringHeader(':content-type', 'application/json'),
    ...stringHeader(':message-type', exception ? 'exception' : 'event'),
  ]
  const payload = encoder.encode(frame.data)
  const message = new Uint8Array(PRELUDE_BYTES + CRC_BYTES + headers.length + payload.length)
  const view = new DataView(message.buffer)
  view.setUint32(0, message.length)
  view.setUint32(4, headers.length)
  view.setUint32(8, crc32(message.subarray(0, 8)))
  message.set(headers, PRELUDE_BYTES)
  message.set(payload, PRELUDE_BYTES + headers.length)
  view.setUint32(message.length - CRC_BYTES, crc32(message.subarray(0, message.length - CRC_BYTES)))
  return message
}

/** One header of text, as bytes. */
function stringHeader(name: string, value: string): number[] {
  const nameBytes = encoder.encode(name)
  const valueBytes = encoder.encode(value)
  return [
    nameBytes.length,
    ...nameBytes,
    STRING_VALUE,
    valueBytes.length >> 8,
    valueBytes.length & 255,
    ...valueBytes,
  ]
}
