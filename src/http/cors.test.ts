import { describe, expect, test } from 'bun:test'
import { corsHeaders, preflight } from './cors.ts'

const ORIGIN = 'https://app.example'

function allowedHeaders(asked: string | null): string | null {
  const response = preflight(corsHeaders(ORIGIN, [ORIGIN]), asked, 'req_1')
  expect(response.status).toBe(204)
  return response.headers.get('access-control-allow-headers')
}

describe('a preflight of an allowed origin', () => {
  test.each([
    'authorization',
    'authorization,content-type,x-stainless-os,x-stainless-arch,x-stainless-retry-count',
    'anthropic-beta , anthropic-dangerous-direct-browser-access',
    "odd!#$%&'*+-.^_`|~09",
    Array.from({ length: 64 }, (_, at) => `x-${at}`).join(', '),
  ])('is told back what it asks for: %s', (asked) => {
    expect(allowedHeaders(asked)).toBe(asked)
  })

  test.each([
    [null],
    [''],
    [','],
    ['authorization,'],
    ['authorization, , content-type'],
    ['two words'],
    ['*, x y'],
    ['x: y'],
    ['naïve'],
    ['x'.repeat(2049)],
    [Array.from({ length: 65 }, (_, at) => `x-${at}`).join(',')],
  ])('is told what is always allowed when it asks for %p', (asked) => {
    expect(allowedHeaders(asked)).toBe(
      'authorization, x-api-key, content-type, idempotency-key, anthropic-version, anthropic-beta',
    )
  })

  test('is judged at once, however it is written', () => {
    const started = performance.now()
    for (let round = 0; round < 100; round++) allowedHeaders(`a${' \t'.repeat(1000)}!`)
    for (let round = 0; round < 100; round++) allowedHeaders(`${'a,'.repeat(31)}${' '.repeat(1900)}a b`)
    // Linear work takes a few milliseconds; a pattern that tries again and again would take minutes.
    expect(performance.now() - started).toBeLessThan(5_000)
  })
})

test('a preflight of another origin is told nothing, whatever it asks for', () => {
  const response = preflight(corsHeaders('https://evil.example', [ORIGIN]), 'x-stainless-os', 'req_1')
  expect(response.status).toBe(403)
  expect([...response.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
})
