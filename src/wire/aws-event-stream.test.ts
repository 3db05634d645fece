import { describe, expect, test } from 'bun:test'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import * as fc from 'fast-check'
import { encodeAwsEventStreamFrame } from '../../test/support/awsEventStreamFrame.ts'
import { failureOf } from '../../test/support/wireFixtures.ts'
import { UpstreamError } from '../core/failure.ts'
import { awsEventStreamFrames } from './aws-event-stream.ts'
import { crc32 } from './crc32.ts'
import type { Frame } from '../core/answer/frame.ts'
import { ANSWER_LENGTH_MAX } from './frame.ts'

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const official = new EventStreamCodec((bytes) => new TextDecoder().decode(bytes as Uint8Array), utf8)

const frames: Frame[] = [
  { event: 'messageStart', data: '{"role":"assistant"}' },
  { event: 'contentBlockDelta', data: '{"delta":{"text":"Grüße 🌍"}}' },
  { event: 'throttlingException', data: '{"message":"slow down"}' },
  { event: 'empty', data: '' },
]

test('CRC-32 of "123456789" is the check value of the standard', () => {
  expect(crc32(utf8('123456789'))).toBe(0xcb_f4_39_26)
})

describe('decoding', () => {
  test('any split of the bytes gives the same frames', () => {
    const bytes = Buffer.concat(frames.map(encodeAwsEventStreamFrame))
    fc.assert(
      fc.property(fc.array(fc.nat(bytes.length), { maxLength: 30 }), (cuts) => {
        expect(decodeSplit(bytes, cuts)).toEqual(frames)
      }),
    )
  })

  test('one byte at a time gives the same frames', () => {
    const bytes = Buffer.concat(frames.map(encodeAwsEventStreamFrame))
    expect(decodeSplit(bytes, [...bytes.keys()])).toEqual(frames)
  })

  test("reads what AWS's own encoder writes, whatever other headers it carries", () => {
    const bytes = official.encode({
      headers: {
        ':date': { type: 'timestamp', value: new Date(0) },
        flag: { type: 'boolean', value: true },
        small: { type: 'byte', value: 1 },
        number: { type: 'integer', value: 7 },
        blob: { type: 'binary', value: new Uint8Array([1, 2, 3]) },
        id: { type: 'uuid', value: '00112233-4455-6677-8899-aabbccddeeff' },
        ':message-type': { type: 'string', value: 'event' },
        ':event-type': { type: 'string', value: 'messageStop' },
      },
      body: utf8('{"stopReason":"end_turn"}'),
    })
    expect(awsEventStreamFrames().push(bytes)).toEqual([
      { event: 'messageStop', data: '{"stopReason":"end_turn"}' },
    ])
  })

  test('an unmodelled error becomes an exception with its message', () => {
    const bytes = official.encode({
      headers: {
        ':message-type': { type: 'string', value: 'error' },
        ':error-code': { type: 'string', value: 'InternalFailure' },
        ':error-message': { type: 'string', value: 'it broke' },
      },
      body: new Uint8Array(0),
    })
    expect(awsEventStreamFrames().push(bytes)).toEqual([
      { event: 'InternalFailureException', data: '{"message":"it broke"}' },
    ])
  })

  test('a flipped bit anywhere is refused, never read as something else', () => {
    const bytes = encodeAwsEventStreamFrame(frames[1] ?? { event: undefined, data: '' })
    fc.assert(
      fc.property(fc.nat(bytes.length - 1), fc.nat(7), (at, bit) => {
        const damaged = Uint8Array.from(bytes)
        damaged[at] = (damaged[at] ?? 0) ^ (1 << bit)
        expect(() => awsEventStreamFrames().push(damaged)).toThrow(UpstreamError)
      }),
    )
  })

  test('a message longer than the bound is refused before it is buffered', () => {
    const prelude = new Uint8Array(12)
    const view = new DataView(prelude.buffer)
    view.setUint32(0, ANSWER_LENGTH_MAX + 1)
    view.setUint32(8, crc32(prelude.subarray(0, 8)))
    expect(failureOf(() => awsEventStreamFrames().push(prelude))?.detail).toContain(
      `message of ${ANSWER_LENGTH_MAX + 1} bytes`,
    )
  })

  test('a long message in many pieces takes time that its length alone decides', () => {
    const bytes = encodeAwsEventStreamFrame({ event: 'chunk', data: 'x'.repeat(40 * 1024 * 1024) })
    const decoder = awsEventStreamFrames()
    const start = performance.now()
    const decoded: Frame[] = []
    for (let at = 0; at < bytes.length; at += 4_096)
      decoded.push(...decoder.push(bytes.subarray(at, at + 4_096)))
    expect(decoded[0]?.data).toHaveLength(40 * 1024 * 1024)
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  test('an unfinished message at the end gives nothing', () => {
    const decoder = awsEventStreamFrames()
    const bytes = encodeAwsEventStreamFrame({ event: 'messageStart', data: '{}' })
    expect(decoder.push(bytes.subarray(0, -1))).toEqual([])
    expect(decoder.end()).toEqual([])
  })

  test('any bytes are decoded or refused with UpstreamError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        try {
          awsEventStreamFrames().push(bytes)
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamError)
        }
      }),
    )
  })

  test('a header that reaches into the payload is refused', () => {
    const string = 7
    const headers = Uint8Array.from([1, 97, string, 0, 9, 98])
    const push = () => awsEventStreamFrames().push(messageWithHeaders(headers, 20))
    expect(failureOf(push)?.detail).toContain('beyond the headers')
  })

  test('headers that lie about their lengths are refused with UpstreamError', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 40 }), (headers) => {
        try {
          awsEventStreamFrames().push(messageWithHeaders(headers))
        } catch (error) {
          expect(error).toBeInstanceOf(UpstreamError)
        }
      }),
    )
  })
})

test("AWS's own decoder reads what the encoder writes", () => {
  for (const frame of frames) {
    const message = official.decode(encodeAwsEventStreamFrame(frame))
    expect(new TextDecoder().decode(message.body)).toBe(frame.data)
    const kind = frame.event?.endsWith('Exception') ? ':exception-type' : ':event-type'
    expect(message.headers[kind]?.value).toBe(frame.event ?? '')
  }
})

function decodeSplit(bytes: Uint8Array, cuts: readonly number[]): Frame[] {
  const decoder = awsEventStreamFrames()
  const edges = [0, ...cuts.toSorted((a, b) => a - b), bytes.length]
  const decoded: Frame[] = []
  for (const [index, start] of edges.entries()) {
    decoded.push(...decoder.push(Uint8Array.from(bytes.subarray(start, edges[index + 1] ?? bytes.length))))
  }
  return [...decoded, ...decoder.end()]
}

function messageWithHeaders(headers: Uint8Array, payloadLength = 0): Uint8Array {
  const message = new Uint8Array(16 + headers.length + payloadLength)
  const view = new DataView(message.buffer)
  view.setUint32(0, message.length)
  view.setUint32(4, headers.length)
  view.setUint32(8, crc32(message.subarray(0, 8)))
  message.set(headers, 12)
  view.setUint32(message.length - 4, crc32(message.subarray(0, message.length - 4)))
  return message
}
