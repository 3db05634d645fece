import type { Json, JsonObject } from '../../../src/core/json.ts'
import { CannotSay } from '../callers/cannotSay.ts'
import { markedSecret } from './secret.ts'

/** The thoughts of an earlier answer as the items in which a caller got them. Throws `CannotSay`. */
export function sayThoughts(details: readonly JsonObject[], thought: Json | undefined): JsonObject[] {
  const items = details.map(sayThought)
  if (items.length === 0 && typeof thought === 'string') return [sayItem(thought, {})]
  return items
}

function sayThought(detail: JsonObject): JsonObject {
  const { text, ...secret } = detail
  const { type, format, signature, data } = secret
  if (format === 'openai-responses-v1') throw new CannotSay('a thought of which this is a part')
  if (type !== 'reasoning.text' && type !== 'reasoning.encrypted')
    throw new CannotSay(`a thought of type ${JSON.stringify(type)}`)
  if (signature === undefined && data === undefined) throw new CannotSay('a thought without a signature')
  return sayItem(typeof text === 'string' ? text : '', { encrypted_content: markedSecret(secret) })
}

function sayItem(text: string, more: JsonObject): JsonObject {
  return { type: 'reasoning', id: '', summary: text === '' ? [] : [{ type: 'summary_text', text }], ...more }
}
