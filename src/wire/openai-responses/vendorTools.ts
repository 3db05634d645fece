import type { JsonObject } from '../../core/json.ts'
import { readText } from '../read.ts'

/**
 * Tools that have no price here, or that only the vendor defines: agents send some of them by default, so the call goes on without
 * them.
 */
const LEFT_OUT = /^(web_search|tool_search|namespace|image_generation)(?:_preview)?(?:_\d|$)/

/** The kind of a tool that is left out and named; undefined for every other. */
export function vendorToolOf({ type }: JsonObject): string | undefined {
  return LEFT_OUT.exec(readText(type) ?? '')?.[1]
}

/** Items of earlier answers that such tools made. What they found is in the text beside them. */
const LEFT_OUT_ITEMS: ReadonlySet<unknown> = new Set([
  'web_search_call',
  'tool_search_call',
  'tool_search_output',
  'image_generation_call',
])

/** Whether an input item is left out and named. */
export function isVendorItem({ type }: JsonObject): boolean {
  return LEFT_OUT_ITEMS.has(type)
}
