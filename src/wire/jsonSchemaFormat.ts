import type { ResponseFormat, ToolChoice } from '../core/chat/request.ts'
import type { JsonObject } from '../core/json.ts'
import { readObject, readText } from './read.ts'

/** What a `json_schema` response format asks for. */
export interface JsonSchemaFormat {
  readonly name: string
  readonly description?: string
  readonly schema?: JsonObject
  readonly strict?: boolean
}

/** For formats whose schemas have no name: ours must have one. */
export const SCHEMA_NAME = 'response'

/** A wish for JSON of a schema that has no name. */
export function unnamedSchemaFormat(schema: JsonObject): ResponseFormat {
  return { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema } }
}

/** Undefined when the response format is another one. */
export function jsonSchemaFormat(format: ResponseFormat): JsonSchemaFormat | undefined {
  const asked = 'json_schema' in format ? readObject(format.json_schema) : undefined
  if (format.type !== 'json_schema' || asked === undefined) return undefined
  const description = readText(asked['description'])
  const schema = readObject(asked['schema'])
  const { strict } = asked
  return {
    name: readText(asked['name']) ?? SCHEMA_NAME,
    ...(description === undefined ? {} : { description }),
    ...(schema === undefined ? {} : { schema }),
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

/** The one function that a tool choice forces; undefined when it is another kind of choice. */
export function namedFunction(choice: ToolChoice): string | undefined {
  if (typeof choice !== 'object' || choice.type !== 'function') return undefined
  return readText(readObject(choice['function'])?.['name'])
}
