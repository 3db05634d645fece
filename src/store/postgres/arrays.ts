/** Lists as one parameter each, in the server's own notation: `{1,2,NULL}`. */

/** For a parameter cast to `bigint[]`. */
export function bigints(values: readonly (bigint | number | null)[]): string {
  let text = ''
  for (const value of values) text += `${text && ','}${value ?? 'NULL'}`
  return `{${text}}`
}

/** For a parameter cast to `text[]`. */
export function texts(values: readonly (string | null)[]): string {
  let text = ''
  for (const value of values) text += `${text && ','}${value === null ? 'NULL' : quote(value)}`
  return `{${text}}`
}

function quote(value: string): string {
  const storableValue = storable(value)
  // Most have neither, and to look for one character is cheaper than an expression.
  if (!value.includes('"') && !value.includes('\\')) return `"${storableValue}"`
  return `"${storableValue.replaceAll(/["\\]/g, '\\$&')}"`
}

/** The server's texts cannot hold a NUL: a caller's odd name must not stop the settlement it is written with. */
export function storable(value: string): string {
  return value.includes('\0') ? value.replaceAll('\0', '\uFFFD') : value
}
