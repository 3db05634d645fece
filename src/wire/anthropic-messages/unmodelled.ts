import type { Json, JsonObject } from '../../core/json.ts'
import { readObject, readObjects, readText } from '../read.ts'

/** Fields that the canonical request has a place for, of blocks that it does not take as they are. */
const BLOCK_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  text: new Set(['type', 'text', 'cache_control']),
  image: new Set(['type', 'source', 'cache_control']),
  document: new Set(['type', 'source', 'title', 'cache_control']),
  search_result: new Set(['type', 'source', 'title', 'content', 'cache_control']),
  tool_use: new Set(['type', 'id', 'name', 'input', 'cache_control']),
  tool_result: new Set(['type', 'tool_use_id', 'content', 'is_error', 'cache_control']),
  thinking: new Set(['type', 'thinking', 'signature']),
  redacted_thinking: new Set(['type', 'data']),
  tool_reference: new Set(['type', 'tool_name', 'cache_control']),
}
const MESSAGE_FIELDS = new Set(['role', 'content'])
const TOP_FIELDS: Readonly<Record<string, ReadonlySet<string>>> = {
  thinking: new Set(['type', 'budget_tokens', 'display']),
  output_config: new Set(['effort', 'format']),
  tool_choice: new Set(['type', 'name', 'disable_parallel_tool_use']),
}

/** What of a body has no place in the canonical request, and passes to a provider of this format all the same. */
export function unmodelledIn(body: JsonObject): readonly Json[] {
  const found: Json[] = []
  for (const name in TOP_FIELDS) addUnknown(readObject(body[name]), TOP_FIELDS[name], found)
  for (const message of readObjects(body.messages)) {
    addUnknown(message, MESSAGE_FIELDS, found)
    if (typeof message.content !== 'string') addBlocks(message.content, found)
  }
  addBlocks(body.system, found)
  return found
}

function addBlocks(blocks: Json | undefined, found: Json[]): void {
  for (const block of readObjects(blocks)) {
    const known = BLOCK_FIELDS[readText(block.type) ?? '']
    if (known) addUnknown(block, known, found)
    if (block.type === 'tool_result') addBlocks(block.content, found)
  }
}

function addUnknown(
  object: JsonObject | undefined,
  known: ReadonlySet<string> | undefined,
  found: Json[],
): void {
  for (const name in object) {
    const value = object[name]
    if (!known?.has(name) && value !== null && value !== undefined) found.push(name, value)
  }
}
