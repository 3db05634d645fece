import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { findAccountName } from '../../core/accountNames.ts'
import { LARGE_BODY_BYTES } from '../../core/bodyWeight.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import { promptSizeOf } from '../../core/promptSize.ts'
import { findUnpriced } from '../../core/unpriced.ts'
import { inCallersNames } from '../../wire/callersNames.ts'
import type { CallerCodec } from '../../wire/wire.ts'
import type { Call } from '../call.ts'
import type { Plan } from '../plan/plan.ts'
import type { RoutesVerdict } from '../plan/preferences.ts'
import type { PricedEndpoint } from '../priced.ts'
import { replyIn } from '../relay/reply.ts'
import { attemptChat } from './attempt.ts'
import { countPrompt } from './countPrompt.ts'
import { refuseInexpressible } from './expressible.ts'
import { fitContext } from './fitContext.ts'

/** An endpoint for conversations with models, in a wire format that callers speak. */
export function chatIn(format: CallerCodec): PricedEndpoint<ChatRequest, WholeAnswer> {
  return {
    decode(body) {
      const decoded = format.decodeRequest(body)
      const refusal = decoded.ok ? findUnpriced(decoded.request) : undefined
      if (!refusal) return decoded
      return { ok: false, refusal: inCallersNames(refusal, format.callersNames?.(body)) }
    },
    ...(format.callersNames && { callersNames: format.callersNames }),
    prompt: (request) => ({
      size: promptSizeOf(request),
      count: (model, tokens, sent) => countPrompt(request, model, tokens, sent),
      messages: () => request.messages,
    }),
    fit,
    attempt: attemptChat,
    reply: (call, next) => replyIn(format, call, next),
  }
}

/** Keeps the routes whose models can read the prompt, and refuses what none of them can be asked. */
async function fit(plan: Plan<ChatRequest>, { deps, share }: Call): Promise<RoutesVerdict> {
  const mayName = plan.routes.every(({ provider }) => provider.allowAccountNames)
  const named = mayName ? undefined : findAccountName(plan.request)
  if (named) return { ok: false, refusal: named }
  const fitting = await fitContext(plan, deps.tokens)
  if (!fitting.ok) return fitting
  const turn = async (): Promise<void> => {
    if (share.bytes >= LARGE_BODY_BYTES) await deps.ownTurn()
  }
  const refusal = await refuseInexpressible(plan.request, fitting.routes, turn)
  return refusal ? { ok: false, refusal } : fitting
}
