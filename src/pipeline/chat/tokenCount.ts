import type { ChatRequest } from '../../core/chat/request.ts'
import { UpstreamError } from '../../core/failure.ts'
import { countTokens } from '../../upstream/countTokens.ts'
import { routeName } from '../../upstream/route.ts'
import type { CallOptions } from '../../upstream/send.ts'
import { type CallerFormat, type CallerTokenCount, UnsupportedField } from '../../wire/wire.ts'
import type { Call } from '../call.ts'
import type { FreeEndpoint } from '../freeCall.ts'
import type { Plan } from '../plan/plan.ts'
import { type ConversationMemory, promptOf, refuseAccountNames, withSource } from './chat.ts'

/** A provider that has not counted by then is not waited for. */
export const TOKEN_COUNT_TIMEOUT_MS = 3_000

/**
 * An endpoint that counts the tokens of a conversation. The provider that is called first is asked, where its format has a request
 * for that; where it has none, or fails, the number is the gateway's own, and the answer says so.
 */
export function tokenCountIn(
  format: Pick<CallerFormat, 'id' | 'native'>,
  count: CallerTokenCount,
  { recall }: Pick<ConversationMemory, 'recall'> = {},
): FreeEndpoint<ChatRequest> {
  return {
    ...(recall && { recall }),
    decode(body, headers) {
      const decoded = count.decodeRequest(body)
      return decoded.ok ? { ok: true, request: withSource(format, decoded.request, body, headers) } : decoded
    },
    prompt: promptOf,
    // A prompt that is too long for its model is counted as well: its caller asks in order to shorten it.
    fit(plan) {
      const named = refuseAccountNames(plan)
      return Promise.resolve(named ? { ok: false, refusal: named } : { ok: true, routes: plan.routes })
    },
    async answer(plan, call) {
      const { exchange } = call
      const left: string[] = []
      const counted = await askProvider(plan, call, left)
      if (left.length > 0) exchange.headers['x-tollgate-dropped-fields'] = left.join(', ')
      if (counted === undefined) exchange.headers['x-tollgate-estimated'] = 'true'
      return count.encodeResponse(counted ?? (await countHere(plan, call)))
    },
  }
}

/** The gateway's own count, of prompts beyond the model's context too. */
function countHere({ prompt, model, routes }: Plan, { deps }: Call): Promise<number> {
  const unbounded = { ...model, contextLength: Number.MAX_SAFE_INTEGER }
  const sent = { sentBytes: Number.MAX_SAFE_INTEGER, dropped: [], sentTo: routes[0] }
  return prompt.count(unbounded, deps.tokens, sent)
}

/**
 * Asks the first target once. What comes of it changes nothing for messages: no circuit, no cooling, no latency.
 *
 * @param left gets the fields that the target cannot take
 * @returns undefined where it cannot be asked, or fails
 */
async function askProvider(
  { request, routes }: Plan<ChatRequest>,
  call: Call,
  left: string[],
): Promise<number | undefined> {
  const { deps, caller, exchange, incoming } = call
  const { router, events } = deps
  const workspaceId = caller.workspace.id
  const [route] = router.order(routes, request, 'whole', workspaceId)
  const count = route?.format.client.tokenCount
  const borrowed = route && count && router.borrow(route, workspaceId)
  if (!borrowed) return undefined
  const { id } = exchange
  const options: Omit<CallOptions, 'signal'> = {
    route,
    credential: borrowed.credential,
    authorize: deps.authorize,
    answers: deps.answers,
    completionId: id,
    workspaceId,
    onReportBefore: () => undefined,
    onUnknownFinish: () => undefined,
    onSent: () => undefined,
    onDropped: (fields) => void left.push(...fields),
  }
  try {
    return await withinTime(call, (signal) => countTokens(request, count, { ...options, signal }))
  } catch (error) {
    if (error instanceof UnsupportedField) return undefined
    if (incoming.signal.aborted) throw error
    if (error instanceof UpstreamError)
      events.tokenCountFailed({ id, route: routeName(route), failure: error.failure })
    else events.gatewayFailed({ id, at: 'answer', cause: error })
    return undefined
  }
}

/** Gives up after the time, or when the caller leaves; throws `UpstreamError` then. */
async function withinTime<Result>(
  { deps, incoming }: Call,
  ask: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const over = new AbortController()
  const waiting = deps.sleep(TOKEN_COUNT_TIMEOUT_MS, over.signal).then(() => {
    throw new UpstreamError({ kind: 'timeout', detail: `no count within ${TOKEN_COUNT_TIMEOUT_MS} ms` })
  })
  try {
    return await Promise.race([ask(AbortSignal.any([incoming.signal, over.signal])), waiting])
  } finally {
    over.abort()
  }
}
