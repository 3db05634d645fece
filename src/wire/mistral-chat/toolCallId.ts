const LENGTH = 9
const ALPHABET = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const NATIVE = /^[a-zA-Z0-9]{9}$/

/**
 * Mistral's tool call ids are nine letters and digits. An id of another provider becomes such a one, the
 * same each time, so that call and answer still belong together.
 */
export function toToolCallId(id: string): string {
  if (NATIVE.test(id)) return id
  let rest = hash(id)
  let text = ''
  for (let i = 0; i < LENGTH; i++) {
    text += ALPHABET.charAt(Number(rest % 62n))
    rest /= 62n
  }
  return text
}

/** FNV-1a, 64 bits, over UTF-16 units. */
function hash(text: string): bigint {
  let value = 0xcb_f2_9c_e4_84_22_23_25n
  for (let i = 0; i < text.length; i++) {
    value = BigInt.asUintN(64, (value ^ BigInt(text.charCodeAt(i))) * 0x1_00_00_00_01_b3n)
  }
  return value
}
