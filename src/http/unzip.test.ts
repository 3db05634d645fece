import { describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { GatewayError, type Refusal, refuse } from '../core/error.ts'
import type { Bytes } from './bodyPieces.ts'
import { UNZIPPED_DEFICIT_MAX, unzip } from './unzip.ts'

const KIB = 1024
/** The head of gzip without names. */
const HEAD = Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3])
/** A block of deflate that is stored and holds nothing. */
const STORED = '000000ffff'

/** Text that gzip makes about half as long. */
function hexText(bytes: number): Buffer {
  return Buffer.from(Buffer.from(crypto.getRandomValues(new Uint8Array(bytes / 2))).toString('hex'))
}

/** What comes out of pieces, how much of them was asked for, and what refused them. */
async function unzipped(
  pieces: Iterable<Uint8Array>,
  refusalOf: (out: number) => Refusal | undefined = () => undefined,
) {
  const found = {
    asked: 0,
    arrived: 0,
    text: '',
    bytes: 0,
    turnBytesMax: 0,
    message: '',
    refusal: undefined as Refusal | undefined,
  }
  async function* arriving(): AsyncGenerator<Bytes> {
    for (const piece of pieces) {
      found.asked += 1
      yield new Uint8Array(piece)
    }
  }
  try {
    found.refusal = await unzip(arriving(), {
      arrived(bytes) {
        found.arrived += bytes
        return undefined
      },
      push(bytes) {
        found.bytes += bytes.byteLength
        found.turnBytesMax = Math.max(found.turnBytesMax, bytes.byteLength)
        if (found.bytes < 1000 * KIB) found.text += new TextDecoder().decode(bytes)
        return refusalOf(found.bytes)
      },
    })
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error
    found.refusal = error.refusal
  }
  found.message = found.refusal?.message ?? ''
  return found
}

function* repeated(piece: Uint8Array, times = Number.POSITIVE_INFINITY, head = HEAD): Generator<Uint8Array> {
  yield head
  for (let i = 0; i < times; i++) yield piece
}

function piecesOf(bytes: Uint8Array, size: number): Uint8Array[] {
  return Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) =>
    bytes.subarray(i * size, (i + 1) * size),
  )
}

describe('gzip that arrives in pieces', () => {
  test.each([1, 1000, 70_000, 1_000_000])('of %d bytes comes out as it was', async (size) => {
    const text = size === 1 ? hexText(200) : hexText(300 * KIB)
    const found = await unzipped(piecesOf(gzipSync(text), size))
    expect(found.message).toBe('')
    expect(found.text).toBe(text.toString())
    expect(found.arrived).toBe(gzipSync(text).length)
  })

  test('is taken where it could not be compressed, and where it has several members', async () => {
    const bytes = Buffer.concat([hexText(100), crypto.getRandomValues(Buffer.alloc(60 * KIB))])
    const zipped = gzipSync(bytes, { level: 0 })
    const found = await unzipped(piecesOf(Buffer.concat([...Array<Buffer>(20).fill(zipped)]), 50_000))
    expect(found).toMatchObject({ message: '', bytes: 20 * bytes.length })
  })

  test('is looked at in turns of no more than 64 KiB', async () => {
    const found = await unzipped([gzipSync(Buffer.concat([hexText(200 * KIB), Buffer.alloc(500 * KIB)]))])
    expect(found).toMatchObject({ message: '', bytes: 700 * KIB })
    expect(found.turnBytesMax).toBeLessThanOrEqual(64 * KIB)
  })

  test.each([
    ['blocks that hold nothing', Buffer.from(STORED.repeat(4_000), 'hex')],
    ['zeros after its end', new Uint8Array(20_000)],
  ])(
    'and goes on with %s is refused when it is 64 KiB ahead, and its connection ends',
    async (name, piece) => {
      const head = name.startsWith('zeros') ? gzipSync('{}') : HEAD
      const found = await unzipped(repeated(piece, undefined, head))
      expect(found.refusal?.code).toBe('invalid_request')
      expect(found.message).toContain('larger than what it holds')
      expect(found.refusal?.headers).toEqual({ connection: 'close' })
      expect(found.arrived).toBeLessThanOrEqual(UNZIPPED_DEFICIT_MAX + 16 * KIB + piece.length)
    },
  )

  test('of 64 KiB gives 1.5 MiB at most, however much it holds', async () => {
    const bomb = gzipSync(Buffer.alloc(60 * KIB * KIB))
    expect(bomb.length).toBeLessThanOrEqual(64 * KIB)
    const found = await unzipped(piecesOf(bomb, 64 * KIB))
    expect(found.message).toContain('more than 20 times its size')
    expect(found.refusal?.headers).toEqual({ connection: 'close' })
    expect(found.asked).toBe(1)
    expect(found.bytes).toBeLessThanOrEqual(1.5 * KIB * KIB)
  })

  test('is refused by its reader at once, even within a piece', async () => {
    const full = refuse('request_too_large', 'full')
    const found = await unzipped([gzipSync(hexText(900 * KIB)), HEAD], (out) => (out > 0 ? full : undefined))
    expect(found.refusal).toBe(full)
    expect(found.asked).toBe(1)
    expect(found.bytes).toBeLessThanOrEqual(64 * KIB)
  })

  test.each([
    ['is none', [Buffer.from('{"model":"a"}')]],
    ['is empty', []],
    ['is cut', [gzipSync('hello hello').subarray(0, -5)]],
    ['has something else behind it', [gzipSync('hello'), Buffer.from('more')]],
    ['has something else in it', [HEAD, Buffer.from([0xff, 0xff, 0xff])]],
  ])('and %s is refused as such', async (_, pieces) => {
    expect((await unzipped(pieces)).message).toContain('not valid gzip')
  })

  test('keeps the refusal of its pieces', async () => {
    async function* failing(): AsyncGenerator<Bytes> {
      yield new Uint8Array(gzipSync('hello').subarray(0, 12))
      throw new GatewayError(refuse('invalid_request', 'too slowly'))
    }
    const reading = unzip(failing(), { arrived: () => undefined, push: () => undefined })
    expect(await reading.catch(String)).toContain('too slowly')
  })
})
