import { describe, expect, test } from 'bun:test'
import { heapStats } from 'bun:jsc'
import * as fc from 'fast-check'
import { cutBytes, framesOfBytes } from '../../test/support/streamBytes.ts'
import { UpstreamError } from '../core/failure.ts'
import type { Frame } from '../core/answer/frame.ts'
import { ANSWER_LENGTH_MAX } from './frame.ts'
import { SSE_DATA_LINES_MAX, encodeSseData, sseFrames } from './sse.ts'

const encoder = new TextEncoder()

const LINE_BYTES = 500_000

function framesOf(...texts: readonly string[]): Frame[] {
  return framesOfBytes(texts.map((text) => encoder.encode(text)))
}

function data(...payloads: readonly string[]): Frame[] {
  return payloads.map((payload) => ({ event: undefined, data: payload }))
}

describe('sseFrames', () => {
  test('one chunk may hold several events', () => {
    expect(framesOf('data: a\n\ndata: b\n\ndata: c\n\n')).toEqual(data('a', 'b', 'c'))
  })

  test('lines may end in LF, CR or CRLF, and a CRLF may be cut in two', () => {
    expect(framesOf('data: a\r\ndata: b\r\n\r\ndata: c\r\rdata: d\n\n')).toEqual(data('a\nb', 'c', 'd'))
    expect(framesOf('data: a\r', '\n\r', '\ndata: b\r', '\r')).toEqual(data('a', 'b'))
  })

  test('a byte order mark at the start is not part of the first field', () => {
    expect(framesOf('\uFEFFdata: a\n\n')).toEqual(data('a'))
    expect(framesOf('data: \uFEFFa\n\n')).toEqual(data('\uFEFFa'))
  })

  test('comments, ids, retry times and unknown fields are no events', () => {
    expect(framesOf(': keep-alive\n\nid: 1\nretry: 10\nfoo: bar\nnonsense\n\ndata: a\n\n')).toEqual(data('a'))
  })

  test('data over several lines is joined by line feeds', () => {
    expect(framesOf('data: a\ndata:\ndata\ndata:  b\n\n')).toEqual(data('a\n\n\n b'))
  })

  test('at most one space after the colon is dropped', () => {
    expect(framesOf('data:a\n\ndata:  b\n\n')).toEqual(data('a', ' b'))
  })

  test('an event is named by its last event field, and the name does not stick', () => {
    expect(framesOf('event: ping\nevent: error\ndata: a\n\ndata: b\nevent:late\n\ndata: c\n\n')).toEqual([
      { event: 'error', data: 'a' },
      { event: 'late', data: 'b' },
      { event: undefined, data: 'c' },
    ])
  })

  test('an event without data is none', () => {
    expect(framesOf('event: ping\n\ndata: a\n\n')).toEqual(data('a'))
  })

  test('a last event without its blank line is delivered at the end', () => {
    expect(framesOf('data: a\n\ndata: b')).toEqual(data('a', 'b'))
    expect(framesOf('data: a\n')).toEqual(data('a'))
  })

  test('a character cut between its bytes is whole again', () => {
    const bytes = encoder.encode('data: 😀é\n\n')
    expect(framesOfBytes([...bytes].map((byte) => Uint8Array.of(byte)))).toEqual(data('😀é'))
  })

  test('bytes that are no UTF-8 become replacement characters', () => {
    expect(framesOfBytes([Uint8Array.of(100, 97, 116, 97, 58, 0xf0, 0x9f, 10, 10)])).toEqual(data('\uFFFD'))
  })

  test('an event beyond the bound fails as an invalid answer, in one line or in many', () => {
    const half = encoder.encode(`data: ${'x'.repeat(ANSWER_LENGTH_MAX / 2)}`)
    for (const joint of ['', '\ndata: ']) {
      const split = sseFrames()
      split.push(half)
      split.push(encoder.encode(joint))
      expect(() => {
        split.push(encoder.encode('x'.repeat(ANSWER_LENGTH_MAX / 2 + 20)))
        split.push(encoder.encode('\n'))
      }).toThrow(UpstreamError)
    }
  })

  test('an event of just the bound is read, in time that its length alone decides', () => {
    const split = sseFrames()
    split.push(encoder.encode('data: '))
    const piece = encoder.encode('x'.repeat(16 * 1024))
    const start = performance.now()
    for (let length = 0; length < ANSWER_LENGTH_MAX; length += piece.length) split.push(piece)
    const [frame] = split.push(encoder.encode('\n\n'))
    expect(frame?.data).toHaveLength(ANSWER_LENGTH_MAX)
    // Copying all that came before with each piece would take minutes.
    expect(performance.now() - start).toBeLessThan(10_000)
  })

  test('an event of endless lines fails as an invalid answer', () => {
    const split = sseFrames()
    const lines = encoder.encode('data: x\n'.repeat(1_000))
    expect(() => {
      for (let i = 0; i <= SSE_DATA_LINES_MAX / 1_000; i++) split.push(lines)
    }).toThrow(UpstreamError)
    const next = sseFrames()
    for (let i = 0; i < 3; i++) {
      next.push(encoder.encode('data: x\n'.repeat(SSE_DATA_LINES_MAX)))
      expect(next.push(encoder.encode('\n'))).toHaveLength(1)
    }
  })

  test('an endless comment does not fill the memory', () => {
    const split = sseFrames()
    const megabyte = encoder.encode(`: ${'x'.repeat(1024 * 1024)}`)
    expect(() => {
      for (let i = 0; i < 70; i++) split.push(megabyte)
    }).toThrow(UpstreamError)
  })

  test('however the bytes are cut, the events are the same', () => {
    const piece = fc.constantFrom(
      'data: {"a":1}',
      'data:é😀',
      'event: x',
      ': c',
      '\n',
      '\n\n',
      '\r',
      '\r\n',
      '\r\n\r\n',
      '\uFEFF',
      'data',
      'z',
    )
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 30 }),
        fc.array(fc.nat(), { maxLength: 20 }),
        (pieces, cuts) => {
          const bytes = encoder.encode(pieces.join(''))
          expect(framesOfBytes(cutBytes(bytes, cuts))).toEqual(framesOfBytes([bytes]))
        },
      ),
      { numRuns: 500 },
    )
  })

  test('arbitrary bytes never throw, however they are cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), fc.array(fc.nat(), { maxLength: 9 }), (bytes, cuts) => {
        expect(framesOfBytes(cutBytes(bytes, cuts))).toEqual(framesOfBytes([bytes]))
      }),
    )
  })
})

describe('encodeSseData', () => {
  test('what it writes reads as one event with the same text', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom('a', '\n', ' ', ':', 'é') }), (text) => {
        expect(framesOf(encodeSseData(text))).toEqual(data(text))
      }),
    )
  })
})

test('a line that comes byte by byte takes not many times the memory of its bytes', () => {
  const splitter = sseFrames()
  const bytes = new Uint8Array([0x20])
  Bun.gc(true)
  const before = heapStats().objectCount
  for (let count = 0; count < LINE_BYTES; count++) splitter.push(bytes)
  Bun.gc(true)
  expect(splitter.kept).toBe(LINE_BYTES)
  expect(heapStats().objectCount - before).toBeLessThan(LINE_BYTES / 10)
})
