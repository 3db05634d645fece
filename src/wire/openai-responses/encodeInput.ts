import { unreachable } from '../../core/assert.ts'
import type { Message, ToolCall } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { partsOf, isTextPart, textOnly } from '../messageParts.ts'
import { compact, readNumber, readObject, readObjects, readText } from '../read.ts'
import type { RequestFields } from '../requestFields.ts'
import { UnsupportedField } from '../wire.ts'
import { inTheirPlaces, reasoningItems } from './encodeReasoning.ts'
import { encodeContent } from './parts.ts'

/**
 * A conversation as items: one for each message, call, result and thought, in their order. Throws `UnsupportedField`.
 *
 * @param reasons the model takes its encrypted reasoning back
 */
export function encodeInput(
  messages: readonly Message[],
  fields: RequestFields,
  reasons: boolean,
): JsonObject[] {
  const customIds = customCallIds(messages)
  return messages.flatMap((message, i): readonly JsonObject[] => {
    const { role } = message
    const param = `messages[${i}]`
    switch (role) {
      case 'system':
      case 'developer':
      case 'user':
        return [{ role, content: encodeContent(message, param, fields) }]
      case 'assistant':
        return inTheirPlaces(reasoningItems(message, reasons), encodeAssistant(message, param))
      case 'tool':
      case 'function': {
        const { tool_call_id: id = '' } = message
        const type = customIds.has(id) ? 'custom_tool_call_output' : 'function_call_output'
        return [{ type, call_id: id, output: encodeContent(message, param, fields) }]
      }
      default:
        return unreachable(role)
    }
  })
}

/** A result may come before its call, so that all of them are looked at first. */
function customCallIds(messages: readonly Message[]): ReadonlySet<string> {
  const calls = messages.flatMap((message) => message.tool_calls ?? [])
  return new Set(calls.filter(({ type }) => isCustom(type)).map(({ id }) => id))
}

function isCustom(type: string): boolean {
  return type === 'custom'
}

/** What the model said, then its calls; nothing for a message that says nothing. */
function encodeAssistant(message: Message, param: string): JsonObject[] {
  const content = [...encodeSaid(message, param), ...encodeRefusals(message)]
  const said = content.length > 0 ? [{ type: 'message', role: 'assistant', content }] : []
  const calls = (message.tool_calls ?? []).map((call, i) => encodeCall(call, `${param}.tool_calls[${i}]`))
  return [...said, ...calls]
}

/** One text: annotations count their places in all of it. */
function encodeSaid(message: Message, param: string): JsonObject[] {
  const parts = partsOf(message).filter((part) => part.type !== 'refusal')
  if (!parts.every(isTextPart)) throw textOnly(message.content ?? '', `${param}.content`)
  const text = parts.map((part) => part.text).join('')
  return text === '' ? [] : [{ type: 'output_text', text, annotations: encodeAnnotations(message, text) }]
}

function encodeRefusals(message: Message): JsonObject[] {
  const parts = partsOf(message).map((part) => (part.type === 'refusal' ? part.refusal : undefined))
  const said = new Set([...parts, message.refusal].map(readText))
  return [...said].flatMap((refusal) => (refusal === undefined ? [] : [{ type: 'refusal', refusal }]))
}

/** Citations that name an address and a place in the text: here each has both. */
function encodeAnnotations({ annotations }: Message, text: string): JsonObject[] {
  return readObjects(annotations).flatMap((annotation): JsonObject[] => {
    const cited = readObject(annotation.url_citation)
    const url = readText(cited?.url)
    const start = readNumber(cited?.start_index) ?? -1
    const end = readNumber(cited?.end_index) ?? -1
    if (url === undefined || start < 0 || end < start || end > text.length) return []
    const title = readText(cited?.title) ?? ''
    return [{ type: 'url_citation', start_index: start, end_index: end, url, title }]
  })
}

function encodeCall(call: ToolCall, param: string): JsonObject {
  const type: string = call.type
  if (type === 'function') {
    const { name, arguments: text } = call.function
    return { type: 'function_call', call_id: call.id, name, arguments: text }
  }
  if (!isCustom(type)) {
    throw new UnsupportedField(
      `${param}.type`,
      'This model takes tool calls of the types `function` and `custom` only.',
    )
  }
  const custom = readObject(call.custom)
  const name = readText(custom?.name) ?? ''
  return compact({ type: 'custom_tool_call', call_id: call.id, name, input: readText(custom?.input) ?? '' })
}
