import type { Json, JsonObject } from '../../../src/core/json.ts'
import { sayInput } from './sayInput.ts'
import { instructionsOf } from './sayRequest.ts'

/** Fields that are called otherwise in Responses. */
const FIELDS: Readonly<Record<string, string>> = {
  max_tokens: 'max_output_tokens',
  max_completion_tokens: 'max_output_tokens',
  reasoning_effort: 'reasoning.effort',
  verbosity: 'text.verbosity',
  logprobs: 'include[0]',
  response_format: 'text.format',
  messages: 'input',
  'messages.content.image_url.detail': 'input.content.detail',
  'messages.content.file.filename': 'input.content.filename',
  'messages.reasoning_content': 'input[reasoning]',
  'messages.reasoning_details': 'input[reasoning]',
  'tools.function.strict': 'tools.strict',
}

/**
 * How a caller of Responses calls a field of a chat completion.
 *
 * @param request the chat completion
 */
export function wordsOf(field: string, request: JsonObject): string {
  const known = FIELDS[field]
  if (known !== undefined) return known
  const [, place, within = ''] = /^messages\[(\d+)\](.*)$/.exec(field) ?? []
  if (place !== undefined) return placeOf(Number(place), within, request)
  return field
    .replace(/^response_format\.json_schema/, 'text.format')
    .replace(/^(tools\[\d+\]|tool_choice)\.(?:function|custom)\b/, '$1')
}

/** @param index of the message */
function placeOf(index: number, within: string, request: JsonObject): string {
  const messages = request['messages'] as readonly JsonObject[]
  const top = instructionsOf(request)
  if (index < top) return 'instructions'
  const item = `input[${sayInput(messages.slice(top, index)).length}]`
  const { role, content } = messages[index] ?? {}
  const exact = within === '.content' ? within + otherThanText(content) : within
  const field = role === 'tool' ? exact.replace(/^\.content/, '.output') : exact
  return item + field.replace(/\.image_url\.url$/, '.image_url').replace(/\.file\.(\w+)$/, '.$1')
}

/** The place of what is not text in a content: of its message, chat completions name the content alone. */
function otherThanText(content: Json | undefined): string {
  const at = Array.isArray(content)
    ? (content as readonly JsonObject[]).findIndex(({ type }) => type !== 'text')
    : -1
  return at < 0 ? '' : `[${at}]`
}
