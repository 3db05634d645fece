import type { ContentPart, Message, ToolCall } from '../../../../src/core/chat/request.ts'
import type { Json, JsonObject } from '../../../../src/core/json.ts'
import { assistantMessage } from '../../../../src/wire/assistantMessage.ts'
import { readObject, writeJson } from '../../../../src/wire/read.ts'
import {
  invalid,
  optionalList,
  optionalString,
  requireObject,
  requireString,
} from '../../../../src/wire/requestReader.ts'
import { readContent } from '../../../../src/wire/cohere-chat/content.ts'
import { decodeContent } from '../chunkedContent.ts'

export function decodeMessage(value: Json, path: string): Message {
  const message = requireObject(value, path)
  const at = `${path}.content`
  switch (message['role']) {
    case 'system':
      return { role: 'system', content: decodeContent(message['content'], at, decodePart) }
    case 'user':
      return { role: 'user', content: decodeContent(message['content'], at, decodePart) }
    case 'assistant':
      return decodeAssistant(message, path)
    case 'tool':
      return {
        role: 'tool',
        tool_call_id: requireString(message['tool_call_id'], `${path}.tool_call_id`),
        content: decodeContent(message['content'], at, decodePart),
      }
    default:
      return invalid(`${path}.role`, 'must be system, user, assistant or tool')
  }
}

/** A document of a tool's output is its text. */
function decodePart(part: JsonObject, path: string): ContentPart | undefined {
  const document = readObject(part['document'])
  if (document === undefined) return undefined
  const text = writeJson(document['data'] ?? {}) ?? invalid(`${path}.document`, 'is nested too deep')
  return { type: 'text', text }
}

function decodeAssistant(message: JsonObject, path: string): Message {
  const { text, reasoning } = readContent(message['content'])
  const plan = optionalString(message['tool_plan'], `${path}.tool_plan`) ?? ''
  const toolCalls = (optionalList(message['tool_calls'], `${path}.tool_calls`) ?? []).map((call, index) =>
    decodeToolCall(call, `${path}.tool_calls[${index}]`),
  )
  return assistantMessage({ text: plan + text, reasoning, toolCalls })
}

function decodeToolCall(value: Json, path: string): ToolCall {
  const call = requireObject(value, path)
  const called = requireObject(call['function'], `${path}.function`)
  return {
    id: requireString(call['id'], `${path}.id`),
    type: 'function',
    function: {
      name: requireString(called['name'], `${path}.function.name`),
      arguments: optionalString(called['arguments'], `${path}.function.arguments`) ?? '{}',
    },
  }
}
