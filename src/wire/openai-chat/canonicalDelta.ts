import { type Json, type JsonObject, isJsonObject } from '../../core/json.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { staysInside, withoutInside } from '../staysInside.ts'
import type { Made } from './finishReason.ts'
import { withoutNulls, writeJson } from '../read.ts'
import { argumentsText } from '../toolCalls.ts'
import type { ToolCallReader } from './toolCalls.ts'

/**
 * Brings a message or a delta to the canonical vocabulary: no role, `content` as text, reasoning under
 * `reasoning_content` (some say `reasoning`), whole tool call fragments, and no nulls or empty stand-ins for what is not
 * there. Gives back the same object when there is nothing to change. Without what is never the caller's. Notes in `made` what
 * it brings. Throws `UpstreamError`.
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
  } = withoutNulls(withoutInside(sent, MESSAGE_FIELDS))
  const text = contentText(content)
  const thought = textOrUndefined(reasoning_content) ?? textOrUndefined(reasoning)
  if (refusal !== undefined && typeof refusal !== 'string') throw invalidAnswer('refusal is not text')
  if (text || refusal) made.text = true
  const hasCalls = Array.isArray(calls) && calls.length > 0
  if (hasCalls) made.toolCalls = true
  const called = readFunctionCall(functionCall, made)
  return {
    ...(text !== undefined && { content: text }),
    ...(thought !== undefined && { reasoning_content: thought }),
    ...(Array.isArray(details) && { reasoning_details: details.filter(isJsonObject).map(withoutStandIns) }),
    ...(Array.isArray(annotations) && { annotations: annotations.filter(isJsonObject).map(cleanAnnotation) }),
    ...(refusal !== undefined && refusal !== '' && { refusal }),
    ...rest,
    ...(reasoning !== undefined && typeof reasoning !== 'string' && { reasoning }),
    ...(called && { function_call: called }),
    ...(hasCalls && { tool_calls: toolCalls.read(calls) as unknown as JsonObject[] }),
  }
}

/** What the interface has in a message or a delta. What is in these is cleaned by itself, or what the model wrote. */
const MESSAGE_FIELDS = new Set(
  'role content refusal tool_calls function_call annotations audio images reasoning reasoning_content reasoning_details'.split(
    ' ',
  ),
)
const ANNOTATION_FIELDS = new Set(['type', 'url_citation'])
const NO_FIELDS: ReadonlySet<string> = new Set()

/** Of an item of a list that the interface has. */
function withoutPrivate(item: JsonObject): JsonObject {
  return withoutInside(item, NO_FIELDS)
}

function cleanAnnotation(annotation: JsonObject): JsonObject {
  const { url_citation: cited } = annotation
  const clean = withoutInside(annotation, ANNOTATION_FIELDS)
  return isJsonObject(cited) ? { ...clean, url_citation: withoutPrivate(cited) } : clean
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
        return false
      default:
        if (sent[name] === null || staysInside(name, sent[name])) return false
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
  // Cloudflare gives what a schema asks for as the object itself.
  if (isJsonObject(content)) return writeJson(content)
  if (!Array.isArray(content)) throw invalidAnswer('content is not text')
  let text = ''
  for (const part of content) {
    if (typeof part === 'string') text += part
    else if (isJsonObject(part) && typeof part.text === 'string') text += part.text
  }
  return text
}

/** A piece of reasoning without what it does not say yet: OpenRouter's begins with a signature of no text. */
function withoutStandIns(detail: JsonObject): JsonObject {
  const { signature, ...rest } = withoutNulls(withoutPrivate(detail))
  return signature === undefined || signature === '' ? rest : { ...rest, signature }
}

function textOrUndefined(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
