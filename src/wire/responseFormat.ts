import type { ChatRequest, ResponseFormat } from '../core/chat/request.ts'
import type { JsonObject } from '../core/json.ts'
import { printableStart } from '../core/printable.ts'
import type { ModelFacts } from '../core/modelFacts.ts'
import { isAnyObject, narrowSchema } from './narrowSchema.ts'
import { readObject, readText } from './read.ts'
import type { RequestFields } from './requestFields.ts'
import { type EncodeTarget, UnsupportedField } from './wire.ts'

/** What a `json_schema` response format asks for. */
export interface JsonSchemaFormat {
  readonly name: string
  readonly description?: string
  readonly schema: JsonObject
  readonly strict?: boolean
}

/** For formats whose schemas have no name: Tollgate's must have one. */
export const SCHEMA_NAME = 'response'

/** A wish for JSON of a schema that has no name. */
export function unnamedSchemaFormat(schema: JsonObject): ResponseFormat {
  return { type: 'json_schema', json_schema: { name: SCHEMA_NAME, schema } }
}

/**
 * What the answer must be: any JSON object, JSON that follows a schema, or (undefined) text. A schema format without a
 * schema is any JSON object. Throws `UnsupportedField` for what the target does not take.
 */
export function responseFormatFor(
  request: ChatRequest,
  target: EncodeTarget,
  fields: RequestFields,
): 'json' | JsonSchemaFormat | undefined {
  const { responseFormat: format } = request
  if (format === undefined || format.type === 'text') return undefined
  fields.essential('response_format', format)
  refuseResponseFormat(request, target)
  if (format.type === 'json_object') return 'json'
  const asked = 'json_schema' in format ? readObject(format.json_schema) : undefined
  if (format.type !== 'json_schema' || asked === undefined) {
    throw new UnsupportedField('response_format.type', 'This model answers in text, JSON or a JSON schema.')
  }
  const schema = readObject(asked.schema)
  if (schema === undefined) return 'json'
  const description = readText(asked.description)
  const { strict } = asked
  return {
    name: readText(asked.name) ?? SCHEMA_NAME,
    ...(description !== undefined && { description }),
    schema,
    ...(typeof strict === 'boolean' ? { strict } : {}),
  }
}

/** The same, in the narrower grammar of Claude and Bedrock, in which an object of any fields is a wish for JSON. */
export function narrowFormatFor(
  request: ChatRequest,
  target: EncodeTarget,
  fields: RequestFields,
): 'json' | JsonSchemaFormat | undefined {
  const format = responseFormatFor(request, target, fields)
  if (format === undefined || format === 'json') return format
  if (isAnyObject(format.schema)) return 'json'
  const narrowed = narrowSchema(format.schema)
  if (narrowed.ok) return { ...format, schema: narrowed.schema }
  throw new UnsupportedField(
    `response_format.json_schema.schema${printableStart(narrowed.at)}`,
    `This model takes no ${narrowed.what}.`,
  )
}

/** The schema for formats that have no other place for what it is for. */
export function describedSchema({ description, schema }: JsonSchemaFormat): JsonObject {
  if (description === undefined) return schema
  const own = readText(schema.description)
  return { ...schema, description: own === undefined ? description : `${description}\n\n${own}` }
}

/** A response format as it is, without the name of its schema's dialect where the model cannot have it. */
export function schemaFor(format: ResponseFormat, { schemaWithoutDialect }: ModelFacts): ResponseFormat {
  if (schemaWithoutDialect !== true || format.type !== 'json_schema') return format
  const asked = readObject('json_schema' in format ? format.json_schema : undefined)
  const schema = readObject(asked?.schema)
  if (schema?.$schema === undefined) return format
  const { $schema: _, ...rest } = schema
  return { ...format, json_schema: { ...asked, schema: rest } }
}

/** Throws `UnsupportedField` for a response format that the model is known not to take, alone or beside tools. */
export function refuseResponseFormat(
  { responseFormat: format, tools }: ChatRequest,
  { facts, quirks }: EncodeTarget,
): void {
  if (format === undefined || format.type === 'text') return
  if (facts.responseFormats?.every((type) => type !== format.type)) {
    throw new UnsupportedField(
      'response_format',
      `This model does not take the response format \`${format.type}\`.`,
    )
  }
  if ((facts.formatOrTools === true || quirks.formatOrTools === true) && tools !== undefined) {
    throw new UnsupportedField(
      'response_format',
      'This model does not take response_format together with tools.',
    )
  }
}
