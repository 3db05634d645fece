import type { ContentPart } from '../../../src/core/chat/request.ts'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { requireList, requireObject, requireString } from '../../../src/wire/requestReader.ts'

/** Reads the content of a message; other parts than those that `read` changes are kept as they are. */
export function decodeContent(
  content: Json | undefined,
  param: string,
  read: (part: JsonObject, param: string) => ContentPart | undefined,
): string | ContentPart[] {
  if (typeof content === 'string') return content
  return requireList(content, param).map((value, i) => {
    const at = `${param}[${i}]`
    const part = requireObject(value, at)
    const type = requireString(part.type, `${at}.type`)
    return read(part, at) ?? { ...part, type }
  })
}
