import { certainText } from '../../core/chat/certainText.ts'
import { type Refusal, refuse } from '../../core/error.ts'
import { estimateTokens } from '../../core/tokenEstimate.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { TokenCounter } from '../deps.ts'
import type { Plan } from '../plan/plan.ts'
import type { RoutesVerdict } from '../plan/preferences.ts'

/** From this share of a model's context on, the cheap estimate is not enough. */
const WORTH_COUNTING = 0.8
/** From so many times the context on, the estimate is enough: a count would change nothing. */
const BEYOND_COUNTING = 8
/** Characters counted together: a prompt that is far too long is not counted to its end. */
const SLICE_CHARACTERS = 2 ** 20

/**
 * Leaves the routes whose models can read the prompt, or refuses with 400 where there are none. Only text
 * decides: of images and audio only the most is known that they may cost, and a document may be anything.
 */
export async function fitContext(
  plan: Plan<ChatRequest>,
  tokens: Pick<TokenCounter, 'count'>,
): Promise<RoutesVerdict> {
  const all = { ok: true, routes: plan.routes } as const
  const { textTokens, unfolds } = plan.prompt.size
  const isNarrow = plan.routes.some(({ model }) => textTokens >= model.contextLength * WORTH_COUNTING)
  if (unfolds || !isNarrow) return all
  const largest = plan.routes.reduce((most, { model }) => Math.max(most, model.contextLength), 0)
  if (textTokens >= largest * BEYOND_COUNTING)
    return { ok: false, refusal: tooLong(plan, textTokens, largest) }
  const counted = await countText(certainText(plan.request), largest, tokens)
  if (counted === undefined) return all
  const routes = plan.routes.filter(({ model }) => counted <= model.contextLength)
  if (routes.length === plan.routes.length) return all
  if (routes.length > 0) return { ok: true, routes }
  return { ok: false, refusal: tooLong(plan, counted, largest) }
}

/**
 * Counts as o200k does, until it is certain that the text is too long for `context` tokens, or to its end. Undefined
 * where it cannot be counted.
 */
async function countText(
  text: string,
  context: number,
  { count }: Pick<TokenCounter, 'count'>,
): Promise<number | undefined> {
  let tokens = 0
  for (let start = 0; start < text.length && tokens <= context;) {
    // What is left at the end is counted with the slice before it.
    const isLast = text.length - start < 2 * SLICE_CHARACTERS
    const slice = isLast ? text.slice(start) : text.slice(start, start + SLICE_CHARACTERS)
    const more = await count(slice)
    // A counter that is overloaded gives the estimate, which errs upwards: it refuses no request.
    if (more === estimateTokens(slice)) return undefined
    tokens += more
    start += slice.length
  }
  return tokens
}

function tooLong({ routes, model }: Plan, tokens: number, context: number): Refusal {
  const name = routes.find((route) => route.model.contextLength === context)?.model.id ?? model.id
  return refuse(
    'invalid_request',
    `The prompt has about ${tokens} tokens or more, and the model "${name}" can read ${context}. Shorten the messages, or choose a model with a longer context.`,
    { param: 'messages' },
  )
}
