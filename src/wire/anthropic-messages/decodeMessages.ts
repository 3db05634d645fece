import type { ContentPart, Message, ToolCall } from '../../core/chat/request.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { soleText } from '../messageParts.ts'
import {
  invalid,
  isAbsent,
  optionalList,
  requireObject,
  requireObjects,
  requireString,
} from '../requestReader.ts'
import { cacheControl, decodePart } from './parts.ts'
import { decodeToolUse } from './decodeResponse.ts'
import { decodeThinking } from './reasoning.ts'

/** The instructions at the top as one message. */
export function decodeSystem(system: Json | undefined): Message[] {
  if (isAbsent(system) || system === '') return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  const parts = requireObjects(system, 'system').map(decodePart)
  return parts.length === 0 ? [] : [{ role: 'system', content: parts }]
}

export function decodeMessages(turns: readonly Json[]): Message[] {
  return turns.flatMap((turn, i) => decodeTurn(turn, `messages[${i}]`))
}

function decodeTurn(turn: Json, param: string): Message[] {
  const { role, content } = requireObject(turn, param)
  if (role !== 'user' && role !== 'assistant' && role !== 'system')
    invalid(`${param}.role`, 'must be user, assistant or system')
  if (typeof content === 'string') return [{ role, content }]
  const blocks = requireObjects(content, `${param}.content`)
  for (const [i, block] of blocks.entries()) checkBlock(block, `${param}.content[${i}]`)
  if (role === 'assistant') return [decodeAssistant(blocks)]
  return role === 'system' ? [{ role, content: blocks.map(decodePart) }] : decodeUser(blocks, param)
}

function checkBlock(block: JsonObject, param: string): void {
  if (requireString(block.type, `${param}.type`) === 'text') requireString(block.text, `${param}.text`)
}

/** Each tool result is a message of its own; what else the turn holds follows them. */
function decodeUser(blocks: readonly JsonObject[], param: string): Message[] {
  const results = blocks
    .filter((block) => block.type === 'tool_result')
    .map((block) => decodeToolResult(block, `${param}.content`))
  const parts = blocks.filter((block) => block.type !== 'tool_result').map(decodePart)
  if (results.length === 0) return [{ role: 'user', content: parts }]
  return parts.length === 0 ? results : [...results, { role: 'user', content: soleText(parts) ?? parts }]
}

function decodeToolResult(block: JsonObject, param: string): Message {
  const { content } = block
  return {
    role: 'tool',
    tool_call_id: requireString(block.tool_use_id, `${param}.tool_use_id`),
    content:
      typeof content === 'string'
        ? content
        : (optionalList(content, `${param}.content`) ?? []).filter(isJsonObject).map(decodePart),
    ...(block.is_error === true && { is_error: true }),
    ...cacheControl(block),
  }
}

function decodeAssistant(blocks: readonly JsonObject[]): Message {
  const calls: ToolCall[] = []
  const parts: ContentPart[] = []
  for (const block of blocks) {
    if (block.type === 'tool_use') calls.push(decodeToolUse(block, ''))
    else if (!isThinking(block)) parts.push(decodePart(block))
  }
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : (soleText(parts) ?? parts),
    ...decodeThinking(blocks),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

function isThinking(block: JsonObject): boolean {
  return block.type === 'thinking' || block.type === 'redacted_thinking'
}
