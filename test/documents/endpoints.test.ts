import { afterAll, beforeAll, expect, test } from 'bun:test'
import type { OpenApiDocument } from '../../src/http/openapi.ts'
import { type AdminWorld, createAdminWorld } from '../support/adminWorld.ts'
import { DATA_PLANE } from './dataPlane.ts'
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

test('what the data plane answers is described, and the other way round', () => {
  const served = DATA_PLANE.map(({ method, path }) => `${method} ${path}`)
  const underV1 = described().filter((endpoint) => endpoint.includes(' /v1/'))
  const wrong = [
    ...served
      .filter((endpoint) => !underV1.includes(endpoint))
      .map((endpoint) => `${endpoint} is served: describe it in src/http/docs/dataPlaneRoutes.ts`),
    ...underV1
      .filter((endpoint) => !served.includes(endpoint))
      .map(
        (endpoint) =>
          `${endpoint} is described in src/http/docs/dataPlaneRoutes.ts: src/http/dataPlane.ts does not serve it`,
      ),
  ]
  expect(wrong).toEqual([])
})
