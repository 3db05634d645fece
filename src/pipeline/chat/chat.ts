import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { findAccountName } from '../../core/accountNames.ts'
import { LARGE_BODY_BYTES } from '../../core/bodyWeight.ts'
import type { ChatRequest, RequestSource } from '../../core/chat/request.ts'
import { type JsonObject, isJsonObject } from '../../core/json.ts'
import { promptSizeOf } from '../../core/promptSize.ts'
import { findUnpriced } from '../../core/unpriced.ts'
import type { CallerFormat, NativeLane } from '../../wire/wire.ts'
import type { HeadersSent } from '../authenticate/incoming.ts'
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
export function chatIn({
  id,
  server,
  native,
}: Pick<CallerFormat, 'id' | 'server' | 'native'>): PricedEndpoint<ChatRequest, WholeAnswer> {
  return {
    decode(body, headers) {
      const decoded = server.decodeRequest(body)
      if (!decoded.ok) return decoded
      const { request } = decoded
      const refusal = findUnpriced(request)
      if (refusal) return { ok: false, refusal }
      if (!native || !isJsonObject(body)) return decoded
      return { ok: true, request: { ...request, source: sourceOf(id, body, native, headers) } }
    },
    prompt: (request) => ({
      size: promptSizeOf(request),
      count: (model, tokens, sent) => countPrompt(request, model, tokens, sent),
      messages: () => request.messages,
    }),
    fit,
    attempt: attemptChat,
    reply: (call, next) => replyIn({ ...server, native }, call, next),
  }
}

function sourceOf(
  format: string,
  body: JsonObject,
  { headers: names }: NativeLane,
  sent: HeadersSent,
): RequestSource {
  const headers: Record<string, string> = {}
  for (const name of names) {
    const value = sent.get(name)
    if (value !== null) headers[name] = value
  }
  return { format, body, headers }
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
