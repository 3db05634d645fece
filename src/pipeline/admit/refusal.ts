import { type Refusal, refuse } from '../../core/error.ts'
import { type Nano, formatUsd } from '../../core/money.ts'
import type { AdmissionVerdict, LimitName, Limits, RateStatus } from '../../core/ports/till.ts'
import type { Caller } from '../authenticate/caller.ts'

/** What a 402 suggests to wait when only other calls' holds stand in the way. */
export const HELD_RETRY_AFTER_SECONDS = 5

type RefusedVerdict = Exclude<AdmissionVerdict, { kind: 'admitted' }>
type UnpaidVerdict = Exclude<RefusedVerdict, { kind: 'rate_limited' }>

/**
 * What a caller is told whom the admission refused: what is missing, and what helps.
 *
 * @param maxTokensWithin the largest `max_tokens` of the request that so much pays; 0: none
 */
export function refusalOfVerdict(
  verdict: RefusedVerdict,
  { limits }: Caller,
  maxTokensWithin: (free: Nano) => number,
): Refusal {
  if (verdict.kind === 'rate_limited') return rateLimited(verdict)
  const { kind, needed, available } = verdict
  const ofWhat = kind === 'spend_limit_exceeded' ? " of the key's monthly spend limit" : ''
  if (verdict.heldByOthers) {
    const rest = ofWhat === '' ? 'the rest of the balance' : 'the rest'
    return refuse(
      kind,
      `This request needs $${formatUsd(needed)}, and only $${formatUsd(available)}${ofWhat} is free now: ${rest} is held by calls in flight. Retry when they have ended.`,
      { retryAfterSeconds: HELD_RETRY_AFTER_SECONDS },
    )
  }
  const is = ofWhat === '' ? 'is available' : `is left${ofWhat}`
  const maxTokens = maxTokensWithin(verdict.affordable)
  const shorter = maxTokens > 0 ? [`ask for at most ${maxTokens} tokens with max_tokens`] : []
  const advice = anyOf([...moneyFor(verdict, limits), ...shorter])
  return refuse(
    kind,
    `This request needs $${formatUsd(needed)} and $${formatUsd(available)} ${is}. ${advice}`,
  )
}

/** How the money for a refused request comes about. */
function moneyFor({ kind, needed }: UnpaidVerdict, { keyMonthlySpend }: Limits): string[] {
  if (kind === 'insufficient_balance') return ['add credit']
  const fitsAMonth = keyMonthlySpend !== null && needed <= keyMonthlySpend
  return [...(fitsAMonth ? ['wait for the next month'] : []), 'have the limit raised']
}

/** A sentence of alternatives: each is enough. */
function anyOf(ways: readonly string[]): string {
  const words = ways.length > 1 ? `${ways.slice(0, -1).join(', ')}, or ${ways.at(-1)}` : ways.join('')
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}.`
}

const LIMIT_WORDS: Record<LimitName, (limit: number) => string> = {
  workspace_minute: (limit) => `the workspace's limit of ${limit} requests per minute`,
  key_minute: (limit) => `the key's limit of ${limit} requests per minute`,
  key_day: (limit) => `the key's limit of ${limit} requests per day`,
  key_concurrency: (limit) => `the key's limit of ${limit} requests at the same time`,
}

/** A 429 that names the limit and when it has room again. */
export function rateLimited(verdict: { rate: RateStatus; retryAfterMs: number }): Refusal {
  const seconds = Math.max(1, Math.ceil(verdict.retryAfterMs / 1000))
  const words = LIMIT_WORDS[verdict.rate.name](verdict.rate.limit)
  return refuse('rate_limit_exceeded', `Too many requests: ${words} is used up. Retry in ${seconds} s.`, {
    retryAfterSeconds: seconds,
  })
}
