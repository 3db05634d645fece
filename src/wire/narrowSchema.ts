import { isJsonObject, type Json, type JsonObject } from '../core/json.ts'
import { isExactNumber } from '../core/exactNumber.ts'
import { isRecursive } from './recursiveSchema.ts'

/**
 * A JSON schema in the grammar by which Claude's API and Bedrock guide a model's output, which is narrower than the
 * standard: every object is closed, and bounds and patterns are sentences of the description instead, as Anthropic's SDK
 * writes them (`lib/transform-json-schema` of @anthropic-ai/sdk: formats of strings, words that go to the description).
 * Whatever the model answers is valid by the caller's objects, too; its bounds are a wish. Reported:
 * agentjido/req_llm#302 (`minimum`), ax-llm/ax#459 (objects without properties).
 */
export type Narrowed =
  | { readonly ok: true; readonly schema: JsonObject }
  /** `what` ends a sentence that begins with "This model takes no"; `at` is its place in the schema, '' for the schema itself. */
  | { readonly ok: false; readonly what: string; readonly at: string }

/** Nesting beyond this is refused. */
const SCHEMA_DEPTH_MAX = 64

/** Words that the grammar has, and that hold no schema. */
const KEPT = new Set(['type', 'title', 'description', 'enum', 'const', 'default', 'required', '$ref'])
/** Words that say nothing of a value. */
const LEFT_OUT = new Set([
  '$schema',
  '$id',
  '$comment',
  '$anchor',
  'examples',
  'deprecated',
  'readOnly',
  'writeOnly',
])
const MAPS_OF_SCHEMAS = new Set(['properties', '$defs', 'definitions'])
const LISTS_OF_SCHEMAS = new Set(['anyOf', 'allOf'])
const STRING_FORMATS = new Set('date-time time date duration email hostname uri ipv4 ipv6 uuid'.split(' '))

/** Of the arguments of a tool: without named properties it has none. */
export function narrowParameters(parameters: JsonObject | undefined): Narrowed {
  return narrowSchema({ type: 'object', additionalProperties: false, properties: {}, ...parameters })
}

const SAYS_NOTHING_OF_FIELDS = new Set([...LEFT_OUT, 'type', 'title', 'description'])

/** Whether a schema asks for an object, whatever is in it. */
export function isAnyObject(schema: JsonObject): boolean {
  if (schema.type !== 'object') return false
  return Object.entries(schema).every(
    ([word, value]) =>
      SAYS_NOTHING_OF_FIELDS.has(word) || (word === 'additionalProperties' && value === true),
  )
}

export function narrowSchema(schema: JsonObject): Narrowed {
  try {
    const narrowed = narrow(schema, 0, '')
    return isRecursive(schema)
      ? { ok: false, what: 'schema that contains itself or refers on without an end', at: '' }
      : { ok: true, schema: narrowed }
  } catch (error) {
    if (error instanceof Inexpressible) return { ok: false, what: error.message, at: error.at }
    throw error
  }
}

class Inexpressible extends Error {
  readonly at: string
  constructor(what: string, at: string) {
    super(what)
    this.at = at
  }
}

/** @param at its place in the whole schema: `.properties.a.items` */
function narrow(schema: JsonObject, depth: number, at: string): JsonObject {
  if (depth > SCHEMA_DEPTH_MAX) throw new Inexpressible(`schema of more than ${SCHEMA_DEPTH_MAX} levels`, at)
  refuseInexpressible(schema, at)
  const narrowed: Record<string, Json> = {}
  const wishes: Record<string, Json> = {}
  for (const [word, value] of Object.entries(schema)) {
    if (value === undefined || LEFT_OUT.has(word)) continue
    if (KEPT.has(word) || isKept(word, value)) narrowed[word] = value
    else if (MAPS_OF_SCHEMAS.has(word) && isJsonObject(value))
      narrowed[word] = narrowMap(value, depth, `${at}.${word}`)
    else if (LISTS_OF_SCHEMAS.has(word) && Array.isArray(value))
      narrowed[word] = narrowList(value, depth, `${at}.${word}`)
    else if (word === 'oneOf' && Array.isArray(value) && schema.anyOf === undefined)
      narrowed.anyOf = narrowList(value, depth, `${at}.${word}`)
    else if (word === 'items' && isJsonObject(value)) narrowed[word] = narrow(value, depth + 1, `${at}.items`)
    else if (word !== 'additionalProperties') wishes[word] = value
  }
  if (isObjectSchema(schema)) narrowed.additionalProperties = false
  if (Object.keys(wishes).length === 0) return narrowed
  const { description } = schema
  const before = typeof description === 'string' && description !== '' ? `${description}\n\n` : ''
  return { ...narrowed, description: `${before}${JSON.stringify(wishes)}` }
}

function refuseInexpressible(schema: JsonObject, at: string): void {
  const { $ref: reference, properties, additionalProperties } = schema
  if (typeof reference === 'string' && reference !== '#' && !reference.startsWith('#/'))
    throw new Inexpressible('reference to another schema', `${at}.$ref`)
  const isNamed = isJsonObject(properties) && Object.keys(properties).length > 0
  if (isObjectSchema(schema) && !isNamed && additionalProperties !== false)
    throw new Inexpressible('object without named properties in a schema', at)
}

function isKept(word: string, value: Json): boolean {
  if (word === 'format') return typeof value === 'string' && STRING_FORMATS.has(value)
  return word === 'minItems' && (value === 0 || value === 1)
}

function narrowList(schemas: readonly Json[], depth: number, at: string): Json[] {
  return schemas.map((schema, i) => narrowWithin(schema, depth, `${at}[${i}]`))
}

function narrowMap(schemas: JsonObject, depth: number, at: string): JsonObject {
  return Object.fromEntries(
    Object.entries(schemas).map(([name, value]) => [
      name,
      narrowWithin(value ?? null, depth, `${at}.${name}`),
    ]),
  )
}

function narrowWithin(value: Json, depth: number, at: string): Json {
  if (!isJsonObject(value) || isExactNumber(value))
    throw new Inexpressible('schema that is true or false', at)
  return narrow(value, depth + 1, at)
}

function isObjectSchema({ type, properties }: JsonObject): boolean {
  return type === 'object' || (Array.isArray(type) && type.includes('object')) || isJsonObject(properties)
}
