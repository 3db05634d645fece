import type { JsonObject } from '../../../../src/core/json.ts'
import { compact } from '../../../../src/wire/read.ts'

/** A chunk of thoughts. It is empty where its signature closes chunks that are sent already. */
export function thinkingChunk(text: string, signature: string | undefined): JsonObject {
  return compact({ type: 'thinking', thinking: text === '' ? [] : [{ type: 'text', text }], signature })
}
