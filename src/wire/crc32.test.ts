import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { crc32 } from './crc32.ts'

test('crc32 is the checksum that everybody else computes, of any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.nat(300), fc.nat(300), (bytes, one, other) => {
      expect(crc32(bytes)).toBe(Bun.hash.crc32(bytes))
      const [start = 0, end = 0] = [one, other]
        .map((at) => Math.min(at, bytes.length))
        .toSorted((a, b) => a - b)
      expect(crc32(bytes, start, end)).toBe(Bun.hash.crc32(bytes.subarray(start, end)))
    }),
  )
})
