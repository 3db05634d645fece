import type { JsonSchema } from '../openapi.ts'

/** The named schemas of a document. */
export type Schemas = Readonly<Record<string, JsonSchema>>

/** One row of a field table. */
export interface SchemaField {
  /** Dotted; `[]` marks the entries of a list. */
  readonly name: string
  readonly type: string
  readonly required: boolean
  readonly description: string
}

/** Schemas of ours nest less; a cycle ends here. */
const DEPTH_MAX = 4

/** The fields of a schema as rows: those of nested objects follow their parent. */
export function schemaFields(schema: JsonSchema, schemas: Schemas, prefix = '', depth = 0): SchemaField[] {
  const object = objectOf(schema, schemas)
  if (object.type === 'array' && object.items)
    return schemaFields(object.items, schemas, `${prefix}[]`, depth)
  if (!object.properties || depth >= DEPTH_MAX) return []
  return Object.entries(object.properties).flatMap(([name, field]) => {
    const path = prefix === '' ? name : `${prefix}.${name}`
    const whole = resolve(field, schemas)
    const row: SchemaField = {
      name: path,
      type: typeName(field, schemas),
      required: object.required?.includes(name) ?? false,
      description: field.description ?? whole.description ?? '',
    }
    const isList = whole.type === 'array' && whole.items !== undefined
    return [
      row,
      ...schemaFields(isList ? (whole.items ?? {}) : field, schemas, isList ? `${path}[]` : path, depth + 1),
    ]
  })
}

/** A type in words: `string or null`, `list of Key`, `one of day, model`. */
export function typeName(schema: JsonSchema, schemas: Schemas = {}): string {
  if (schema.$ref !== undefined) return typeName(resolve(schema, schemas), schemas) || 'object'
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map((value) => String(value)).join(' | ')
  const options = schema.anyOf ?? schema.oneOf
  if (options) return [...new Set(options.map((option) => typeName(option, schemas)))].join(' or ')
  if (schema.allOf) return schema.allOf.map((part) => typeName(part, schemas))[0] ?? 'object'
  const types = typeof schema.type === 'string' ? [schema.type] : (schema.type ?? [])
  return types
    .map((type) => (type === 'array' ? `list of ${typeName(schema.items ?? {}, schemas) || 'values'}` : type))
    .join(' or ')
}

/** A plausible value of the schema, from its examples. */
export function exampleOf(schema: JsonSchema, schemas: Schemas, depth = 0): unknown {
  const whole = resolve(schema, schemas)
  if (whole.example !== undefined) return whole.example
  if (whole.const !== undefined) return whole.const
  if (whole.enum) return whole.enum[0]
  const option = (whole.anyOf ?? whole.oneOf ?? whole.allOf)?.[0]
  if (option) return exampleOf(option, schemas, depth)
  if (depth > DEPTH_MAX) return null
  const types = typeof whole.type === 'string' ? [whole.type] : (whole.type ?? [])
  if (types.includes('null')) return null
  switch (types[0]) {
    case 'object':
      return Object.fromEntries(
        Object.entries(whole.properties ?? {}).map(([name, field]) => [
          name,
          exampleOf(field, schemas, depth + 1),
        ]),
      )
    case 'array':
      return whole.items ? [exampleOf(whole.items, schemas, depth + 1)] : []
    case 'integer':
    case 'number':
      return whole.minimum ?? 0
    case 'boolean':
      return false
    default:
      return '…'
  }
}

function objectOf(schema: JsonSchema, schemas: Schemas): JsonSchema {
  const whole = resolve(schema, schemas)
  const option = (whole.anyOf ?? whole.oneOf ?? whole.allOf)?.find(
    (part) => resolve(part, schemas).properties,
  )
  return option ? resolve(option, schemas) : whole
}

const REF_PREFIX = '#/components/schemas/'

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (!schema.$ref?.startsWith(REF_PREFIX)) return schema
  return schemas[schema.$ref.slice(REF_PREFIX.length)] ?? {}
}
