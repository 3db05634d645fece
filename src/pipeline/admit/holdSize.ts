import type { RequestTraits } from '../../core/traits.ts'
import type { Model } from '../../core/model.ts'
import { type Nano, ZERO, maxNano } from '../../core/money.ts'
import type { HoldRequest } from '../../core/ports/till.ts'
import { type PromptTokens, ceilingFor, outputTokensWithin, priceAt } from '../../core/price.ts'
import { type PromptSize, promptTokensOn } from '../../core/promptSize.ts'
import { callsFor } from '../../upstream/fanOut.ts'
import type { Route } from '../../upstream/route.ts'
import type { Plan } from '../plan/plan.ts'

/** Output tokens of all choices together. */
export interface OutputTokens {
  /** What such answers probably take. */
  readonly needed: number
  /** What they can reach. */
  readonly most: number
}

/** A larger `max_tokens`, in times of what such answers take, is a ceiling that a client always sends and no wish. */
export const WISH_FACTOR_MAX = 16

/** The need: what such answers take; or all of `max_tokens`, where the caller wants it (docs/billing.md#how-much-is-held). */
export function outputTokensOf({ maxTokens, n }: RequestTraits, model: Model): OutputTokens {
  const usual = model.assumedOutputTokens
  const limit = maxTokens === undefined ? model.maxOutputTokens : Math.max(maxTokens, leastLimit(model))
  const most = Math.min(limit, model.maxOutputTokens)
  const isWish = maxTokens !== undefined && maxTokens <= usual * WISH_FACTOR_MAX
  const needed = isWish ? most : Math.min(usual, most)
  return { needed: needed * n, most: most * n }
}

/** The smallest output limit of a choice that each of a model's targets can be sent. */
function leastLimit({ targets }: Model): number {
  return targets.reduce((least, { outputTokensMin = 1 }) => Math.max(least, outputTokensMin), 1)
}

/** What is asked of each route: the parts of a plan that size a hold. */
export interface Asked {
  readonly request: RequestTraits
  readonly prompt: { readonly size: PromptSize }
}

/** What a call needs and what it can cost on the dearest of its routes: a fallback must not cost more than was held. */
export function holdFor(
  request: RequestTraits,
  routes: readonly Route[],
  promptSize: PromptSize,
  at: number,
): Pick<HoldRequest, 'need' | 'most'> {
  let [need, most] = [ZERO, ZERO]
  for (const route of routes) {
    const price = priceAt(route.model.prices, at)
    const prompt = promptOn(request, route, promptSize)
    const output = outputTokensOf(request, route.model)
    const dearest = ceilingFor(price, prompt, output.most)
    most = maxNano(most, dearest)
    need = maxNano(need, output.needed === output.most ? dearest : ceilingFor(price, prompt, output.needed))
  }
  return { need, most }
}

/** What a call's prompt alone can cost on the dearest of its routes. */
export function promptCostOf(
  request: RequestTraits,
  routes: readonly Route[],
  promptSize: PromptSize,
  at: number,
): Nano {
  return routes.reduce(
    (most, route) =>
      maxNano(most, ceilingFor(priceAt(route.model.prices, at), promptOn(request, route, promptSize), 0)),
    ZERO,
  )
}

/**
 * How many output tokens of all choices together an amount pays on a route beside the prompt; 0 where it pays none.
 *
 * @param factor pays so many times what is left beside the prompt
 */
export function outputTokensFor(
  amount: Nano,
  { request, prompt }: Asked,
  route: Route,
  at: number,
  factor = 1,
): number {
  const price = priceAt(route.model.prices, at)
  return outputTokensWithin(amount, price, promptOn(request, route, prompt.size), factor)
}

/**
 * The output limit to send for each choice where fewer tokens of all choices are paid for than the caller, or the model,
 * would allow: undefined where all of them are.
 */
export function outputLimitFor(paidTokens: number, request: RequestTraits, model: Model): number | undefined {
  const { most } = outputTokensOf(request, model)
  return paidTokens >= most ? undefined : Math.max(leastLimit(model), Math.floor(paidTokens / request.n))
}

/** The largest `max_tokens` that an amount pays on each of a plan's routes beside the prompt; 0 where it pays none. */
export function choiceTokensWithin(amount: Nano, { routes, ...asked }: Plan, at: number): number {
  const tokens = routes.map((route) => {
    const each = Math.floor(outputTokensFor(amount, asked, route, at) / asked.request.n)
    return each < leastLimit(route.model) ? 0 : each
  })
  return Math.min(...tokens)
}

function promptOn(request: RequestTraits, route: Route, promptSize: PromptSize): PromptTokens {
  return { promptTokens: promptTokensOn(promptSize, route.model), prompts: callsFor(request, route) }
}

/** How many output tokens more an amount pays on a route's model, at the tier of this prompt: the inverse of `extensionAmount`. */
export function extensionTokens({ model }: Route, promptSize: PromptSize, amount: Nano, at: number): number {
  const promptTokens = promptTokensOn(promptSize, model)
  return outputTokensWithin(amount, priceAt(model.prices, at), { promptTokens, prompts: 0 })
}

/** What `outputTokens` more cost at most on a route's model, at the tier of this prompt. */
export function extensionAmount(
  { model }: Route,
  promptSize: PromptSize,
  outputTokens: number,
  at: number,
): Nano {
  const promptTokens = promptTokensOn(promptSize, model)
  return ceilingFor(priceAt(model.prices, at), { promptTokens, prompts: 0 }, outputTokens)
}
