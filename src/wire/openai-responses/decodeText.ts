import type { ResponseFormat } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { checkName } from '../check.ts'
import { compact } from '../read.ts'
import { invalid, isAbsent, optionalBoolean, optionalObject, optionalString } from '../requestReader.ts'

/** What the text of the answer must be. Throws `InvalidField`. */
export function decodeText(body: JsonObject): {
  readonly responseFormat: ResponseFormat | undefined
  readonly verbosity: string | undefined
} {
  const text = optionalObject(body.text, 'text')
  const format = optionalObject(text?.format, 'text.format')
  return {
    responseFormat: format && decodeFormat(format),
    verbosity: optionalString(text?.verbosity, 'text.verbosity'),
  }
}

function decodeFormat(format: JsonObject): ResponseFormat | undefined {
  const { type } = format
  // It is what an answer is without a word for it.
  if (type === 'text' || isAbsent(type)) return undefined
  if (type === 'json_object') return { type }
  if (type !== 'json_schema')
    return invalid('text.format.type', 'must be `text`, `json_object` or `json_schema`')
  const description = optionalString(format.description, 'text.format.description')
  const schema = optionalObject(format.schema, 'text.format.schema')
  const strict = optionalBoolean(format.strict, 'text.format.strict')
  const name = checkName(format.name ?? undefined, 'text.format.name')
  return { type, json_schema: { name, ...compact({ description, schema, strict }) } }
}
