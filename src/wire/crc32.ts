/** Bytes taken at a time, with a table for each: a third of the time of one by one. */
const SLICES = 4
const TABLES = buildTables()

/** CRC-32 as of IEEE 802.3 (reflected polynomial 0xEDB88320), unsigned, of the bytes from `start` up to `end`. */
export function crc32(bytes: Uint8Array, start = 0, end = bytes.length): number {
  let crc = -1
  let at = start
  for (const last = end - SLICES; at <= last; at += SLICES) {
    crc ^=
      byteAt(bytes, at) |
      (byteAt(bytes, at + 1) << 8) |
      (byteAt(bytes, at + 2) << 16) |
      (byteAt(bytes, at + 3) << 24)
    crc =
      entry(3, crc & 255) ^ entry(2, (crc >>> 8) & 255) ^ entry(1, (crc >>> 16) & 255) ^ entry(0, crc >>> 24)
  }
  for (; at < end; at++) crc = (crc >>> 8) ^ entry(0, (crc ^ byteAt(bytes, at)) & 255)
  return ~crc >>> 0
}

function byteAt(bytes: Uint8Array, at: number): number {
  return bytes[at] ?? 0
}

/** What a byte adds that `slice` more bytes follow. */
function entry(slice: number, byte: number): number {
  return TABLES[(slice << 8) | byte] ?? 0
}

function buildTables(): Int32Array {
  const tables = new Int32Array(SLICES * 256)
  for (let index = 0; index < 256; index++) {
    let value = index
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1
    tables[index] = value
  }
  for (let index = 256; index < tables.length; index++) {
    const before = tables[index - 256] ?? 0
    tables[index] = (before >>> 8) ^ (tables[before & 255] ?? 0)
  }
  return tables
}
