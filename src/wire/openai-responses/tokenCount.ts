import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { compact } from '../read.ts'
import { namingUnknown } from '../unknownFields.ts'
import type { CallerTokenCount, DecodedRequest, ProviderTokenCount } from '../wire.ts'
import { decodeRequest } from './decodeRequest.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Counts the tokens of a prompt: https://platform.openai.com/docs/api-reference/responses/input-tokens */
export const providerTokenCount: ProviderTokenCount = {
  encodeRequest(request, target) {
    const { path, body, ...encoded } = namingUnknown(request, encodeRequest(request, target))
    const counted = Object.fromEntries(COUNTED.map((name) => [name, body[name]]))
    return { ...encoded, path: `${path}/input_tokens`, body: compact(counted) }
  },

  decodeResponse(body) {
    const tokens = isJsonObject(body) ? body.input_tokens : undefined
    if (typeof tokens === 'number' && Number.isSafeInteger(tokens) && tokens >= 0) return tokens
    throw invalidAnswer('a count of tokens without a number', body)
  },
}

/** The fields of a request that it takes. */
const COUNTED = [
  'model',
  'input',
  'instructions',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'reasoning',
  'text',
] as const

export const callerTokenCount: CallerTokenCount = {
  decodeRequest: decodeCounted,
  encodeResponse: (inputTokens): JsonObject => ({
    object: 'response.input_tokens',
    input_tokens: inputTokens,
  }),
}

/** The request of a response, whose input may be absent. */
function decodeCounted(body: Json): DecodedRequest {
  return decodeRequest(isJsonObject(body) ? { ...body, input: body.input ?? '' } : body)
}
