import type { ContentPart, Message, ToolCall } from '../../../../src/core/chat/request.ts'
import type { Json, JsonObject } from '../../../../src/core/json.ts'
import { assistantMessage } from '../../../../src/wire/assistantMessage.ts'
import {
  invalid,
  optionalList,
  optionalString,
  present,
  requireObject,
  requireString,
} from '../../../../src/wire/requestReader.ts'
import { readContent } from '../../../../src/wire/mistral-chat/content.ts'
import { readFunction } from '../../../../src/wire/mistral-chat/toolCalls.ts'
import { decodeContent } from '../chunkedContent.ts'

export function decodeMessage(value: Json, path: string): Message {
  const message = requireObject(value, path)
  const { content } = message
  switch (message['role']) {
    case 'system':
      return { role: 'system', content: decodeContent(content, `${path}.content`, decodePart) }
    case 'user':
      return { role: 'user', content: decodeContent(content, `${path}.content`, decodePart) }
    case 'assistant':
      return decodeAssistant(message, path)
    case 'tool':
      return {
        role: 'tool',
        content: decodeContent(content, `${path}.content`, decodePart),
        ...present({
          tool_call_id: optionalString(message['tool_call_id'], `${path}.tool_call_id`),
          name: optionalString(message['name'], `${path}.name`),
        }),
      }
    default:
      return invalid(`${path}.role`, 'must be system, user, assistant or tool')
  }
}

/** An image may be its bare address. */
function decodePart({ type, image_url: image }: JsonObject): ContentPart | undefined {
  return type === 'image_url' && typeof image === 'string' ? { type, image_url: { url: image } } : undefined
}

function decodeAssistant(message: JsonObject, path: string): Message {
  const { content } = message
  if (content !== undefined && content !== null && typeof content !== 'string')
    optionalList(content, `${path}.content`)
  const { text, reasoning, details } = readContent(content)
  const toolCalls = (optionalList(message['tool_calls'], `${path}.tool_calls`) ?? []).map((call, index) =>
    decodeToolCall(call, `${path}.tool_calls[${index}]`),
  )
  return assistantMessage({ text, reasoning, details, toolCalls })
}

function decodeToolCall(value: Json, path: string): ToolCall {
  const call = requireObject(value, path)
  const { name, text } = readFunction(call)
  if (name === '') invalid(`${path}.function.name`, 'is required')
  return {
    id: requireString(call['id'], `${path}.id`),
    type: 'function',
    function: { name, arguments: text },
  }
}
