import type { ChatRequest } from '../../core/chat/request.ts'
import type { Nano } from '../../core/money.ts'
import { LEAST_PROMPT, type PromptSize } from '../../core/promptSize.ts'
import { outputTokensFor } from './holdSize.ts'
import type { Plan } from '../plan/plan.ts'

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

  const smaller = smallerPrompts(promptSize)
  const enough = smaller.find(({ prompt }) => fits(prompt))
  if ((isShort || promptSize.unfolds) && enough) remedies.push(enough.words)
  const withFewerTokens = smaller.find(({ prompt }) => fits(prompt, { maxTokens: 1, n: 1 }))
  if (remedies.length === 0 && withFewerTokens) {
    remedies.push(`${withFewerTokens.words} and ask for fewer tokens with max_tokens`)
  }
  return remedies
}

/** What the prompt can be made, and how the caller makes it so: the least change first. */
function smallerPrompts(size: PromptSize): { readonly prompt: PromptSize; readonly words: string }[] {
  if (size.unfolds) {
    const words = 'leave out documents and videos, which are held as the whole context'
    return [{ prompt: { ...size, unfolds: false }, words }]
  }
  if (size.images === 0) return [{ prompt: LEAST_PROMPT, words: 'shorten the prompt' }]
  return [
    { prompt: { ...size, images: 0 }, words: 'leave out images' },
    { prompt: { ...LEAST_PROMPT, images: size.images }, words: 'shorten the text of the prompt' },
    { prompt: LEAST_PROMPT, words: 'leave out images and shorten the text of the prompt' },
  ]
}

/** The largest `max_tokens` that an amount pays on each of the routes beside the prompt; 0 where it pays none. */
function choiceTokensWithin(free: Nano, { request, promptSize, routes }: Plan, at: number): number {
  const tokens = routes.map((route) => outputTokensFor(free, request, route, promptSize, at))
  return Math.floor(Math.min(...tokens) / request.n)
}
