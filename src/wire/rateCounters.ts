/** What is left of a rate limit of the account. https://platform.openai.com/docs/guides/rate-limits, Groq's alike */
const OPENAI = ['x-ratelimit-remaining-requests', 'x-ratelimit-remaining-tokens']
/** https://docs.anthropic.com/en/api/rate-limits */
const ANTHROPIC = ['requests', 'tokens', 'input-tokens', 'output-tokens'].map(
  (unit) => `anthropic-ratelimit-${unit}-remaining`,
)
const COUNTERS = [...OPENAI, ...ANTHROPIC]

/** Whether an answer says that nothing is left of a rate limit: then it holds for every caller, not for this one only. */
export function nothingIsLeft(headers: ReadonlyMap<string, string>): boolean {
  return COUNTERS.some((name) => headers.get(name)?.trim() === '0')
}
