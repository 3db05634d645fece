import type { ChatRequest } from '../core/chat/request.ts'
import { ANSWER_JSON } from '../core/json.ts'
import type { ProviderTokenCount } from '../wire/wire.ts'
import { functionsFor } from './encodeFor.ts'
import { encodeTargetOf } from './route.ts'
import { type CallOptions, readWhole, send } from './send.ts'

/**
 * Asks a provider how many tokens a prompt has, in its wire format's own request for that. Throws `UpstreamError`, or
 * `UnsupportedField` before anything is sent.
 */
export async function countTokens(
  request: ChatRequest,
  count: ProviderTokenCount,
  options: CallOptions,
): Promise<number> {
  const { request: given = request } = functionsFor(request, options.route) ?? {}
  const whole = { ...given, stream: false, includeUsage: false }
  const encoded = count.encodeRequest(whole, encodeTargetOf(options.route, whole))
  const response = await send(whole, encoded, options)
  return readWhole(response, options, ANSWER_JSON, count.decodeResponse)
}
