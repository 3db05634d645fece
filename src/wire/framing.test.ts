import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { encodeAwsEventStreamFrame } from '../../test/support/awsEventStreamFrame.ts'
import { cutBytes } from '../../test/support/streamBytes.ts'
import { type Framing, splitFrames } from './framing.ts'
import { encodeSseData } from './sse.ts'

const utf8 = new TextEncoder()
const FRAMINGS: Readonly<Record<Framing, (data: string) => Uint8Array>> = {
  sse: (data) => utf8.encode(encodeSseData(data)),
  'aws-event-stream': (data) => encodeAwsEventStreamFrame({ event: 'contentBlockDelta', data }),
}
/** Of a frame beside its data: field names, headers, checksums. */
const AROUND_BYTES_MAX = 200

test.each(Object.entries(FRAMINGS))(
  'of a frame of %s that has not ended all is counted as kept, and nothing of one that has',
  (framing, encode) => {
    const data = 'x'.repeat(5_000)
    const bytes = encode(data)
    fc.assert(
      fc.property(fc.array(fc.nat(), { maxLength: 10 }), (cuts) => {
        const frames = splitFrames(framing as Framing)
        let pushed = 0
        for (const piece of cutBytes(bytes, cuts)) {
          const ended = frames.push(piece).length > 0
          pushed += piece.length
          if (ended || pushed === bytes.length) expect(frames.kept).toBeLessThanOrEqual(1)
          else expect(Math.abs(frames.kept - pushed)).toBeLessThanOrEqual(AROUND_BYTES_MAX)
        }
        expect(frames.push(encode(data))).toHaveLength(1)
        expect(frames.kept).toBe(0)
      }),
    )
  },
)
