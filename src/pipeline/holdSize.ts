import type { ChatRequest } from '../core/chat/request.ts'
import type { Model } from '../core/model.ts'
import { type Nano, ZERO, maxNano } from '../core/money.ts'
import { ceilingFor, priceAt } from '../core/price.ts'
import { type PromptSize, promptTokensOn } from '../core/promptSize.ts'
import { callsFor } from '../upstream/fanOut.ts'
import type { Route } from '../upstream/route.ts'

/** Output tokens of all choices together that a hold covers at first, and the most they can reach. */
export interface OutputTokens {
  readonly assumed: number
  readonly most: number
}

/** All of `max_tokens` when the caller gave it, else the model's assumed output (design §4). */
export function outputTokensOf(request: ChatRequest, model: Model): OutputTokens {
  const most = Math.min(request.maxTokens ?? model.maxOutputTokens, model.maxOutputTokens)
  const assumed = request.maxTokens === undefined ? Math.min(model.assumedOutputTokens, most) : most
  return { assumed: assumed * request.n, most: most * request.n }
}

/** The hold that the dearest route needs: a fallback must not cost more than was held. */
export function holdAmount(
  request: ChatRequest,
  routes: readonly Route[],
  promptSize: PromptSize,
  at: number,
): Nano {
  let most = ZERO
  for (const route of routes) {
    const amount = ceilingFor(priceAt(route.model.prices, at), {
      promptTokens: promptTokensOn(promptSize, route.model),
      prompts: callsFor(request, route),
      outputTokens: outputTokensOf(request, route.model).assumed,
    })
    most = maxNano(most, amount)
  }
  return most
}

/** What `outputTokens` more cost at most on a route's model, at the tier of this prompt. */
export function extensionAmount(
  { model }: Route,
  promptSize: PromptSize,
  outputTokens: number,
  at: number,
): Nano {
  const promptTokens = promptTokensOn(promptSize, model)
  return ceilingFor(priceAt(model.prices, at), { promptTokens, prompts: 0, outputTokens })
}
