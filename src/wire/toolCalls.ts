import type { Message, ToolCall } from '../core/chat/request.ts'
import { isJsonObject, type Json, type JsonObject, parseJson } from '../core/json.ts'
import { CALLER_JSON, scanJsonText } from '../core/jsonScan.ts'
import { writeJson } from './read.ts'
import { UnsupportedField } from './wire.ts'

/** The calls of an earlier answer, for providers that know functions alone. Throws `UnsupportedField`. */
export function functionCallsOf(message: Message, param: string): readonly ToolCall[] {
  const calls = message.tool_calls ?? []
  const other = calls.findIndex(({ type }) => type !== 'function')
  if (other === -1) return calls
  throw new UnsupportedField(
    `${param}.tool_calls[${other}].type`,
    'This model takes tool calls of type `function` only.',
  )
}

/** The arguments of an earlier call, for providers that want them parsed. Throws `UnsupportedField`. */
export function parseArguments({ function: { arguments: text } }: ToolCall, param: string): JsonObject {
  if (scanJsonText(text, CALLER_JSON)) {
    throw new UnsupportedField(
      `${param}.function.arguments`,
      'Arguments hold too many or too deeply nested values.',
    )
  }
  const given = text.trim() === '' ? {} : parseJson(text)
  if (isJsonObject(given)) return given
  throw new UnsupportedField(`${param}.function.arguments`, 'Arguments must be a JSON object.')
}

/** What an answer calls a tool with, as text: some servers give an object. */
export function argumentsText(value: unknown): string {
  if (typeof value === 'string') return value
  return value === undefined || value === null ? '' : (writeJson(value as Json) ?? '')
}

/**
 * The arguments of an answer's call. What a model writes that is not a JSON object is not lost: as Anthropic's documents advise,
 * it is wrapped (https://platform.claude.com/docs/en/agents-and-tools/tool-use/fine-grained-tool-streaming).
 */
export function readableArguments({ function: { arguments: text } }: ToolCall): JsonObject {
  if (text.trim() === '') return {}
  const given = parseJson(text)
  return isJsonObject(given) ? given : { INVALID_JSON: text }
}

/** A call in OpenAI's shape, without what else its provider wrote in it. */
export function plainToolCall({ id, function: { name, arguments: text } }: ToolCall): JsonObject {
  return { id, type: 'function', function: { name, arguments: text } }
}
