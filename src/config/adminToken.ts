/** Shorter ones can be tried out. */
const CHARACTERS_MIN = 16
/** Random text of the least length has more; `aaaa…` and `1212…` have not. */
const DISTINCT_CHARACTERS_MIN = 6
/** What people write for the time being. A token of nothing else is one of the first to be tried. */
const WORDS =
  /admin(?:istrator)?|tollgate|token|password|passwort|passwd|secret|changeme|change|default|example|letmein|welcome|qwerty|test|root|user|demo|dummy|none|null|your|this|here|the|my|me|it|key|abc|xyz/g
const ROWS = ['abcdefghijklmnopqrstuvwxyz', '01234567890123456789']

/** Why an admin token can be guessed, without quoting it; undefined when it is long and not obvious. */
export function weaknessOf(token: string): string | undefined {
  const advice = `use ${CHARACTERS_MIN} random characters or more: openssl rand -hex 32`
  if (token.length < CHARACTERS_MIN) return `is short: ${advice}`
  if (new Set(token).size < DISTINCT_CHARACTERS_MIN || repeats(token) || isObvious(token))
    return `can be guessed: ${advice}`
  return undefined
}

/** The same few characters again and again. */
function repeats(token: string): boolean {
  return /^(.{1,8}?)\1+/.exec(token)?.[0].length === token.length
}

/** Words, digits and signs, and nothing else. */
function isObvious(token: string): boolean {
  const plain = token.toLowerCase()
  if (ROWS.some((row) => plain.startsWith(row.slice(0, 8)) || row.includes(plain))) return true
  return plain.replaceAll(WORDS, '').replaceAll(/[^a-z]/g, '') === '' && /[a-z]/.test(plain)
}

/** This machine alone can reach it. */
export function isLoopback(host: string): boolean {
  return /^(?:localhost|127(?:\.\d{1,3}){3}|\[?::1\]?)$/i.test(host)
}
