import type { Message } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { saidIn } from '../messageParts.ts'
import { readNumber, readObject, readObjects, readText } from '../read.ts'
import { functionCallsOf, parseArguments } from '../toolCalls.ts'
import { UnsupportedField } from '../wire.ts'
import { DUMMY_SIGNATURE, imageId, signaturesOf } from './toolCalls.ts'
import { encodeContent, encodeMedia, encodeTextContent } from './parts.ts'

/** A conversation in this format: instructions apart, roles in turn. */
export interface EncodedConversation {
  readonly systemInstruction: JsonObject | undefined
  readonly contents: readonly JsonObject[]
}

interface Turn {
  readonly role: 'user' | 'model'
  readonly parts: JsonObject[]
}

/**
 * Instructions go to the top, wherever they stood; neighbours of one role become one turn.
 * @param signed the model wants its calls back with their signatures
 */
export function encodeMessages(messages: readonly Message[], signed: boolean): EncodedConversation {
  const system: JsonObject[] = []
  const turns: Turn[] = []
  /** The function that each call so far was made to: a result must name it. */
  const functions = new Map<string, string>()
  for (const [i, message] of messages.entries()) {
    const param = `messages[${i}]`
    switch (message.role) {
      case 'system':
      case 'developer':
        system.push(...apart(encodeTextContent(message.content ?? '', `${param}.content`), system))
        break
      case 'user':
        addTurn(turns, 'user', encodeContent(message.content ?? '', `${param}.content`))
        break
      case 'assistant':
        for (const call of message.tool_calls ?? []) functions.set(call.id, call.function?.name ?? '')
        addTurn(turns, 'model', encodeAssistant(message, param, signed))
        break
      case 'tool':
      case 'function':
        addTurn(turns, 'user', [encodeToolResult(message, functions, param)])
        break
    }
  }
  return {
    systemInstruction: system.length === 0 ? undefined : { parts: system },
    contents: turns.map(({ role, parts }) => ({ role, parts })),
  }
}

/** One instruction after another, with a blank line between them: parts are read as one text. */
function apart(parts: readonly JsonObject[], before: readonly JsonObject[]): readonly JsonObject[] {
  const [first, ...rest] = parts
  if (first === undefined || before.length === 0) return parts
  return [{ text: `\n\n${readText(first.text) ?? ''}` }, ...rest]
}

function addTurn(turns: Turn[], role: Turn['role'], parts: JsonObject[]): void {
  if (parts.length === 0) return
  const last = turns.at(-1)
  if (last?.role === role) last.parts.push(...parts)
  else turns.push({ role, parts })
}

function encodeAssistant(message: Message, param: string, signed: boolean): JsonObject[] {
  const said = encodeContent(saidIn(message), `${param}.content`)
  const signatures = signaturesOf(message)
  // Of parallel calls only the first is signed.
  const isSigned = message.tool_calls?.some(({ id }) => signatures.has(id)) ?? false
  const dummy = signed && !isSigned ? DUMMY_SIGNATURE : undefined
  const calls = functionCallsOf(message, param).map((call, i) => {
    const args = parseArguments(call, `${param}.tool_calls[${i}]`)
    const functionCall = { id: call.id, name: call.function.name, args }
    const thoughtSignature = signatures.get(call.id) ?? (i === 0 ? dummy : undefined)
    return thoughtSignature === undefined ? { functionCall } : { functionCall, thoughtSignature }
  })
  return [...said, ...encodeOwnImages(message, signatures, param), ...calls]
}

/** The images that the model made in an earlier turn, with the signatures that it put beside them. */
function encodeOwnImages(
  { images }: Message,
  signatures: ReadonlyMap<string, string>,
  param: string,
): JsonObject[] {
  return readObjects(images).map((image, i) => {
    const url = readText(readObject(image.image_url)?.url)
    const part = encodeMedia(url, `${param}.images[${i}].image_url.url`)
    const thoughtSignature = signatures.get(imageId(readNumber(image.index) ?? i))
    return thoughtSignature === undefined ? part : { ...part, thoughtSignature }
  })
}

function encodeToolResult(
  message: Message,
  functions: ReadonlyMap<string, string>,
  param: string,
): JsonObject {
  const id = message.tool_call_id ?? ''
  const name = functions.get(id) ?? message.name
  if (name === undefined)
    throw new UnsupportedField(`${param}.tool_call_id`, 'No earlier message calls a tool with this id.')
  const parts = encodeTextContent(message.content ?? '', `${param}.content`)
  const text = parts.map((part) => readText(part.text) ?? '').join('')
  const response = message.is_error === true ? { error: text } : { output: text }
  return { functionResponse: { id, name, response } }
}
