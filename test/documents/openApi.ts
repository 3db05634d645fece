import { expect } from 'bun:test'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { isJsonObject } from '../../src/core/json.ts'
import type { JsonSchema, OpenApiDocument } from '../../src/http/openapi.ts'

const ajv = new Ajv2020({ strict: false, validateFormats: false })
const validators = new Map<string, ValidateFunction>()

/** Fails where a value breaks a schema of the document, or has a field that the document does not name. */
export function expectDocumented(document: OpenApiDocument, schema: JsonSchema, value: unknown): void {
  const text = JSON.stringify(schema)
  let validate = validators.get(text)
  if (validate === undefined) {
    const whole = { ...(closed(schema) as object), components: closed(document.components) }
    validate = ajv.compile(whole)
    validators.set(text, validate)
  }
  validate(value)
  expect([validate.errors ?? [], value]).toEqual([[], value])
}

/** The schema with every object that names its fields closed to others. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isJsonObject(schema)) return schema
  const copy: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(schema)) copy[name] = closed(part)
  if (isJsonObject(schema['properties']) && Object.keys(schema['properties']).length > 0)
    copy['additionalProperties'] = false
  return copy
}
