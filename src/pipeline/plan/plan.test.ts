import { describe, expect, test } from 'bun:test'
import type { Refusal } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { routeName } from '../../upstream/route.ts'
import { findModel, mayUse } from './plan.ts'
import {
  CATALOG,
  CHAT,
  DEAR,
  GONE,
  LOST,
  NOON,
  OLD,
  callerWith,
  planOf,
  refusalOf,
  routesOf,
} from '../../../test/support/testPlan.ts'

describe('a model', () => {
  test('is planned at every place that serves it, in the order of the configuration', () => {
    expect(routesOf({})).toEqual(['acme/chat at b', 'acme/chat at a'])
    expect(routesOf({ routing: {} })).toEqual(routesOf({}))
    expect(planOf({}).routes.map(routeName)).toEqual(['b/upstream-chat-1', 'a/upstream-chat-1'])
  })

  test('is found by an alias, and the request keeps the name that the caller wrote', () => {
    const plan = planOf({ model: 'chat-latest' })
    expect(plan.model).toBe(CHAT)
    expect(plan.request.model).toBe('chat-latest')
    expect(plan.routes).toEqual(planOf({}).routes)
  })

  test('that is deprecated is still served', () => {
    expect(routesOf({ model: OLD.id })).toEqual(['acme/old at a'])
  })

  test('that nobody configured is a 404 that quotes its name', () => {
    expect(refusalOf({ model: 'acme/chatt' })).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
      message: 'The model "acme/chatt" does not exist.',
    })
  })

  test('with a name of any length is quoted up to 200 characters', () => {
    const message = (length: number): string => refusalOf({ model: 'x'.repeat(length) }).message
    expect(message(200)).toBe(`The model "${'x'.repeat(200)}" does not exist.`)
    expect(message(201)).toBe(`The model "${'x'.repeat(200)}…" does not exist.`)
  })

  test('that is retired is served until its moment, then is a 404 that names its successor', () => {
    expect(routesOf({ model: GONE.id }, callerWith(), NOON - 1)).toEqual(['acme/gone at a'])
    expect(refusalOf({ model: GONE.id })).toMatchObject({
      status: 404,
      code: 'model_not_found',
      param: 'model',
      message: 'The model "acme/gone" has been retired. Use "acme/chat" instead.',
    })
  })

  test('that is retired without a successor is a 404 that advises nothing', () => {
    expect(refusalOf({ model: 'lost' }).message).toBe('The model "lost" has been retired.')
  })
})

describe('the lists of workspace and key', () => {
  test.each([
    ['no list', {}],
    ['the id in both', { workspace: [CHAT.id], key: [CHAT.id] }],
    ['an alias in one, the id in the other', { workspace: ['chat'], key: [CHAT.id] }],
    ['only the workspace has one', { workspace: [DEAR.id, CHAT.id] }],
    ['only the key has one', { key: ['chat-latest'] }],
  ])('allow the model by its id and by each alias: %s', (_, models) => {
    for (const model of [CHAT.id, 'chat', 'chat-latest']) {
      expect(planOf({ model }, callerWith(models)).model).toBe(CHAT)
    }
  })

  test.each([
    ['the workspace does not allow it', { workspace: [DEAR.id] }],
    ['the key does not allow it', { key: [DEAR.id] }],
    ['only the workspace allows it', { workspace: [CHAT.id], key: [DEAR.id] }],
    ['only the key allows it', { workspace: [DEAR.id], key: [CHAT.id] }],
    ['the key allows nothing', { key: [] }],
  ])('forbid the model with a 403, by whatever name it is asked for: %s', (_, models) => {
    for (const model of [CHAT.id, 'chat']) {
      expect(refusalOf({ model }, callerWith(models))).toMatchObject({
        status: 403,
        code: 'model_not_accessible',
        param: 'model',
        message: `This key may not use the model "${model}".`,
      })
    }
    expect(mayUse(callerWith(models), CHAT)).toBe(false)
  })

  test('do not turn a model that does not exist, or is retired, into a 403', () => {
    const caller = callerWith({ workspace: [], key: [] })
    expect(refusalOf({ model: 'nothing' }, caller).status).toBe(404)
    expect(refusalOf({ model: LOST.id }, caller).status).toBe(404)
  })
})

test('a model that is looked up is refused by the parameter it was asked in', () => {
  const found = (name: string): Model | Refusal => {
    const verdict = findModel(name, callerWith({ key: [CHAT.id] }), CATALOG, NOON, 'model_id')
    return verdict.ok ? verdict.model : verdict.refusal
  }
  expect(found('chat')).toBe(CHAT)
  for (const name of ['nothing', LOST.id, DEAR.id]) expect(found(name)).toMatchObject({ param: 'model_id' })
})
