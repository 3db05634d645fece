import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { OpenApiDocument } from '../../src/http/openapi.ts'
import { type AdminWorld, createAdminWorld } from '../support/adminWorld.ts'
import { DATA_PLANE_ENDPOINTS as DATA_PLANE } from '../../src/http/dataPlane/endpoints.ts'
import { differences, readPage } from './page.ts'

let world: AdminWorld
let document: OpenApiDocument

beforeAll(async () => {
  world = await createAdminWorld()
  document = await world.ask('GET', '/openapi.json')
})
afterAll(() => world.close())

/** What the document describes, but for what browsers ask under `/v1`. */
function described(): string[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .filter(([, operation]) => !operation.tags.includes('Preflight'))
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  )
}

test('docs/api.md lists every endpoint but those of the admin API', () => {
  const facts = described()
    .filter((endpoint) => !endpoint.includes('/api/v1/admin'))
    .map((endpoint) => ({ key: [`\`${endpoint}\``], cells: [audienceOf(endpoint), undefined] }))
  expect(differences(readPage('docs/api.md'), 'Endpoints', facts)).toEqual([])
})

function audienceOf(endpoint: string): string {
  if (endpoint.includes(' /v1/')) return 'key'
  return endpoint === 'GET /metrics' ? 'this machine' : 'anybody'
}

test('each pattern that the document has is one of JSON Schema: a regular expression without delimiters and flags', () => {
  const patterns = new Set(patternsIn(document))
  expect(patterns.size).toBeGreaterThan(1)
  for (const pattern of patterns) {
    expect(pattern).toMatch(/^\^.*\$$/)
    expect(() => new RegExp(pattern, 'u')).not.toThrow()
    for (const text of ['Name', 'Zoë 🌊', 'a\u0007b', 'a\u0085b', 'a\u0000b'])
      expect([pattern, text, new RegExp(pattern, 'u').test(text)]).toEqual([
        pattern,
        text,
        new RegExp(pattern).test(text),
      ])
  }
})

function patternsIn(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  const own = 'pattern' in value && typeof value.pattern === 'string' ? [value.pattern] : []
  return [...own, ...Object.values(value).flatMap(patternsIn)]
}

test('what the data plane answers is described, and the other way round', () => {
  const served = DATA_PLANE.map(({ method, path }) => `${method} ${path}`)
  const underV1 = described().filter((endpoint) => endpoint.includes(' /v1/'))
  const wrong = [
    ...served
      .filter((endpoint) => !underV1.includes(endpoint))
      .map((endpoint) => `${endpoint} is served: describe it in src/http/dataPlane/`),
    ...underV1
      .filter((endpoint) => !served.includes(endpoint))
      .map(
        (endpoint) =>
          `${endpoint} is described in src/http/dataPlane/: src/http/dataPlane.ts does not serve it`,
      ),
  ]
  expect(wrong).toEqual([])
})
