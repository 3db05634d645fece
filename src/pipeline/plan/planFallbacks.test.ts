import { describe, expect, test } from 'bun:test'
import { chatRequest, textPrompt } from '../../../test/support/chatSamples.ts'
import { resolveCatalog } from '../../catalog/catalog.ts'
import { nano } from '../../core/money.ts'
import { testModel, testRoute } from '../../../test/support/testRoute.ts'
import { planRoutes } from './plan.ts'
import { createPlanCatalog } from './planCatalog.ts'
import {
  CHAT,
  DEAR,
  GONE,
  HIGH,
  NOON,
  OLD,
  callerWith,
  planOf,
  refusalOf,
  routesOf,
  promptOf,
} from '../../../test/support/testPlan.ts'

describe('fallback models', () => {
  test('are planned after the asked model, in the order of the caller', () => {
    const routing = { models: [OLD.id, 'dear'] }
    expect(planOf({ routing }).model).toBe(CHAT)
    expect(routesOf({ routing })).toEqual([
      'acme/chat at b',
      'acme/chat at a',
      'acme/old at a',
      'acme/dear at c',
      'acme/dear at a',
    ])
  })

  test('are planned once, however often and by whatever name they are given', () => {
    const models = ['chat', OLD.id, CHAT.id, OLD.id]
    expect(routesOf({ routing: { models } })).toEqual(['acme/chat at b', 'acme/chat at a', 'acme/old at a'])
  })

  test.each([
    ['does not exist', 'nothing', {}, 404],
    ['is retired', GONE.id, {}, 404],
    ['the key may not use', DEAR.id, { key: [CHAT.id] }, 403],
    ['the workspace may not use', 'dear', { workspace: [CHAT.id] }, 403],
  ])('are refused by their position when one %s', (_, name, models, status) => {
    const refusal = refusalOf({ routing: { models: [CHAT.id, name] } }, callerWith(models))
    expect(refusal).toMatchObject({ status, param: 'models[1]' })
  })

  test('do not save a request whose own model may not be used', () => {
    const refusal = refusalOf({ routing: { models: [DEAR.id] } }, callerWith({ key: [DEAR.id] }))
    expect(refusal).toMatchObject({ status: 403, param: 'model' })
  })
})

describe("the caller's preferences", () => {
  test('choose among the places of all models, and may leave fallbacks alone', () => {
    const routing = { models: [DEAR.id], only: ['c'] }
    expect(routesOf({ routing })).toEqual(['acme/dear at c'])
    expect(planOf({ routing }).model).toBe(CHAT)
  })

  test('that leave no place, or name a provider that is not configured, are a 400', () => {
    expect(refusalOf({ routing: { only: ['c'] } })).toMatchObject({ status: 400, param: 'provider.only' })
    expect(refusalOf({ routing: { order: ['d'] } })).toMatchObject({
      status: 400,
      param: 'provider.order[0]',
    })
  })

  test('are judged after the models: a model that does not exist is a 404', () => {
    const routing = { models: ['nothing'], only: ['nobody'] }
    expect(refusalOf({ routing })).toMatchObject({ status: 404, param: 'models[0]' })
  })

  test("are judged by the prices at the request's own time and length", () => {
    const later = { ...HIGH, validFrom: NOON }
    const tiers = [{ ...HIGH, abovePromptTokens: 5 }]
    const model = testModel({ prices: [{ input: nano(1n), output: nano(1n), tiers }, later] })
    const catalog = createPlanCatalog(
      resolveCatalog([model]),
      () => [testRoute({ name: 'a', model })],
      new Set(['a']),
    )
    const routing = { maxPrice: { input: nano(1n) } }
    const isServed = (at: number, length: number): boolean => {
      const request = chatRequest({ model: model.id, routing })
      const prompt = promptOf(request, textPrompt(length))
      return planRoutes(request, prompt, { caller: callerWith(), catalog, at }).ok
    }
    expect(isServed(NOON - 1, 5)).toBe(true)
    expect(isServed(NOON - 1, 6)).toBe(false)
    expect(isServed(NOON, 5)).toBe(false)
  })
})
