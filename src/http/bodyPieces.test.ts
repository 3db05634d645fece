import { describe, expect, test } from 'bun:test'
import { GatewayError } from '../core/error.ts'
import { type Bytes, piecesOf } from './bodyPieces.ts'

/** A body of so many pieces of so many bytes; one that stalls never ends. */
function bodyOf(pieces: number, bytes: number, end: 'ends' | 'stalls' = 'ends') {
  let sent = 0
  let cancelled = false
  const stream = new ReadableStream<Bytes>({
    pull(controller) {
      if (sent === pieces) return end === 'ends' ? controller.close() : new Promise(() => undefined)
      sent += 1
      controller.enqueue(new Uint8Array(bytes))
    },
    cancel: () => void (cancelled = true),
  })
  return { stream, cancelled: () => cancelled }
}

async function bytesIn(pieces: AsyncIterable<Bytes>): Promise<number> {
  let bytes = 0
  for await (const piece of pieces) bytes += piece.byteLength
  return bytes
}

describe('a body that comes in pieces', () => {
  test('is taken whole, however many there are, while they bring something', async () => {
    expect(await bytesIn(piecesOf(bodyOf(4_096, 1).stream))).toBe(4_096)
    expect(await bytesIn(piecesOf(bodyOf(10_000, 256).stream))).toBe(2_560_000)
  })

  test('is refused and let go when its pieces cost more than their bytes', async () => {
    const body = bodyOf(1_000_000, 1)
    const refused = await bytesIn(piecesOf(body.stream)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(GatewayError)
    expect(String(refused)).toContain('too many small pieces')
    expect(body.cancelled()).toBe(true)
  })

  test('is refused and let go when it stops coming', async () => {
    const body = bodyOf(3, 20_000, 'stalls')
    const refused = await bytesIn(piecesOf(body.stream, 20)).catch((error: unknown) => error)
    expect(refused).toBeInstanceOf(GatewayError)
    expect(String(refused)).toContain('too slowly')
    expect(body.cancelled()).toBe(true)
  })
})
