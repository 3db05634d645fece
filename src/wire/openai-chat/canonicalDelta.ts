import { type JsonObject, isJsonObject } from '../../core/json.ts'
import { InvalidAnswer } from './invalidAnswer.ts'
import { withoutPrivateFields } from './extraFields.ts'
import type { Made } from './finishReason.ts'
import type { ToolCallReader } from './toolCalls.ts'

/**
 * Brings a message or a delta to the canonical vocabulary: no role, `content` as text, reasoning under
 * `reasoning_content` (some say `reasoning`), whole tool call fragments. Gives back the same object when
 * there is nothing to change. Without what is never the caller's. Notes in `made` what it brings. Throws `InvalidAnswer`.
 */
export function canonicalDelta(sent: JsonObject, made: Made, toolCalls: ToolCallReader): JsonObject {
  const given = withoutPrivateFields(sent)
  const { content, tool_calls: calls } = given
  if (typeof content === 'string' && content !== '') made.text = true
  if (isJsonObject(given.function_call)) made.functionCall = true
  const hasCalls = Array.isArray(calls) && calls.length > 0
  if (hasCalls) made.toolCalls = true
  if (
    given.role === undefined &&
    (typeof content === 'string' || content === undefined) &&
    calls === undefined &&
    given.reasoning === undefined &&
    given.reasoning_details === undefined &&
    given.annotations === undefined &&
    typeof (given.reasoning_content ?? '') === 'string' &&
    typeof (given.refusal ?? '') === 'string'
  ) {
    if (typeof given.refusal === 'string') made.text = true
    return given
  }

  const {
    role: _role,
    content: _content,
    tool_calls: _calls,
    reasoning,
    reasoning_content,
    reasoning_details: details,
    annotations,
    ...rest
  } = given
  const text = contentText(content)
  const thought = textOrUndefined(reasoning_content) ?? textOrUndefined(reasoning)
  if (text) made.text = true
  if (rest.refusal !== undefined && rest.refusal !== null) {
    if (typeof rest.refusal !== 'string') throw new InvalidAnswer('refusal is no text')
    made.text = true
  }
  return {
    ...(text !== undefined && { content: text }),
    ...(thought !== undefined && { reasoning_content: thought }),
    ...(Array.isArray(details) && { reasoning_details: details.filter(isJsonObject) }),
    ...(Array.isArray(annotations) && { annotations: annotations.filter(isJsonObject) }),
    ...rest,
    ...(reasoning !== undefined && reasoning !== null && typeof reasoning !== 'string' && { reasoning }),
    ...(hasCalls && { tool_calls: toolCalls.read(calls) as unknown as JsonObject[] }),
  }
}

/** Text, null, or an array of text parts, which some servers send where OpenAI sends text. */
function contentText(content: unknown): string | null | undefined {
  if (content === undefined || content === null || typeof content === 'string') return content
  if (!Array.isArray(content)) throw new InvalidAnswer('content is no text')
  let text = ''
  for (const part of content) {
    if (typeof part === 'string') text += part
    else if (isJsonObject(part) && typeof part.text === 'string') text += part.text
  }
  return text
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
