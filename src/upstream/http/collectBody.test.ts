import { expect, test } from 'bun:test'
import { heapStats } from 'bun:jsc'
import * as fc from 'fast-check'
import type { BodySink, HttpResponse } from '../http.ts'
import { collectBody } from './collectBody.ts'

const LIMITS = { bytesMax: 1024 * 1024, totalMs: 60_000 }

/** A response whose body is pushed by hand. */
function pushed(): { readonly response: HttpResponse; readonly sink: () => BodySink } {
  let sink: BodySink | undefined
  const nothing = (): void => undefined
  return {
    response: {
      status: 200,
      headers: new Map(),
      consume: (to) => void (sink = to),
      pause: nothing,
      resume: nothing,
      firstEventSeen: nothing,
      spoken: nothing,
      abort: nothing,
    },
    sink() {
      if (!sink) throw new Error('the body is not consumed')
      return sink
    },
  }
}

test('a body is the same in whatever pieces it comes', async () => {
  const piece = fc.oneof(
    fc.uint8Array({ maxLength: 20 }),
    fc.uint8Array({ minLength: 1_000, maxLength: 40_000 }),
  )
  await fc.assert(
    fc.asyncProperty(fc.array(piece, { maxLength: 40 }), async (pieces) => {
      const { response, sink } = pushed()
      const body = collectBody(response, LIMITS)
      for (const bytes of pieces) sink().data(bytes)
      sink().end()
      expect(Buffer.from(await body)).toEqual(Buffer.concat(pieces))
    }),
  )
})

test('a body that comes byte by byte takes not many times the memory of its bytes', async () => {
  const count = 200_000
  const { response, sink } = pushed()
  const body = collectBody(response, LIMITS)
  const read = new Uint8Array(64 * 1024).fill(0x20)
  Bun.gc(true)
  const before = heapStats().objectCount
  for (let at = 0; at < count; at++) sink().data(read.subarray(at % read.length, (at % read.length) + 1))
  Bun.gc(true)
  expect(heapStats().objectCount - before).toBeLessThan(count / 10)
  sink().end()
  expect((await body).length).toBe(count)
})
