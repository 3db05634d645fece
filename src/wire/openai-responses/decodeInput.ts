import type { ContentPart, Message, ToolCall } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { printableStart } from '../../core/printable.ts'
import { soleText } from '../messageParts.ts'
import {
  invalid,
  isAbsent,
  requireObject,
  requireObjects,
  requireString,
  requireTurns,
} from '../requestReader.ts'
import { checkDepth } from '../check.ts'
import { checkAdditionalTools, isAdditionalTools } from './additionalTools.ts'
import {
  callIdOfResult,
  decodeCallerRunCall,
  decodeCallerRunOutput,
  isCallerRunCall,
  isCallerRunResult,
} from './callerRun.ts'
import { decodeContent, decodePart } from './decodeContent.ts'
import { decodeReasoningItems } from './decodeReasoningItems.ts'
import { type PlacedItem, inputTurns, isCall, typeOfItem } from './inputTurns.ts'
import { isVendorItem } from './vendorTools.ts'

/** The conversation: a text of the user, or a list of items. Throws `InvalidField`. */
export function decodeInput(input: Json | undefined): Message[] {
  if (typeof input === 'string') return [{ role: 'user', content: input }]
  if (!isAbsent(input) && !Array.isArray(input)) invalid('input', 'must be a text or an array of items')
  const items = requireTurns(input, 'input')
  for (const [i, item] of items.entries()) checkItem(item, `input[${i}]`)
  const messages = inputTurns(items).map((turn): Message => {
    switch (turn.kind) {
      case 'message':
        return decodeMessage(turn.item)
      case 'answer':
        return decodeAnswer(turn.items)
      case 'result':
        return decodeResult(turn.item)
    }
  })
  return messages.length === 0 ? invalid('input', 'holds no item that can be sent') : messages
}

/** The instructions beside the input, as its first message. */
export function decodeInstructions(instructions: string | undefined): Message[] {
  return instructions === undefined || instructions === '' ? [] : [{ role: 'system', content: instructions }]
}

const KNOWN_TYPES: ReadonlySet<unknown> = new Set([
  'message',
  'reasoning',
  'function_call',
  'custom_tool_call',
  'function_call_output',
  'custom_tool_call_output',
])

function checkItem(value: Json, param: string): void {
  const item = requireObject(value, param)
  checkDepth(item, param)
  const type = typeOfItem(item)
  if (isAdditionalTools(item)) {
    checkAdditionalTools(item, param)
    return
  }
  if (KNOWN_TYPES.has(type) || isCallerRunCall(item) || isCallerRunResult(item) || isVendorItem(item)) return
  refuseReference(item, type, param)
  if (type === undefined) invalid(`${param}.type`, 'is required')
  invalid(`${param}.type`, `is \`${printableStart(type)}\`, a type of item that is not available here`)
}

/** Where answers are kept, references are replaced by the items that they name before a request is decoded. */
function refuseReference({ id }: JsonObject, type: string | undefined, param: string): void {
  if (type === 'item_reference' || (type === undefined && !isAbsent(id)))
    invalid(param, 'refers to an item that is not kept here: send the item itself')
}

function decodeMessage([item, position]: PlacedItem): Message {
  const { role } = item
  const param = `input[${position}]`
  if (role !== 'user' && role !== 'system' && role !== 'developer')
    invalid(`${param}.role`, 'must be user, assistant, system or developer')
  return { role, content: decodeContent(item.content, `${param}.content`) }
}

function decodeAnswer(items: readonly PlacedItem[]): Message {
  const parts: ContentPart[] = []
  const refusals: string[] = []
  const calls: ToolCall[] = []
  const thoughts: Parameters<typeof decodeReasoningItems>[0][number][] = []
  for (const [place, [item, position]] of items.entries()) {
    const param = `input[${position}]`
    if (item.type === 'reasoning') thoughts.push({ item, place, param })
    else if (isCall(item)) calls.push(decodeCall(item, param))
    else
      for (const part of partsOfAnswer(item.content, `${param}.content`)) {
        if (part.type === 'refusal' && typeof part.refusal === 'string') refusals.push(part.refusal)
        else parts.push(part)
      }
  }
  return {
    role: 'assistant',
    content: parts.length === 0 ? null : (soleText(parts) ?? parts),
    ...(refusals.length > 0 && { refusal: refusals.join('') }),
    ...decodeReasoningItems(thoughts),
    ...(calls.length > 0 && { tool_calls: calls }),
  }
}

/** The parts of the model's own message, which may have none. */
export function partsOfAnswer(content: Json | undefined, param: string): readonly ContentPart[] {
  if (typeof content === 'string') return [{ type: 'text', text: content }]
  if (isAbsent(content)) return invalid(param, 'is required')
  return requireObjects(content, param).map((part, i) => decodePart(part, `${param}[${i}]`))
}

function decodeCall(item: JsonObject, param: string): ToolCall {
  if (isCallerRunCall(item)) return decodeCallerRunCall(item, param)
  const id = requireString(item.call_id, `${param}.call_id`)
  const name = requireString(item.name, `${param}.name`)
  if (item.type === 'function_call') {
    const text = requireString(item.arguments, `${param}.arguments`)
    return { id, type: 'function', function: { name, arguments: text } }
  }
  const custom = { name, input: requireString(item.input, `${param}.input`) }
  // Calls of other kinds than functions are passed on as they are.
  return { id, type: 'custom', custom } as unknown as ToolCall
}

function decodeResult([item, position]: PlacedItem): Message {
  const param = `input[${position}]`
  if (isCallerRunResult(item)) {
    const id = callIdOfResult(item, param)
    return { role: 'tool', tool_call_id: id, content: decodeCallerRunOutput(item.output, `${param}.output`) }
  }
  return {
    role: 'tool',
    tool_call_id: requireString(item.call_id, `${param}.call_id`),
    content: decodeContent(item.output, `${param}.output`),
  }
}
