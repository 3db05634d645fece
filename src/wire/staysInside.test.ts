import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { type Json, type JsonObject, isJsonObject } from '../core/json.ts'
import { staysInside, withoutInside } from './staysInside.ts'

describe('what stays inside', () => {
  test.each([
    'cost',
    'total_cost',
    'costDetails',
    'cost-in-usd',
    'price',
    'pricing',
    'billing_account',
    'billedUnits',
    'payment_required',
    'routing',
    'router_model',
    'routeName',
    'credentials',
    'market',
    'provider',
    'provider_name',
    'internal',
    'is_byok',
  ])('is a field that is called %s', (name) => {
    expect(staysInside(name, 1)).toBe(true)
  })

  test.each([
    'costume',
    'priceless',
    'marketing',
    'provided',
    'routine',
    'native_finish_reason',
    'matched_stop',
    'internals',
    'x',
  ])('is not one that is called %s', (name) => {
    expect(staysInside(name, 1)).toBe(false)
  })

  test('is a container with such a field at any depth, unless the model or the caller wrote it', () => {
    expect(staysInside('served', { by: [{ at: { provider: 'x' } }] })).toBe(true)
    for (const name of ['arguments', 'input', 'metadata', 'parameters', 'schema', 'text', 'content'])
      expect([name, staysInside('call', { [name]: { price: 3, provider: 'x' } })]).toEqual([name, false])
  })

  test('an object without any of it is the same object, and known fields are not looked into', () => {
    const object: JsonObject = { a: 1, function: { provider: 'x' } }
    expect(withoutInside(object, new Set(['function']))).toBe(object)
    expect(withoutInside({ a: 1, cost: 2, b: { price: 3 } }, new Set())).toEqual({ a: 1 })
  })

  test('nothing of it is left, and all else is', () => {
    const names = fc.constantFrom('a', 'text', 'input', 'cost', 'provider_id', 'deep', 'metadata')
    const { value } = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.integer(),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(names, tie('value'), { maxKeys: 4 }),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(names, value), (object) => {
        const clean = withoutInside(object, new Set())
        expect(Object.keys(clean)).toEqual(Object.keys(object).filter((name) => !speaks(name, object[name])))
        for (const name in clean) expect(clean[name]).toBe(object[name])
      }),
    )
  })
})

/** The rule once more, as plainly as it can be said. */
function speaks(name: string, value: Json | undefined): boolean {
  if (name === 'cost' || name === 'provider_id') return true
  if (name === 'text' || name === 'input' || name === 'metadata') return false
  const inner = Array.isArray(value)
    ? value.map((item) => ['', item as Json] as const)
    : isJsonObject(value)
      ? Object.entries(value)
      : []
  return inner.some(([key, item]) => speaks(key, item))
}
