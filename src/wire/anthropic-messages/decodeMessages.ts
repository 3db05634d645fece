import type { Message } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { soleText } from '../messageParts.ts'
import { invalid, isAbsent, requireObject, requireObjects, requireString } from '../requestReader.ts'
import { cacheControl, decodePart } from './parts.ts'
import { decodeToolUse } from './decodeResponse.ts'
import { decodeThinking } from './reasoning.ts'
import { turnParts } from './turnParts.ts'

/** The instructions at the top as one message. */
export function decodeSystem(system: Json | undefined): Message[] {
  if (isAbsent(system) || system === '') return []
  if (typeof system === 'string') return [{ role: 'system', content: system }]
  const parts = requireBlocks(system, 'system').map(decodePart)
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
  const blocks = requireBlocks(content, `${param}.content`)
  if (role === 'assistant') return [decodeAssistant(blocks)]
  return role === 'system' ? [{ role, content: blocks.map(decodePart) }] : decodeUser(blocks, param)
}

/** Blocks of content, each with a type, and a text where it is one. */
function requireBlocks(value: Json | undefined, param: string): readonly JsonObject[] {
  const blocks = requireObjects(value, param)
  for (const [i, { type, text }] of blocks.entries())
    if (requireString(type, `${param}[${i}].type`) === 'text') requireString(text, `${param}[${i}].text`)
  return blocks
}

/** Each tool result is a message of its own; what else the turn holds follows them. */
function decodeUser(blocks: readonly JsonObject[], param: string): Message[] {
  const { results, parts } = turnParts('user', blocks)
  const messages = results.map(([block, i]) => decodeToolResult(block, `${param}.content[${i}]`))
  const said = parts.map(([block]) => decodePart(block))
  if (results.length === 0) return [{ role: 'user', content: said }]
  return said.length === 0 ? messages : [...messages, { role: 'user', content: soleText(said) ?? said }]
}

function decodeToolResult(block: JsonObject, param: string): Message {
  const { content } = block
  const parts =
    typeof content === 'string' ? [] : requireBlocks(content ?? [], `${param}.content`).map(decodePart)
  return {
    role: 'tool',
    tool_call_id: requireString(block.tool_use_id, `${param}.tool_use_id`),
    content: parts.length > 0 ? parts : typeof content === 'string' ? content : '',
    ...(block.is_error === true && { is_error: true }),
    ...cacheControl(block),
  }
}

function decodeAssistant(blocks: readonly JsonObject[]): Message {
  const { calls, thoughts, parts } = turnParts('assistant', blocks)
  const said = parts.map(([block]) => decodePart(block))
  return {
    role: 'assistant',
    content: said.length === 0 ? null : (soleText(said) ?? said),
    ...decodeThinking(thoughts.map(([block]) => block)),
    ...(calls.length > 0 && {
      tool_calls: calls.map(([block]) => ({ ...decodeToolUse(block, ''), ...cacheControl(block) })),
    }),
  }
}
