import { hideBroken } from '../core/invisible.ts'
import { SECRET_LENGTH_MIN, secretForms } from './secretForms.ts'

const REDACTED = '[redacted]'

/** What looks like a secret: bearer tokens, keys with a prefix, keys in query strings, long opaque words. */
const SECRET_PATTERNS: readonly RegExp[] = [
  /\bBearer\s+[^\s"',;]+/gi,
  /\b(?:sk|pk|tg|gsk|xai|key|api|AKIA|ASIA|AIza|ya29)[-_.]?[A-Za-z0-9*_-]{8,}/g,
  /([?&](?:key|api_key|access_token|token)=)[^&\s"']+/gi,
  /\b[A-Za-z0-9+/_-]{40,}={0,2}/g,
  /\borg-[A-Za-z0-9]+/g,
]
/** Longer details are cut: the beginning says what went wrong. */
export const REDACTED_LENGTH_MAX = 2_000

/** Takes secrets out of somebody else's words, also where invisible characters break them. */
export type Redact = (text: string) => string

/** @param secrets what is taken out in every encoding, beside what looks like a secret */
export function createRedact(secrets: readonly string[]): Redact {
  const written = secrets.filter(({ length }) => length >= SECRET_LENGTH_MIN).flatMap(secretForms)
  // Error codes are taken down in lowercase.
  const forms = [...new Set(written.flatMap((form) => [form, form.toLowerCase()]))]
  // A form may hold another: the longest goes first.
  forms.sort((a, b) => b.length - a.length)
  function hide(text: string): string {
    let clean = text
    for (const form of forms) clean = clean.replaceAll(form, REDACTED)
    clean = withoutBrokenEnd(clean, forms)
    for (const pattern of SECRET_PATTERNS) {
      clean = clean.replace(pattern, (_match, prefix: unknown) =>
        typeof prefix === 'string' ? prefix + REDACTED : REDACTED,
      )
    }
    return clean
  }

  // Cut last, or half a secret would be left at the end.
  return (text) => hideBroken(text, hide).slice(0, REDACTED_LENGTH_MAX)
}

/** Whoever took the text down may have cut it in the middle of a secret. */
function withoutBrokenEnd(text: string, forms: readonly string[]): string {
  let longest = 0
  for (const form of forms) {
    for (let length = Math.min(form.length - 1, text.length); length > longest; length--) {
      if (length >= SECRET_LENGTH_MIN && text.endsWith(form.slice(0, length))) longest = length
    }
  }
  return longest === 0 ? text : text.slice(0, -longest) + REDACTED
}
