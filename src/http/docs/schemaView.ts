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
  /** Of several shapes those that have it, in words: `kind: receipt`; absent: all. */
  readonly only?: string
}

/** Deeper fields are not shown: a schema that holds itself ends here. */
const DEPTH_MAX = 6

/** The fields of a schema as rows: those of nested objects follow their parent. */
export function schemaFields(schema: JsonSchema, schemas: Schemas, prefix = '', depth = 0): SchemaField[] {
  const [object = {}, ...others] = shapesOf(schema, schemas)
  if (others.length > 0) {
    return sharedRows([object, ...others], (shape) => schemaFields(shape, schemas, prefix, depth))
  }
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
    const items = itemsOf(whole, schemas)
    return [
      row,
      ...schemaFields(items ?? field, schemas, items === undefined ? path : `${path}[]`, depth + 1),
    ]
  })
}

/** What the entries of a list are, also where the value may be something else than a list. */
function itemsOf(whole: JsonSchema, schemas: Schemas): JsonSchema | undefined {
  if (whole.items) return whole.items
  for (const option of whole.anyOf ?? whole.oneOf ?? []) {
    const items = itemsOf(resolve(option, schemas), schemas)
    if (items) return items
  }
  return undefined
}

/** The rows of several shapes: what all have stands once, the rest says where it is found. */
function sharedRows(
  shapes: readonly JsonSchema[],
  rowsOf: (shape: JsonSchema) => readonly SchemaField[],
): SchemaField[] {
  const found = new Map<string, { row: SchemaField; names: string[] }>()
  for (const [index, shape] of shapes.entries()) {
    const kind = shapeKind(shape)
    const name = kind ? `${kind.field}: ${kind.value}` : `shape ${index + 1}`
    for (const row of rowsOf(shape)) {
      const tells = kind !== undefined && row.type === kind.type && row.name.split('.').at(-1) === kind.field
      const same = tells ? row.name : `${row.name} ${row.type}`
      const known = found.get(same)
      if (!known) found.set(same, { row, names: [name] })
      else {
        known.names.push(name)
        if (tells) known.row = { ...known.row, type: `${known.row.type} | ${row.type}` }
      }
    }
  }
  return [...found.values()].map(({ row, names }) =>
    names.length === shapes.length ? row : { ...row, only: names.join(', ') },
  )
}

/** What tells a shape from others: its first field of one possible text. */
function shapeKind({
  properties = {},
}: JsonSchema): { field: string; value: string; type: string } | undefined {
  for (const [field, schema] of Object.entries(properties)) {
    const { const: value, enum: values } = schema
    const only = value ?? (values?.length === 1 ? values[0] : undefined)
    if (typeof only === 'string') return { field, value: only, type: typeName(schema) }
  }
  return undefined
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
        Object.entries(whole.properties ?? {}).map(([key, field]) => [
          key,
          exampleOf(field, schemas, depth + 1),
        ]),
      )
    case 'array':
      if (!whole.items) return []
      return shapesOf(whole.items, schemas).map((shape) => exampleOf(shape, schemas, depth + 1))
    case 'integer':
    case 'number':
      return whole.minimum ?? 0
    case 'boolean':
      return false
    default:
      return '…'
  }
}

/** The objects that a value may be; the schema itself where it is no choice of objects. */
function shapesOf(schema: JsonSchema, schemas: Schemas): readonly JsonSchema[] {
  const whole = resolve(schema, schemas)
  const objects = (whole.anyOf ?? whole.oneOf ?? whole.allOf ?? [])
    .map((part) => resolve(part, schemas))
    .filter((part) => part.properties)
  if (objects.length === 0) return [whole]
  return whole.allOf ? objects.slice(0, 1) : objects
}

const REF_PREFIX = '#/components/schemas/'

function resolve(schema: JsonSchema, schemas: Schemas): JsonSchema {
  if (!schema.$ref?.startsWith(REF_PREFIX)) return schema
  return schemas[schema.$ref.slice(REF_PREFIX.length)] ?? {}
}
