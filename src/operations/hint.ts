/** Characters of the random part that a hint shows. */
const HINT_LENGTH = 4

/** The first characters of a secret, for people to recognise it. */
export function hintOf(secret: string, prefix: string): string {
  return `${secret.slice(0, prefix.length + HINT_LENGTH)}…`
}
