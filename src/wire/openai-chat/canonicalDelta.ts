import { type Json, type JsonObject, isJsonObject } from '../../core/json.ts'
import { InvalidAnswer } from './invalidAnswer.ts'
import { withoutNulls, withoutPrivateFields } from './extraFields.ts'
import type { Made } from './finishReason.ts'
import { argumentsText } from '../toolCalls.ts'
import type { ToolCallReader } from './toolCalls.ts'

/**
 * Brings a message or a delta to the canonical vocabulary: no role, `content` as text, reasoning under
 * `reasoning_content` (some say `reasoning`), whole tool call fragments, and no nulls or empty stand-ins for what is not
 * there. Gives back the same object when there is nothing to change. Without what is never the caller's. Notes in `made` what
 * it brings. Throws `InvalidAnswer`.
 */
export function canonicalDelta(sent: JsonObject, made: Made, toolCalls: ToolCallReader): JsonObject {
  if (isPlain(sent)) {
    if (sent.content !== undefined && sent.content !== '') made.text = true
    return sent
  }
  const {
    role: _role,
    content,
    tool_calls: calls,
    function_call: functionCall,
    reasoning,
    reasoning_content,
    reasoning_details: details,
    annotations,
    refusal,
    ...rest
  } = withoutNulls(withoutPrivateFields(sent))
  const text = contentText(content)
  const thought = textOrUndefined(reasoning_content) ?? textOrUndefined(reasoning)
  if (refusal !== undefined && typeof refusal !== 'string') throw new InvalidAnswer('refusal is not text')
  if (text || refusal) made.text = true
  const hasCalls = Array.isArray(calls) && calls.length > 0
  if (hasCalls) made.toolCalls = true
  const called = readFunctionCall(functionCall, made)
  return {
    ...(text !== undefined && { content: text }),
    ...(thought !== undefined && { reasoning_content: thought }),
    ...(Array.isArray(details) && { reasoning_details: details.filter(isJsonObject).map(withoutStandIns) }),
    ...(Array.isArray(annotations) && { annotations: annotations.filter(isJsonObject) }),
    ...(refusal !== undefined && refusal !== '' && { refusal }),
    ...rest,
    ...(reasoning !== undefined && typeof reasoning !== 'string' && { reasoning }),
    ...(called && { function_call: called }),
    ...(hasCalls && { tool_calls: toolCalls.read(calls) as unknown as JsonObject[] }),
  }
}

/** The usual chunk of a stream: text, and fields that nobody models. */
function isPlain(sent: JsonObject): boolean {
  for (const name in sent) {
    switch (name) {
      case 'content':
      case 'reasoning_content':
        if (typeof sent[name] !== 'string') return false
        break
      case 'role':
      case 'refusal':
      case 'tool_calls':
      case 'function_call':
      case 'reasoning':
      case 'reasoning_details':
      case 'annotations':
      case 'internal':
      case 'cost':
      case 'provider':
        return false
      default:
        if (sent[name] === null) return false
    }
  }
  return true
}

/**
 * The legacy call, or its next piece; undefined for the empty ones that some servers (DeepSeek's and GLM's hosts, Snowflake)
 * put beside every text. Its name comes once.
 */
function readFunctionCall(value: Json | undefined, made: Made): JsonObject | undefined {
  if (!isJsonObject(value)) return undefined
  const { name, arguments: given, ...rest } = withoutNulls(value)
  const text = given === undefined ? undefined : argumentsText(given)
  const isNamed = typeof name === 'string' && name !== ''
  if (!isNamed && !(made.functionCall && text)) return undefined
  made.functionCall = true
  return { ...rest, ...(isNamed && { name }), ...(text !== undefined && { arguments: text }) }
}

/** Text, or an array of text parts, which some servers send where OpenAI sends text. */
function contentText(content: unknown): string | undefined {
  if (content === undefined || typeof content === 'string') return content
  if (!Array.isArray(content)) throw new InvalidAnswer('content is not text')
  let text = ''
  for (const part of content) {
    if (typeof part === 'string') text += part
    else if (isJsonObject(part) && typeof part.text === 'string') text += part.text
  }
  return text
}

/** A piece of reasoning without what it does not say yet: OpenRouter's begins with a signature of no text. */
function withoutStandIns(detail: JsonObject): JsonObject {
  const { signature, ...rest } = withoutNulls(detail)
  return signature === undefined || signature === '' ? rest : { ...rest, signature }
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
