import { plainDataUrl } from '../../core/dataUrl.ts'
import { type Json, isJsonObject } from '../../core/json.ts'
import type { Message } from '../../core/chat/request.ts'
import { InvalidField, checkList, checkDepth, checkName, checkObject, checkString } from '../check.ts'
import { isAbsent, requireTurns } from '../requestReader.ts'

/** Optional message fields for which clients write `null`, or an empty list, when they mean nothing. */
const NULL_MEANS_ABSENT = [
  'name',
  'tool_calls',
  'tool_call_id',
  'reasoning_content',
  'reasoning_details',
  'images',
] as const

/**
 * Checks the fields of messages that the canonical language has (`core/chat`). The messages are passed on as they
 * came, so that unknown nested fields survive.
 */
export function decodeMessages(value: Json | undefined): readonly Message[] {
  const messages = requireTurns(value, 'messages')
  let copy: Message[] | undefined
  for (let i = 0; i < messages.length; i++) {
    const given = messages[i]
    const message = readMessage(given, i)
    if (message === given) continue
    copy ??= [...(messages as readonly Message[])]
    copy[i] = message
  }
  return copy ?? (messages as readonly Message[])
}

function readMessage(value: unknown, i: number): Message {
  if (!isJsonObject(value)) throw new InvalidField(`messages[${i}]`, 'must be an object')
  const message = value as Record<string, unknown>
  checkRole(message.role, i)
  checkContent(message, i)
  let nothings = false
  let nested = false
  for (const name in message) {
    const field = message[name]
    if (field === null) nothings = true
    else if (typeof field === 'object') {
      nested = true
      if (Array.isArray(field) && field.length === 0) nothings = true
    }
    if (name !== 'role' && name !== 'content' && field !== null) checkField(name, field, i)
  }
  if (message.role === 'tool' && typeof message.tool_call_id !== 'string') {
    throw new InvalidField(`messages[${i}].tool_call_id`, 'is required and must be a string')
  }
  if (nested) checkDepth(message, `messages[${i}]`)
  return withPlainMedia(nothings ? withoutNothings(message) : message) as Message
}

function checkRole(role: unknown, i: number): void {
  switch (role) {
    case 'user':
    case 'assistant':
    case 'system':
    case 'developer':
    case 'tool':
    case 'function':
      return
    case undefined:
    case null:
      throw new InvalidField(`messages[${i}].role`, 'is required')
    default:
      throw new InvalidField(
        `messages[${i}].role`,
        'must be one of `system`, `user`, `assistant`, `developer`, `tool`, `function`',
      )
  }
}

function checkContent(message: Record<string, unknown>, i: number): void {
  const { content } = message
  if (typeof content === 'string') return
  if (isAbsent(content)) {
    if (message.role === 'assistant' && saysWithoutContent(message)) return
    throw new InvalidField(`messages[${i}].content`, 'is required')
  }
  if (!Array.isArray(content)) {
    throw new InvalidField(`messages[${i}].content`, 'must be a string or an array of content parts')
  }
  if (content.length === 0) throw new InvalidField(`messages[${i}].content`, 'must not be empty')
  for (let j = 0; j < content.length; j++) {
    const part: unknown = content[j]
    if (!isText(part)) checkPart(part, `messages[${i}].content[${j}]`)
  }
}

/** A part that needs no check: most of a prompt with many thousands of parts. */
function isText(part: unknown): boolean {
  return isJsonObject(part) && part.type === 'text' && typeof part.text === 'string'
}

/** An assistant message may lack content when it says something in another way. */
function saysWithoutContent(message: Record<string, unknown>): boolean {
  return (
    (Array.isArray(message.tool_calls) && message.tool_calls.length > 0) ||
    isJsonObject(message.function_call) ||
    isJsonObject(message.audio) ||
    typeof message.refusal === 'string'
  )
}

function checkPart(part: unknown, path: string): void {
  const { type, text, image_url: image } = checkObject(part, path)
  if (typeof type !== 'string') throw new InvalidField(`${path}.type`, 'is required and must be a string')
  if (type === 'text') checkString(text, `${path}.text`)
  else if (type === 'image_url' && typeof image !== 'string') {
    const { url } = checkObject(image, `${path}.image_url`)
    checkString(url, `${path}.image_url.url`)
  }
}

/** Brings images and files of a message to the one form that all formats read. The same message where they have it. */
function withPlainMedia(message: Record<string, unknown>): Record<string, unknown> {
  let read = message
  for (const name of ['content', 'images']) {
    const parts: unknown = message[name]
    if (!Array.isArray(parts) || !parts.some(isMedia)) continue
    const plain = parts.map(plainMedia)
    if (plain.some((part, i) => part !== parts[i])) read = { ...read, [name]: plain }
  }
  return read
}

function isMedia(part: unknown): boolean {
  return isJsonObject(part) && (part.type === 'image_url' || part.type === 'file')
}

function plainMedia(part: unknown): unknown {
  if (!isJsonObject(part)) return part
  const { type, image_url: image, file } = part
  if (type === 'image_url') {
    // Some clients write an image's address where OpenAI has an object with it.
    const given = isJsonObject(image) ? image.url : image
    const url = typeof given === 'string' ? plainDataUrl(given) : given
    if (!isJsonObject(image)) return { ...part, image_url: { url } }
    return url === given ? part : { ...part, image_url: { ...image, url } }
  }
  if (type !== 'file' || !isJsonObject(file) || typeof file.file_data !== 'string') return part
  const data = plainDataUrl(file.file_data)
  return data === file.file_data ? part : { ...part, file: { ...file, file_data: data } }
}

function checkField(name: string, field: unknown, i: number): void {
  switch (name) {
    case 'name':
    case 'tool_call_id':
    case 'refusal':
    case 'reasoning_content':
      checkString(field, `messages[${i}].${name}`)
      return
    case 'tool_calls':
      checkToolCalls(field, `messages[${i}].tool_calls`)
      return
    case 'reasoning_details':
      for (const [j, detail] of checkList(field, `messages[${i}].reasoning_details`).entries()) {
        const { type } = checkObject(detail, `messages[${i}].reasoning_details[${j}]`)
        checkString(type, `messages[${i}].reasoning_details[${j}].type`)
      }
      return
    default:
  }
}

function checkToolCalls(value: unknown, path: string): void {
  const calls = checkList(value, path)
  for (let j = 0; j < calls.length; j++) checkToolCall(calls[j], `${path}[${j}]`)
}

function checkToolCall(entry: unknown, path: string): void {
  const call = checkObject(entry, path)
  checkName(call.id, `${path}.id`)
  if (checkName(call.type, `${path}.type`) !== 'function') return
  const { name, arguments: text } = checkObject(call.function, `${path}.function`)
  checkName(name, `${path}.function.name`)
  checkString(text, `${path}.function.arguments`)
}

function withoutNothings(message: Record<string, unknown>): Record<string, unknown> {
  let copy: Record<string, unknown> | undefined
  for (const name of NULL_MEANS_ABSENT) {
    const value = message[name]
    if (value !== null && !(Array.isArray(value) && value.length === 0)) continue
    copy ??= { ...message }
    delete copy[name]
  }
  return copy ?? message
}
