import type { Json, JsonObject } from '../../core/json.ts'

/** The top-level fields of an answer or a chunk that no field of ours models; undefined when there are none. */
export function extraFields(body: JsonObject): JsonObject | undefined {
  let extra: Record<string, Json> | undefined
  for (const name in body) {
    switch (name) {
      case 'id':
      case 'object':
      case 'created':
      case 'model':
      case 'choices':
      case 'usage':
      case 'error':
      // Groq's envelope holds its usage, which is read, and its own request id.
      case 'x_groq':
      case '__proto__':
        continue
      default: {
        const value = body[name]
        if (value === undefined) continue
        extra ??= {}
        extra[name] = value
      }
    }
  }
  return extra
}
