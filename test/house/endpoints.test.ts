import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Glob } from 'bun'
import { ADMIN_PATH, adminEndpoints } from '../../src/http/admin/endpoints.ts'
import type { OpenApiDocument } from '../../src/http/openapi.ts'
import { createLocalOperations } from '../../src/operations/localOperations.ts'
import type { OperationDeps } from '../../src/operations/deps.ts'
import type { Operations } from '../../src/operations/operations.ts'
import { DATA_PLANE_ENDPOINTS as DATA_PLANE } from '../../src/http/dataPlane/endpoints.ts'
import { type AdminWorld, createAdminWorld } from '../support/adminWorld.ts'
import {
  type EndpointFacts,
  endpointViolations,
  type OperationFacts,
  operationViolations,
  type ServedEndpoint,
} from './endpointRules.ts'

const root = join(import.meta.dir, '../..')
const DATA_PLANE_PATH = '/v1/'

/** Operations that no command calls, each with the reason. */
const WITHOUT_COMMAND: Readonly<Record<string, string>> = {}

let world: AdminWorld
beforeAll(async () => {
  world = await createAdminWorld()
})
afterAll(() => world.close())

async function endpointFacts(): Promise<EndpointFacts> {
  // The table is complete before anything is called.
  const admin = adminEndpoints({} as Operations).map(({ route }) => route)
  const document: OpenApiDocument = await world.ask('GET', '/openapi.json')
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      // What browsers ask first is answered for every path.
      .filter(([, { tags }]) => !tags.includes('Preflight'))
      .map(([method]) => ({ method, path })),
  )
  return {
    served: [...DATA_PLANE, ...admin].map(inCapitals),
    described: described
      .map(inCapitals)
      .filter(({ path }) => [DATA_PLANE_PATH, ADMIN_PATH].some((below) => path.startsWith(below))),
    pages: [
      { file: 'docs/api.md', below: DATA_PLANE_PATH, without: '' },
      { file: 'docs/admin-api.md', below: ADMIN_PATH, without: ADMIN_PATH },
    ]
      .filter(({ file }) => existsSync(join(root, file)))
      .map((page) => ({ ...page, text: readFileSync(join(root, page.file), 'utf8') })),
    journeys: await textOf('test/journey'),
  }
}

async function operationFacts(): Promise<OperationFacts> {
  return {
    operations: Object.keys(createLocalOperations({} as OperationDeps)),
    commands: await textOf('src/cli/commands'),
    withoutCommand: WITHOUT_COMMAND,
  }
}

const inCapitals = ({ method, path }: ServedEndpoint): ServedEndpoint => ({
  method: method.toUpperCase(),
  path,
})

async function textOf(folder: string): Promise<string> {
  const paths = await Array.fromAsync(new Glob('**/*.ts').scan(join(root, folder)))
  return (await Promise.all(paths.map((path) => Bun.file(join(root, folder, path)).text()))).join('\n')
}

describe('every endpoint', () => {
  test('of callers and operators is described, documented and tested', async () => {
    const facts = await endpointFacts()
    expect(facts.served.length).toBeGreaterThan(25)
    expect(endpointViolations(facts)).toEqual([])
  })

  test('of operators can be used from the command line', async () => {
    const facts = await operationFacts()
    expect(facts.operations.length).toBeGreaterThan(20)
    expect(operationViolations(facts)).toEqual([])
  })
})

describe('the rules catch a planted endpoint', () => {
  const whoami = { method: 'GET', path: '/v1/whoami' }
  const seal = { method: 'POST', path: `${ADMIN_PATH}/keys/{id}/seal` }
  const good: EndpointFacts = {
    served: [whoami, seal],
    described: [whoami, seal],
    pages: [
      { file: 'docs/api.md', below: '/v1/', without: '', text: '\n| `GET /v1/whoami` | Who |\n' },
      {
        file: 'docs/admin-api.md',
        below: ADMIN_PATH,
        without: ADMIN_PATH,
        text: '\n| `POST /keys/{id}/seal` | Seal |\n',
      },
    ],
    // oxlint-disable-next-line no-template-curly-in-string
    journeys: "test('GET /v1/whoami tells', …); admin('POST', `/keys/${key.id}/seal`)",
  }

  test('that is described, documented and tested: nothing', () => {
    expect(endpointViolations(good)).toEqual([])
  })

  const planted: readonly [what: string, change: Partial<EndpointFacts>, message: string][] = [
    ['without a description', { described: [seal] }, 'GET /v1/whoami has no description'],
    [
      'of callers that its page does not have',
      { pages: [{ file: 'docs/api.md', below: '/v1/', without: '', text: 'GET /v1/whoami' }] },
      'GET /v1/whoami is not in docs/api.md: add a table row that begins with | `GET /v1/whoami` |',
    ],
    [
      'of operators that its page has with another method only',
      {
        pages: [
          {
            file: 'docs/admin-api.md',
            below: ADMIN_PATH,
            without: ADMIN_PATH,
            text: '| `GET /keys/{id}/seal` |',
          },
        ],
      },
      `POST ${seal.path} is not in docs/admin-api.md: add a table row that begins with | \`POST /keys/{id}/seal\` |`,
    ],
    [
      'that no journey calls',
      { journeys: "request('POST', '/v1/whoami'); request('GET', '/v1/whoami/more')" },
      'GET /v1/whoami is called by no test',
    ],
    ['that is described and not served', { served: [seal] }, 'GET /v1/whoami is described, but not served'],
  ]
  test.each(planted)('%s', (_what, change, message) => {
    expect(endpointViolations({ ...good, ...change })).toContainEqual(expect.stringContaining(message))
  })
})

describe('the rules catch a planted operation', () => {
  const good: OperationFacts = {
    operations: ['seal', 'health'],
    commands: 'context.withOperations((operations) => operations.seal(id))',
    withoutCommand: { health: 'a matter of each process' },
  }
  test('that has a command, or a reason for having none: nothing', () => {
    expect(operationViolations(good)).toEqual([])
  })

  const planted: readonly [what: string, change: Partial<OperationFacts>, message: string][] = [
    ['without a command', { commands: 'operations.unseal(id)' }, 'the operation seal has no command'],
    [
      'that has both a command and an exception',
      { withoutCommand: { seal: 'x', health: 'y' } },
      'seal needs',
    ],
    ['that is excused and does not exist', { operations: ['seal'] }, 'health needs no exception'],
  ]
  test.each(planted)('%s', (_what, change, message) => {
    expect(operationViolations({ ...good, ...change })).toContainEqual(expect.stringContaining(message))
  })
})
