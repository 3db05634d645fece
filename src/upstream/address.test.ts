import { expect, test } from 'bun:test'
import { testRoute } from '../../test/support/testRoute.ts'
import { plainHeaders, urlOf } from './address.ts'

const { provider } = testRoute()
const withMore = { ...provider, query: { 'api-version': '1 2' }, headers: { 'x-team': 'blue' } }

test('a URL has the path of the call and what the configuration adds, and is the same for the same path', () => {
  const url = urlOf(withMore, '/chat/completions?alt=sse')
  expect(url.href).toBe(`${provider.provider.baseUrl}/chat/completions?alt=sse&api-version=1+2`)
  expect(urlOf(withMore, '/chat/completions?alt=sse')).toBe(url)
  expect(urlOf(withMore, '/embeddings')).not.toBe(url)
  expect(urlOf(provider, '/chat/completions?alt=sse').search).toBe('?alt=sse')
})

test('headers are the same for calls that are alike, and those of a request are of no other', () => {
  const whole = plainHeaders(withMore, false, {})
  expect(whole).toEqual({
    'content-type': 'application/json',
    accept: 'application/json',
    'user-agent': 'tollgate',
    'x-team': 'blue',
  })
  expect(plainHeaders(withMore, false, {})).toBe(whole)
  expect(plainHeaders(withMore, true, {})).toEqual({ ...whole, accept: 'text/event-stream' })
  const own = plainHeaders(withMore, false, { 'anthropic-beta': 'one', 'x-team': 'red' })
  expect(own).toEqual({ ...whole, 'anthropic-beta': 'one', 'x-team': 'red' })
  expect(plainHeaders(withMore, false, { 'anthropic-beta': 'one', 'x-team': 'red' })).toBe(own)
  expect(plainHeaders(withMore, false, { 'anthropic-beta': 'one' })).toEqual({
    ...whole,
    'anthropic-beta': 'one',
  })
  expect(plainHeaders(withMore, false, { 'anthropic-beta': 'one", "x-team": "red' })).not.toBe(own)
  expect(plainHeaders(withMore, false, {})).toBe(whole)
  expect(plainHeaders(provider, false, {})).not.toHaveProperty('x-team')
})

test('of many headers that callers ask for, the latest are known', () => {
  const first = plainHeaders(withMore, false, { 'anthropic-beta': 'beta-0' })
  for (let i = 1; i <= 200; i++) plainHeaders(withMore, false, { 'anthropic-beta': `beta-${i}` })
  const again = plainHeaders(withMore, false, { 'anthropic-beta': 'beta-0' })
  expect(again).toEqual(first)
  expect(again).not.toBe(first)
})
