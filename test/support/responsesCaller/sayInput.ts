import type { Json, JsonObject } from '../../../src/core/json.ts'
import { CannotSay, onlyThese } from '../callers/cannotSay.ts'
import { compact } from '../callers/compact.ts'
import { sayThoughts } from './sayThoughts.ts'

/** A conversation of chat completions as items: thoughts, messages and calls each by themselves. Throws `CannotSay`. */
export function sayInput(messages: readonly JsonObject[]): JsonObject[] {
  const custom = new Set<Json | undefined>()
  let last: Json | undefined
  return messages.flatMap((message): readonly JsonObject[] => {
    const { role } = message
    if (role === 'assistant' && last === 'assistant') throw new CannotSay('two answers in a row')
    last = role
    switch (role) {
      case 'system':
      case 'developer':
      case 'user':
        return [sayMessage(message)]
      case 'assistant':
        return sayAnswer(message, custom)
      case 'tool':
        return [sayResult(message, custom)]
      default:
        throw new CannotSay(`the role ${JSON.stringify(role)}`)
    }
  })
}

function sayMessage(message: JsonObject): JsonObject {
  onlyThese(message, ['role', 'content'], 'of a message the field')
  return compact({ role: message['role'], content: sayContent(message['content']) })
}

function sayContent(content: Json | undefined): Json {
  return Array.isArray(content) ? (content as readonly JsonObject[]).map(sayPart) : (content ?? '')
}

function sayPart({ type, ...part }: JsonObject): JsonObject {
  switch (type) {
    case 'text':
      onlyThese(part, ['text'], 'of a text the field')
      return compact({ type: 'input_text', text: part['text'] })
    case 'image_url': {
      onlyThese(part, ['image_url'], 'of an image the field')
      const image = part['image_url'] as JsonObject
      onlyThese(image, ['url', 'detail'], 'of an image the field')
      return compact({ type: 'input_image', image_url: image['url'], detail: image['detail'] })
    }
    case 'file': {
      onlyThese(part, ['file'], 'of a file the field')
      const file = part['file'] as JsonObject
      onlyThese(file, ['file_data', 'filename'], 'of a file the field')
      return compact({ type: 'input_file', ...file })
    }
    default:
      throw new CannotSay(`a part of type ${JSON.stringify(type)}`)
  }
}

/** @param custom the ids of calls of custom tools so far */
function sayAnswer(message: JsonObject, custom: Set<Json | undefined>): JsonObject[] {
  onlyThese(
    message,
    ['role', 'content', 'refusal', 'tool_calls', 'reasoning_content', 'reasoning_details'],
    'of an answer the field',
  )
  const { tool_calls: calls, reasoning_content: thought, reasoning_details: details } = message
  const called = ((calls ?? []) as readonly JsonObject[]).map((call) => sayCall(call, custom))
  const thoughts = sayThoughts((details ?? []) as readonly JsonObject[], thought)
  const isSilent = called.length > 0 || thoughts.length > 0
  return [...thoughts, ...sayWords(message, isSilent), ...called]
}

/** @param maySayNothing something else is beside the words */
function sayWords({ content, refusal }: JsonObject, maySayNothing: boolean): JsonObject[] {
  const said = sayTexts(content)
  const refused = typeof refusal === 'string' ? [{ type: 'refusal', refusal }] : []
  if (said.length === 0 && refused.length === 0 && maySayNothing) return []
  // What was answered comes back as the item that it came in.
  return [{ type: 'message', role: 'assistant', status: 'completed', content: [...said, ...refused] }]
}

function sayTexts(content: Json | undefined): JsonObject[] {
  if (typeof content === 'string')
    return content === '' ? [] : [{ type: 'output_text', text: content, annotations: [] }]
  return ((content ?? []) as readonly JsonObject[]).map(({ type, ...part }) => {
    if (type !== 'text' && type !== 'refusal')
      throw new CannotSay(`an answer of type ${JSON.stringify(type)}`)
    onlyThese(part, ['text', 'refusal'], 'of an answer the field')
    return type === 'text' ? { type: 'output_text', ...part, annotations: [] } : { type, ...part }
  })
}

function sayCall({ id, type, ...call }: JsonObject, custom: Set<Json | undefined>): JsonObject {
  if (type === 'custom') {
    custom.add(id)
    return { type: 'custom_tool_call', call_id: id ?? null, ...(call['custom'] as JsonObject) }
  }
  if (type !== 'function') throw new CannotSay(`a call of type ${JSON.stringify(type)}`)
  onlyThese(call, ['function'], 'of a call the field')
  return { type: 'function_call', call_id: id ?? null, ...(call['function'] as JsonObject) }
}

function sayResult(message: JsonObject, custom: ReadonlySet<Json | undefined>): JsonObject {
  onlyThese(message, ['role', 'content', 'tool_call_id'], 'of a result the field')
  const { tool_call_id: id, content } = message
  const type = custom.has(id) ? 'custom_tool_call_output' : 'function_call_output'
  return compact({ type, call_id: id, output: sayContent(content) })
}
