/** Lists as one parameter each, in the server's own notation: `{1,2,NULL}`. */

/** For a parameter cast to `bigint[]`. */
export function bigints(values: readonly (bigint | number | null)[]): string {
  let text = ''
  for (const value of values) text += `${text && ','}${value ?? 'NULL'}`
  return `{${text}}`
}

const SPECIAL = /["\\\0]/
const SPECIALS = /["\\]/g

/** For a parameter cast to `text[]`. */
export function texts(values: readonly (string | null)[]): string {
  let text = ''
  for (const value of values) text += `${text && ','}${value === null ? 'NULL' : quote(value)}`
  return `{${text}}`
}

function quote(value: string): string {
  return SPECIAL.test(value) ? `"${storable(value).replaceAll(SPECIALS, '\\$&')}"` : `"${value}"`
}

/** The server's texts cannot hold a NUL: a caller's odd name must not stop the settlement it is written with. */
export function storable(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}
