import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { crc32 } from './crc32.ts'

test('crc32 is the checksum that everybody else computes, of any bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), (bytes) => {
      expect(crc32(bytes)).toBe(Bun.hash.crc32(bytes))
    }),
  )
})
