import { parseExactly } from '../../../src/core/exactNumber.ts'
import { type Json, type JsonObject, isJsonObject } from '../../../src/core/json.ts'
import { CannotSay, onlyThese } from '../callers/cannotSay.ts'
import { compact, textOf } from '../callers/compact.ts'

const DATA_URL = /^data:([^;,]*)(?:;[^;,]+)*;base64,(.*)$/is

/** A conversation of chat completions in turns of Messages: instructions at the top, results of tools in turns of the user. */
export function sayMessages(messages: readonly JsonObject[]): JsonObject {
  const first = messages.findIndex((message) => !isInstruction(message))
  const top = messages.slice(0, first === -1 ? messages.length : first)
  const turns: { role: string; content: Json }[] = []
  let results: Json[] | undefined
  for (const message of messages.slice(top.length)) {
    const { role, content } = message
    switch (role) {
      case 'system':
      case 'developer':
        onlyThese(message, ['role', 'content'], 'of an instruction the field')
        turns.push({ role: 'system', content: sayContent(content) })
        break
      case 'user':
        onlyThese(message, ['role', 'content'], 'of a message the field')
        if (results) results.push(...sayParts(content))
        else turns.push({ role: 'user', content: sayContent(content) })
        break
      case 'assistant':
        turns.push({ role: 'assistant', content: sayAnswer(message) })
        break
      case 'tool':
        if (!results) turns.push({ role: 'user', content: (results = []) })
        results.push(sayResult(message))
        continue
      default:
        throw new CannotSay(`the role ${JSON.stringify(role)}`)
    }
    results = undefined
  }
  if (turns.length === 0) throw new CannotSay('instructions alone')
  return compact({ system: sayTop(top), messages: turns })
}

function isInstruction({ role }: JsonObject): boolean {
  return role === 'system' || role === 'developer'
}

function sayTop(instructions: readonly JsonObject[]): Json | undefined {
  for (const each of instructions) onlyThese(each, ['role', 'content'], 'of an instruction the field')
  const [first, ...others] = instructions
  if (first === undefined) return undefined
  if (others.length === 0) return sayContent(first['content'])
  const texts = instructions.map(({ content }) => {
    const parts = sayParts(content)
    if (parts.some(({ type, cache_control: cache }) => type !== 'text' || cache !== undefined))
      throw new CannotSay('several instructions of other things than text')
    return parts.map(({ text }) => textOf(text)).join('')
  })
  return texts.join('\n\n')
}

function sayContent(content: Json | undefined): Json {
  return typeof content === 'string' ? content : sayParts(content)
}

function sayParts(content: Json | undefined): JsonObject[] {
  if (content === undefined || content === null || content === '') return []
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  return (content as readonly JsonObject[]).map(sayPart)
}

function sayPart({ type, cache_control: cache, ...part }: JsonObject): JsonObject {
  switch (type) {
    case 'text':
      onlyThese(part, ['text'], 'of a text the field')
      return compact({ type, text: part['text'], cache_control: cache })
    case 'image_url': {
      onlyThese(part, ['image_url'], 'of an image the field')
      const image = part['image_url'] as JsonObject
      onlyThese(image, ['url'], 'of an image the field')
      return compact({ type: 'image', source: sourceOf(image['url']), cache_control: cache })
    }
    case 'file': {
      const file = part['file'] as JsonObject
      onlyThese(file, ['file_data', 'filename'], 'of a file the field')
      const source = sourceOf(file['file_data'])
      return compact({ type: 'document', source, title: file['filename'], cache_control: cache })
    }
    default:
      throw new CannotSay(`a part of type ${JSON.stringify(type)}`)
  }
}

function sourceOf(url: Json | undefined): JsonObject {
  if (typeof url !== 'string') throw new CannotSay('a source without data')
  const [, mediaType, data] = DATA_URL.exec(url) ?? []
  if (mediaType === undefined || data === undefined) return { type: 'url', url }
  return { type: 'base64', media_type: mediaType, data }
}

function sayAnswer(message: JsonObject): Json {
  onlyThese(
    message,
    ['role', 'content', 'tool_calls', 'reasoning_content', 'reasoning_details'],
    'of an answer the field',
  )
  const { content, tool_calls: calls, reasoning_content: thought, reasoning_details: details } = message
  const thinking = sayThoughts((details ?? []) as readonly JsonObject[], thought)
  const uses = ((calls ?? []) as readonly JsonObject[]).map(sayCall)
  if (thinking.length === 0 && uses.length === 0) return sayContent(content)
  return [...thinking, ...sayParts(content), ...uses]
}

function sayThoughts(details: readonly JsonObject[], thought: Json | undefined): JsonObject[] {
  const blocks = details.map(({ type, text, signature, data, id, format }): JsonObject => {
    if (id !== undefined) throw new CannotSay('the signature of a call')
    if (format !== undefined) throw new CannotSay('whose signature it is')
    if (type === 'reasoning.encrypted') return { type: 'redacted_thinking', data: data ?? '' }
    if (type !== 'reasoning.text' || signature === undefined)
      throw new CannotSay('a thought without a signature')
    return { type: 'thinking', thinking: text ?? '', signature }
  })
  // The gateway writes thoughts without a signature so, and callers send back what they got.
  if (blocks.length === 0 && typeof thought === 'string')
    return [{ type: 'thinking', thinking: thought, signature: '' }]
  return blocks
}

function sayCall({ id, type, function: called }: JsonObject): JsonObject {
  if (type !== 'function') throw new CannotSay(`a call of type ${JSON.stringify(type)}`)
  const { name, arguments: text } = called as JsonObject
  const input = inputOf(textOf(text))
  return compact({ type: 'tool_use', id, name, input })
}

function inputOf(text: string): JsonObject {
  if (text === '') return {}
  let input: unknown
  try {
    input = parseExactly(text)
  } catch (cause) {
    throw new CannotSay('arguments that are not JSON', { cause })
  }
  if (!isJsonObject(input)) throw new CannotSay('arguments that are not an object')
  return input
}

function sayResult(message: JsonObject): JsonObject {
  onlyThese(message, ['role', 'content', 'tool_call_id', 'is_error'], 'of a result the field')
  const { tool_call_id: id, content, is_error: isError } = message
  return compact({ type: 'tool_result', tool_use_id: id, content: sayContent(content), is_error: isError })
}
