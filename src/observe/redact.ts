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
const DETAIL_LENGTH_MAX = 2_000

/** Takes secrets out of a provider's words, so that they may go to the log. */
export function redact(text: string, secrets: readonly string[] = []): string {
  let clean = text.slice(0, DETAIL_LENGTH_MAX)
  for (const secret of secrets) if (secret.length >= 4) clean = clean.replaceAll(secret, REDACTED)
  for (const pattern of SECRET_PATTERNS) {
    clean = clean.replace(pattern, (_match, prefix: unknown) =>
      typeof prefix === 'string' ? prefix + REDACTED : REDACTED,
    )
  }
  return clean
}
