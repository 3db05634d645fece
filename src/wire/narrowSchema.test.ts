import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../core/json.ts'
import { isAnyObject, narrowParameters, narrowSchema } from './narrowSchema.ts'

function narrowed(schema: JsonObject): JsonObject | string {
  const verdict = narrowSchema(schema)
  return verdict.ok ? verdict.schema : verdict.what
}

/** An object of one property. */
function of(value: JsonObject, more: JsonObject = {}): JsonObject {
  return { type: 'object', properties: { value }, additionalProperties: false, ...more }
}

/** Definitions that each refer to the next: none contains itself, but no stack is as deep. */
function chainOf(length: number): JsonObject {
  const definitions = Array.from({ length }, (_, i) => [`d${i}`, { $ref: `#/$defs/d${i + 1}` }])
  return of({ $ref: '#/$defs/d0' }, { $defs: Object.fromEntries(definitions) as JsonObject })
}

describe('a schema for a narrow grammar', () => {
  test('stays as it is where the grammar can say it', () => {
    const schema = of(
      {
        anyOf: [
          { type: 'string', enum: ['a'], format: 'date-time', description: 'When.' },
          { type: ['integer', 'null'], const: 1, default: 1, title: 'One' },
          { type: 'array', items: { $ref: '#/$defs/item' }, minItems: 1 },
        ],
      },
      { required: ['value'], $defs: { item: { type: 'boolean' } } },
    )
    expect(narrowed(schema)).toEqual(schema)
  })

  test.each<[given: JsonObject, sent: JsonObject]>([
    [
      { type: 'integer', minimum: 1, maximum: 5 },
      { type: 'integer', description: '{"minimum":1,"maximum":5}' },
    ],
    [
      { type: 'string', description: 'A name.', maxLength: 9, pattern: '^a' },
      { type: 'string', description: 'A name.\n\n{"maxLength":9,"pattern":"^a"}' },
    ],
    [
      { type: 'string', format: 'color' },
      { type: 'string', description: '{"format":"color"}' },
    ],
    [
      { type: 'array', items: { type: 'number', multipleOf: 2 }, minItems: 2, uniqueItems: true },
      {
        type: 'array',
        items: { type: 'number', description: '{"multipleOf":2}' },
        description: '{"minItems":2,"uniqueItems":true}',
      },
    ],
    [{ oneOf: [{ type: 'string' }, { type: 'null' }] }, { anyOf: [{ type: 'string' }, { type: 'null' }] }],
    [{ type: 'string', $comment: 'x', examples: ['y'] }, { type: 'string' }],
  ])('says in the description what the grammar lacks: %j', (given, sent) => {
    expect(narrowed(of(given))).toEqual(of(sent))
  })

  test('is closed in all of its objects, so that an answer is valid by the open ones, too', () => {
    const open = {
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'null' } }, additionalProperties: true } },
    }
    expect(narrowed(open)).toEqual({
      type: 'object',
      properties: { a: { type: 'object', properties: { b: { type: 'null' } }, additionalProperties: false } },
      additionalProperties: false,
    })
  })

  const node = of({ anyOf: [{ $ref: '#/$defs/node' }, { type: 'null' }] })
  test.each<[what: string, schema: JsonObject]>([
    ['object without named properties in a schema', of({ type: 'object' })],
    [
      'object without named properties in a schema',
      of({ type: 'object', additionalProperties: { type: 'string' } }),
    ],
    ['schema that contains itself or refers on without an end', of({ $ref: '#' })],
    ['schema that contains itself or refers on without an end', { $ref: '#/$defs/node', $defs: { node } }],
    [
      'schema that contains itself or refers on without an end',
      of({ type: 'string' }, { $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    ],
    ['schema that contains itself or refers on without an end', chainOf(50_000)],
    ['reference to another schema', of({ $ref: 'https://example.com/schema' })],
    ['schema that is true or false', { type: 'object', properties: { a: true } }],
    [
      'schema of more than 64 levels',
      Array.from({ length: 65 }).reduce<JsonObject>((inner) => of(inner), {}),
    ],
  ])('is refused where it has a %s', (what, schema) => {
    expect(narrowed(schema)).toBe(what)
  })

  test.each<[at: string, schema: JsonObject]>([
    ['', { type: 'object' }],
    ['.properties.value', of({ type: 'object' })],
    ['.properties.value.items', of({ type: 'array', items: { type: 'object' } })],
    ['.properties.value.oneOf[1].$ref', of({ oneOf: [{ type: 'null' }, { $ref: 'https://example.com' }] })],
    ['.$defs.a', of({ type: 'null' }, { $defs: { a: true } })],
  ])('is refused by the place of what it cannot have: %s', (at, schema) => {
    expect(narrowSchema(schema)).toMatchObject({ ok: false, at })
  })

  test('may refer on as far as people write it', () => {
    const verdict = narrowed(chainOf(400))
    expect(verdict).toBeObject()
  })

  test('may use one definition twice', () => {
    const schema = of(
      { anyOf: [{ $ref: '#/$defs/a' }, { $ref: '#/$defs/a' }] },
      { $defs: { a: { type: 'null' } } },
    )
    expect(narrowed(schema)).toEqual(schema)
  })
})

test('a schema of any object is known by having no other word', () => {
  for (const more of [{}, { title: 'A', description: 'B', additionalProperties: true, $schema: 'x' }])
    expect(isAnyObject({ type: 'object', ...more })).toBe(true)
  for (const more of [
    { properties: {} },
    { additionalProperties: false },
    { minProperties: 1 },
    { type: 'array' },
  ])
    expect(isAnyObject({ type: 'object', ...more })).toBe(false)
})

test('arguments without named properties are none', () => {
  for (const parameters of [undefined, {}, { type: 'object' }])
    expect(narrowParameters(parameters)).toEqual({
      ok: true,
      schema: { type: 'object', properties: {}, additionalProperties: false },
    })
})
