import type { JsonObject } from '../../core/json.ts'
import { readText } from '../read.ts'

/** Tools that run at the vendor and have no price: agents send these by default, so that a call goes on without them. */
const LEFT_OUT = /^(web_search|tool_search)(?:_|$)/

/** The kind of a tool that is left out and named; undefined for every other. */
export function vendorToolOf({ type }: JsonObject): string | undefined {
  return LEFT_OUT.exec(readText(type) ?? '')?.[1]
}
