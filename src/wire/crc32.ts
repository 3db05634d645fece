const TABLE = buildTable()

/** CRC-32 as of IEEE 802.3 (reflected polynomial 0xEDB88320), unsigned. */
export function crc32(bytes: Uint8Array): number {
  let crc = 0xff_ff_ff_ff
  for (const byte of bytes) crc = (crc >>> 8) ^ (TABLE[(crc ^ byte) & 255] ?? 0)
  return (crc ^ 0xff_ff_ff_ff) >>> 0
}

function buildTable(): Uint32Array {
  const table = new Uint32Array(256)
  for (let index = 0; index < table.length; index++) {
    let value = index
    for (let bit = 0; bit < 8; bit++) value = value & 1 ? (value >>> 1) ^ 0xed_b8_83_20 : value >>> 1
    table[index] = value
  }
  return table
}
