import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { compact } from '../read.ts'
import { isAbsent } from '../requestReader.ts'
import { namingUnknown } from '../unknownFields.ts'
import type { CallerTokenCount, DecodedRequest, ProviderTokenCount } from '../wire.ts'
import { decodeRequest } from './decodeRequest.ts'
import { encodeRequest } from './encodeRequest.ts'
import { encodeRequest as passRequest } from './native/encodeRequest.ts'

/** Counts the tokens of a prompt: https://platform.claude.com/docs/api/beta/messages/count_tokens */
export const providerTokenCount: ProviderTokenCount = {
  encodeRequest(request, target) {
    const { source } = request
    const passed = source?.format === 'anthropic-messages' && passRequest(source, request, target)
    const { path, body, ...encoded } = passed || namingUnknown(request, encodeRequest(request, target))
    const counted = Object.fromEntries(COUNTED.map((name) => [name, body[name]]))
    return { ...encoded, path: `${path}/count_tokens`, body: compact(counted) }
  },

  decodeResponse(body) {
    const tokens = isJsonObject(body) ? body.input_tokens : undefined
    if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) return tokens
    throw invalidAnswer('a count of tokens without a number', body)
  },
}

/** The fields of a message that it takes. It refuses others, `max_tokens` too (Wei-Shaw/sub2api#4913). */
const COUNTED = [
  'model',
  'system',
  'messages',
  'tools',
  'tool_choice',
  'thinking',
  'output_config',
  'output_format',
  'context_management',
] as const

export const callerTokenCount: CallerTokenCount = {
  decodeRequest: decodeCounted,
  encodeResponse: (inputTokens): JsonObject => ({ input_tokens: inputTokens }),
}

/** The request of a message, whose output limit may be absent. */
function decodeCounted(body: Json): DecodedRequest {
  if (!isJsonObject(body) || !isAbsent(body.max_tokens)) return decodeRequest(body)
  const decoded = decodeRequest({ ...body, max_tokens: 1 })
  if (!decoded.ok) return decoded
  const { maxTokens: _, ...request } = decoded.request
  return { ok: true, request }
}
