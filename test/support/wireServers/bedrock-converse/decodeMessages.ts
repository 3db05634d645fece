import type { ContentPart, Message, ReasoningDetail, ToolCall } from '../../../../src/core/chat/request.ts'
import type { Json, JsonObject } from '../../../../src/core/json.ts'
import { assistantMessage } from '../../../../src/wire/assistantMessage.ts'
import { soleText } from '../../../../src/wire/messageParts.ts'
import { readObject, writeJson } from '../../../../src/wire/read.ts'
import {
  invalid,
  optionalList,
  requireObject,
  requireObjects,
  requireString,
} from '../../../../src/wire/requestReader.ts'
import { reasoningDetails, reasoningText } from '../../../../src/wire/bedrock-converse/reasoning.ts'
import { decodePart } from './parts.ts'

export function decodeSystem(value: Json, index: number): Message {
  const block = requireObject(value, `system[${index}]`)
  return { role: 'system', content: requireString(block['text'], `system[${index}].text`) }
}

/** A user's turn may hold tool results besides its own words: each becomes a message, results first. */
export function decodeMessage(value: Json, path: string): Message[] {
  const message = requireObject(value, path)
  const blocks = requireObjects(message['content'], `${path}.content`)
  switch (message['role']) {
    case 'user':
      return decodeUser(blocks, path)
    case 'assistant':
      return [decodeAssistant(blocks, path)]
    default:
      return invalid(`${path}.role`, 'must be user or assistant')
  }
}

function decodeUser(blocks: readonly JsonObject[], path: string): Message[] {
  const results: Message[] = []
  const parts: ContentPart[] = []
  for (const [index, block] of blocks.entries()) {
    const result = readObject(block['toolResult'])
    if (result === undefined) parts.push(decodePart(block, `${path}.content[${index}]`))
    else results.push(decodeToolResult(result, `${path}.content[${index}].toolResult`))
  }
  return parts.length === 0 ? results : [...results, { role: 'user', content: soleText(parts) ?? parts }]
}

function decodeToolResult(result: JsonObject, path: string): Message {
  const parts = (optionalList(result['content'], `${path}.content`) ?? []).map((value, index) => {
    const block = requireObject(value, `${path}.content[${index}]`)
    return block['json'] === undefined
      ? decodePart(block, `${path}.content[${index}]`)
      : { type: 'text' as const, text: textOfJson(block['json'], `${path}.content[${index}].json`) }
  })
  return {
    role: 'tool',
    tool_call_id: requireString(result['toolUseId'], `${path}.toolUseId`),
    content: parts.length === 0 ? '' : (soleText(parts) ?? parts),
    ...(result['status'] === 'error' && { is_error: true }),
  }
}

function decodeAssistant(blocks: readonly JsonObject[], path: string): Message {
  let text = ''
  let reasoning = ''
  const details: ReasoningDetail[] = []
  const toolCalls: ToolCall[] = []
  for (const [index, block] of blocks.entries()) {
    const at = `${path}.content[${index}]`
    const reasoningContent = readObject(block['reasoningContent'])
    const toolUse = readObject(block['toolUse'])
    if (reasoningContent) {
      reasoning += reasoningText(reasoningContent)
      details.push(...reasoningDetails(reasoningContent))
    } else if (toolUse) {
      toolCalls.push({
        id: requireString(toolUse['toolUseId'], `${at}.toolUse.toolUseId`),
        type: 'function',
        function: {
          name: requireString(toolUse['name'], `${at}.toolUse.name`),
          arguments: textOfJson(toolUse['input'] ?? {}, `${at}.toolUse.input`),
        },
      })
    } else {
      text += requireString(block['text'], `${at}.text`)
    }
  }
  return assistantMessage({ text, reasoning, details, toolCalls })
}

function textOfJson(value: Json, path: string): string {
  return writeJson(value) ?? invalid(path, 'is nested too deep')
}
