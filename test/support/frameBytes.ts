import { EventStreamCodec } from '@smithy/eventstream-codec'
import { WIRE_FORMATS, type WireFormatId } from '../../src/wire/formats.ts'
import type { Frame } from '../../src/core/answer/frame.ts'
import { sse } from './scriptedActs.ts'

const codec = new EventStreamCodec(
  (bytes) => new TextDecoder().decode(bytes as Uint8Array),
  (text) => new TextEncoder().encode(text),
)

/** The bytes in which a provider of this format sends a frame. */
export function frameBytes(id: WireFormatId, { event, data }: Frame): Uint8Array {
  if (WIRE_FORMATS[id].framing === 'sse') {
    return new TextEncoder().encode(sse(data, event === undefined ? {} : { event }))
  }
  const type = event?.endsWith('Exception') ? 'exception' : 'event'
  const headers = {
    [`:${type}-type`]: { type: 'string' as const, value: event ?? '' },
    ':content-type': { type: 'string' as const, value: 'application/json' },
    ':message-type': { type: 'string' as const, value: type },
  }
  return codec.encode({ headers, body: new TextEncoder().encode(data) })
}
