import type { JsonObject } from '../../core/json.ts'
import type { Said } from './messageSoFar.ts'

export type CallKind = 'function_call' | 'custom_tool_call'

/** The kinds of items that the canonical language has a place for. */
export type ItemKind = 'message' | 'reasoning' | CallKind

/** What is common to the items of an answer. Whatever came before, each method says only what is new. */
export interface OutputItem {
  readonly kind: ItemKind
  /** Something of it has come. */
  readonly hasContent: boolean
  /** @param item as it begins */
  open(item: JsonObject): Said[]
  /** @param item in its final form; empty where none came. Call it once. */
  finish(item: JsonObject): Said[]
}
