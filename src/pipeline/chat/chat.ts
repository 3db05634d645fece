import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { findAccountName } from '../../core/accountNames.ts'
import { LARGE_BODY_BYTES } from '../../core/bodyWeight.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import type { Refusal } from '../../core/error.ts'
import { type Json, isJsonObject } from '../../core/json.ts'
import { type PromptSize, promptSizeOf } from '../../core/promptSize.ts'
import { findLongCache } from '../../core/longCaches.ts'
import { findUnpriced } from '../../core/unpriced.ts'
import { functionsFor } from '../../upstream/encodeFor.ts'
import { inCallersNames } from '../../wire/callersNames.ts'
import { asFunctions } from '../../wire/customTools.ts'
import type { CallerFormat } from '../../wire/wire.ts'
import type { HeadersSent } from '../authenticate/incoming.ts'
import type { Call } from '../call.ts'
import type { Plan, Prompt } from '../plan/plan.ts'
import type { RoutesVerdict } from '../plan/preferences.ts'
import type { PricedEndpoint } from '../priced.ts'
import { replyIn } from '../relay/reply.ts'
import type { AnswerKeeper } from '../relay/settleWhole.ts'
import { attemptChat } from './attempt.ts'
import { countPrompt } from './countPrompt.ts'
import { refuseInexpressible } from './expressible.ts'
import { fitContext } from './fitContext.ts'

/** An endpoint for conversations with models, in a wire format that callers speak. */
export function chatIn(
  format: Pick<CallerFormat, 'id' | 'server' | 'native'>,
  { keep, ...more }: ConversationMemory = {},
): PricedEndpoint<ChatRequest, WholeAnswer> {
  const { server, native } = format
  return {
    decode(body, headers) {
      const decoded = server.decodeRequest(body)
      if (!decoded.ok) return decoded
      const { request } = decoded
      const refusal = findUnpriced(request)
      if (refusal) return { ok: false, refusal: inCallersNames(refusal, server.callersNames?.(body)) }
      const longCache = findLongCache(body)
      if (longCache) return { ok: false, refusal: longCache }
      return { ok: true, request: withSource(format, request, body, headers) }
    },
    ...(server.callersNames && { callersNames: server.callersNames }),
    prompt: promptOf,
    async fit(plan, call) {
      const named = refuseAccountNames(plan)
      if (named) return { ok: false, refusal: named }
      const fitting = await fitRoutes(plan, call)
      if (fitting.ok) return fitting
      const names = server.callersNames?.(plan.request.source?.body ?? null)
      return { ok: false, refusal: inCallersNames(fitting.refusal, names) }
    },
    attempt: attemptChat,
    reply: (call, next) => replyIn({ ...server, native: native?.answers, ...(keep && { keep }) }, call, next),
    ...more,
  }
}

/** How an endpoint remembers conversations. Default: it does not. */
export type ConversationMemory = AnswerKeeper &
  Partial<Pick<PricedEndpoint<ChatRequest, WholeAnswer>, 'recall' | 'attempt'>>

/** The request with what its caller wrote. */
export function withSource(
  { id, native }: Pick<CallerFormat, 'id' | 'native'>,
  request: ChatRequest,
  body: Json,
  sent: HeadersSent,
): ChatRequest {
  if (!isJsonObject(body)) return request
  const headers: Record<string, string> = {}
  for (const name of native?.headers ?? []) {
    const value = sent.get(name)
    if (value !== null) headers[name] = value
  }
  const features = native?.featureHeader
  return {
    ...request,
    ...(features !== undefined &&
      features in headers && { unknownFields: [...(request.unknownFields ?? []), features] }),
    source: { format: id, body, headers },
  }
}

export function promptOf(request: ChatRequest): Prompt {
  return {
    size: sizeOf(request),
    count(model, tokens, sent) {
      const functions = sent.sentTo && functionsFor(request, sent.sentTo)
      return countPrompt(functions?.request ?? request, model, tokens, sent)
    },
    messages: () => request.messages,
  }
}

/** The most that a target may be sent: custom tools, or functions in their place. */
function sizeOf(request: ChatRequest): PromptSize {
  const size = promptSizeOf(request)
  const functions = asFunctions(request)
  if (!functions) return size
  const asked = promptSizeOf(functions.request)
  return asked.textTokens > size.textTokens ? asked : size
}

/** Refuses what names something in the operator's account, by the caller's name for it, unless every route may be sent it. */
export function refuseAccountNames({ routes, request }: Plan<ChatRequest>): Refusal | undefined {
  const mayName = routes.every(({ provider }) => provider.allowAccountNames)
  return mayName ? undefined : findAccountName(request)
}

/** Keeps the routes whose models can read the prompt, and refuses what none of them can be asked. */
async function fitRoutes(plan: Plan<ChatRequest>, { deps, share }: Call): Promise<RoutesVerdict> {
  const fitting = await fitContext(plan, deps.tokens)
  if (!fitting.ok) return fitting
  const turn = async (): Promise<void> => {
    if (share.bytes >= LARGE_BODY_BYTES) await deps.ownTurn()
  }
  const refusal = await refuseInexpressible(plan.request, fitting.routes, turn)
  return refusal ? { ok: false, refusal } : fitting
}
