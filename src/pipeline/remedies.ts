import type { ChatRequest } from '../core/chat/request.ts'
import type { Nano } from '../core/money.ts'
import { LEAST_PROMPT, type PromptSize } from '../core/promptSize.ts'
import { outputTokensFor } from './holdSize.ts'
import type { Plan } from './plan.ts'

/** Fewer output tokens than this are no answer to most prompts: other ways are named beside them. */
const WORTHWHILE_OUTPUT_TOKENS = 16

/**
 * What a caller can change in a request that needs more than is free, each as the end of a sentence. Every one of them
 * is tried: none is named that would be refused again, and none at all where only money helps.
 *
 * @param needOf what a plan needs to be let through
 */
export function remediesFor(plan: Plan, free: Nano, at: number, needOf: (plan: Plan) => Nano): string[] {
  const { request, promptSize } = plan
  const fits = (prompt: PromptSize, change: Partial<ChatRequest> = {}): boolean =>
    needOf({ ...plan, promptSize: prompt, request: { ...request, ...change } }) <= free

  const remedies: string[] = []
  const maxTokens = choiceTokensWithin(free, plan, at)
  const isShort = maxTokens < WORTHWHILE_OUTPUT_TOKENS
  if (maxTokens >= 1 && fits(promptSize, { maxTokens })) {
    remedies.push(`ask for at most ${maxTokens} tokens with max_tokens`)
  }
  if (isShort && request.n > 1 && fits(promptSize, { n: 1 })) remedies.push('ask for fewer choices with n')

  const [smaller, words]: [PromptSize, string] = promptSize.unfolds
    ? [
        { ...promptSize, unfolds: false },
        'leave out documents and videos, which are held as the whole context',
      ]
    : [LEAST_PROMPT, 'shorten the prompt']
  if ((isShort || promptSize.unfolds) && fits(smaller)) remedies.push(words)
  if (remedies.length === 0 && fits(smaller, { maxTokens: 1, n: 1 })) {
    remedies.push(`${words} and ask for fewer tokens with max_tokens`)
  }
  return remedies
}

/** The largest `max_tokens` that an amount pays on each of the routes beside the prompt; 0 where it pays none. */
function choiceTokensWithin(free: Nano, { request, promptSize, routes }: Plan, at: number): number {
  const tokens = routes.map((route) => outputTokensFor(free, request, route, promptSize, at))
  return Math.floor(Math.min(...tokens) / request.n)
}
