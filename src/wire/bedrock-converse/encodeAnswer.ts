import { unreachable } from '../../core/assert.ts'
import type { AssistantMessage, ChatResponse } from '../../core/chat/response.ts'
import type { ErrorCode, Refusal } from '../../core/error.ts'
import { type JsonObject, parseJson } from '../../core/json.ts'
import type { Usage } from '../../core/usage.ts'
import { compact } from '../read.ts'
import { encodeStopReason } from './stopReason.ts'

/** Writes a `ConverseResponse`, which holds one choice: the first. */
export function encodeResponse(response: ChatResponse): JsonObject {
  const choice = response.choices[0]
  const tier = response.extra['service_tier']
  return compact({
    output: { message: { role: 'assistant', content: choice ? encodeContent(choice.message) : [] } },
    stopReason: encodeStopReason(choice?.finishReason ?? 'stop'),
    usage: response.usage === undefined ? undefined : encodeUsage(response.usage),
    metrics: { latencyMs: 0 },
    serviceTier: typeof tier === 'string' ? { type: tier } : undefined,
  })
}

/** The body of an error; the official clients read its kind from `__type` when the header is missing. */
export function encodeError(refusal: Refusal): JsonObject {
  return { __type: exceptionOf(refusal.code), message: refusal.message }
}

export function encodeUsage(usage: Usage): JsonObject {
  return {
    inputTokens: usage.promptTokens - usage.cachedTokens - usage.cacheWriteTokens,
    outputTokens: usage.completionTokens,
    totalTokens: usage.promptTokens + usage.completionTokens,
    cacheReadInputTokens: usage.cachedTokens,
    cacheWriteInputTokens: usage.cacheWriteTokens,
  }
}

function encodeContent(message: AssistantMessage): JsonObject[] {
  // A refusal has no place of its own.
  const text = message.content || (message.refusal ?? '')
  return [
    ...encodeReasoning(message),
    ...encodeText(text, message.annotations ?? []),
    ...(message.tool_calls ?? []).map((call) => ({
      toolUse: {
        toolUseId: call.id,
        name: call.function.name,
        input: parseJson(call.function.arguments) ?? {},
      },
    })),
  ]
}

function encodeReasoning(message: AssistantMessage): JsonObject[] {
  const blocks: JsonObject[] = []
  for (const { type, id, text, signature, data } of message.reasoning_details ?? []) {
    // The signature of another provider's call.
    if (id !== undefined) continue
    if (type === 'reasoning.text')
      blocks.push({ reasoningContent: { reasoningText: compact({ text: text ?? '', signature }) } })
    if (type === 'reasoning.encrypted' && data !== undefined)
      blocks.push({ reasoningContent: { redactedContent: data } })
  }
  const told = (message.reasoning_details ?? []).some((detail) => detail.type === 'reasoning.text')
  if (!told && message.reasoning_content) {
    blocks.unshift({ reasoningContent: { reasoningText: { text: message.reasoning_content } } })
  }
  return blocks
}

/** One block of text, with the citations that have an address. */
function encodeText(text: string, annotations: readonly JsonObject[]): JsonObject[] {
  if (text === '') return []
  const citations = annotations.flatMap(encodeCitation)
  return citations.length === 0 ? [{ text }] : [{ citationsContent: { content: [{ text }], citations } }]
}

export function encodeCitation(annotation: JsonObject): JsonObject[] {
  const citation = annotation['url_citation']
  if (typeof citation !== 'object' || citation === null || !('url' in citation)) return []
  return [compact({ title: citation['title'], location: { web: { url: citation['url'] } } })]
}

function exceptionOf(code: ErrorCode): string {
  switch (code) {
    case 'missing_api_key':
    case 'invalid_api_key':
    case 'model_not_accessible':
      return 'AccessDeniedException'
    case 'model_not_found':
    case 'not_found':
    case 'method_not_allowed':
      return 'ResourceNotFoundException'
    case 'insufficient_balance':
    case 'spend_limit_exceeded':
      return 'ServiceQuotaExceededException'
    case 'idempotency_conflict':
      return 'ConflictException'
    case 'rate_limit_exceeded':
      return 'ThrottlingException'
    case 'internal_error':
      return 'InternalServerException'
    case 'upstream_error':
      return 'ModelErrorException'
    case 'service_unavailable':
      return 'ServiceUnavailableException'
    case 'invalid_request':
    case 'request_too_large':
      return 'ValidationException'
    default:
      return unreachable(code)
  }
}
