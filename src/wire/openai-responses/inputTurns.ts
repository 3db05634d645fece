import type { Json, JsonObject } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'
import { readText } from '../read.ts'
import { isAdditionalTools } from './additionalTools.ts'
import { isCallerRunCall, isCallerRunResult } from './callerRun.ts'
import { isVendorItem } from './vendorTools.ts'

/** An item of `input`, with its position there. */
export type PlacedItem = readonly [item: JsonObject, position: number]

/** What becomes one message of the canonical request. */
export type InputTurn =
  /** Of the user, or an instruction. */
  | { readonly kind: 'message'; readonly item: PlacedItem }
  /** All that the model said until others spoke: reasoning, messages, calls. */
  | { readonly kind: 'answer'; readonly items: readonly PlacedItem[] }
  | { readonly kind: 'result'; readonly item: PlacedItem }

/** Groups the items of `input`. Items that are left out, and those that add tools, are in no turn; items of unknown types are taken for messages. */
export function inputTurns(items: readonly Json[]): readonly InputTurn[] {
  const turns: InputTurn[] = []
  let answer: PlacedItem[] | undefined
  for (const [position, item] of items.entries()) {
    if (!isJsonObject(item) || isVendorItem(item) || isAdditionalTools(item)) continue
    const placed: PlacedItem = [item, position]
    if (isOfAnswer(item)) {
      if (answer) answer.push(placed)
      else turns.push({ kind: 'answer', items: (answer = [placed]) })
    } else {
      answer = undefined
      turns.push({ kind: isResult(item) ? 'result' : 'message', item: placed })
    }
  }
  return turns
}

/** The type of an item: a message needs none. */
export function typeOfItem({ type, role }: JsonObject): string | undefined {
  return readText(type) ?? (role === undefined || role === null ? undefined : 'message')
}

/** A call of a tool of any kind. */
export function isCall(item: JsonObject): boolean {
  return item.type === 'function_call' || item.type === 'custom_tool_call' || isCallerRunCall(item)
}

function isOfAnswer(item: JsonObject): boolean {
  if (item.type === 'reasoning' || isCall(item)) return true
  return typeOfItem(item) === 'message' && item.role === 'assistant'
}

function isResult(item: JsonObject): boolean {
  const { type } = item
  return type === 'function_call_output' || type === 'custom_tool_call_output' || isCallerRunResult(item)
}
