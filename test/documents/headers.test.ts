import { expect, test } from 'bun:test'
import { WIRE_FORMATS } from '../../src/wire/formats.ts'
import { MODEL, startWorld, standardConfig, standardModel } from '../support/world.ts'
import { codesIn, readPage, tableOf } from './page.ts'
import { findAll, sourceFiles } from './source.ts'

const PAGE = readPage('docs/api.md')
const READS_HEADERS = 'http/docs/address.ts'
/** What only describes headers. */
const DESCRIBES = ['http/docs/', 'http/openapi.ts', 'http/dataPlane/headers.ts', 'http/dataPlane/priced.ts']
const FILES = [...sourceFiles('http/**/*.ts'), ...sourceFiles('pipeline/**/*.ts')].filter(
  ({ path }) => path === READS_HEADERS || !DESCRIBES.some((start) => path.startsWith(start)),
)

/** Read by prefix (`FORWARDED_PREFIX`) or out of a list (`FORWARDED`, those of a native lane). */
const READ_BY_LIST = [
  'x-forwarded-*',
  'forwarded',
  'via',
  ...Object.values(WIRE_FORMATS).flatMap(({ native }) => native?.headers ?? []),
]
/** `deprecationHeaders` names them without quotes. */
const DEPRECATION = ['deprecation', 'sunset']
/** The runtime's own. */
const OF_THE_RUNTIME = ['date', 'content-length', 'transfer-encoding']

function documented(heading: string): Set<string> {
  return new Set(tableOf(PAGE, heading).flatMap(({ cells: [name = ''] }) => codesIn(name.toLowerCase())))
}

/** What one set has and the other has not. */
function missing(
  from: ReadonlySet<string>,
  names: Iterable<string>,
  sentence: (name: string) => string,
): string[] {
  return [...new Set(names)].filter((name) => !from.has(name)).map(sentence)
}

function lowered(names: Iterable<string>): Set<string> {
  return new Set(Array.from(names, (name) => name.toLowerCase()))
}

test('docs/api.md lists every request header that the gateway reads', () => {
  const table = documented('Request headers')
  const read = lowered([...findAll(FILES, /headers\??\.(?:get|has)\('([\w-]+)'\)/g), ...READ_BY_LIST])
  // These are looked at in responses.
  for (const name of ['content-type', 'cache-control', 'etag']) read.delete(name)
  expect([
    ...missing(table, read, (name) => `docs/api.md (Request headers): write: | \`${name}\` | … | … |`),
    ...missing(read, table, (name) => `docs/api.md (Request headers): nothing reads ${name}; delete its row`),
  ]).toEqual([])
})

test('docs/api.md lists every response header that the gateway sets', () => {
  const table = documented('Response headers')
  const set = lowered([
    ...findAll(FILES, /headers\['([\w-]+)'\] = /g),
    ...findAll(FILES, /headers\.(?:set|append)\('([\w-]+)'/g),
    ...findAll(FILES, /\.header\('([\w-]+)'/g),
    ...findAll(FILES, /idHeader: '([\w-]+)'/g),
    // In an object of headers; a schema describes one of a request.
    ...findAll(FILES, /(?<!case )'([A-Za-z]+(?:-[A-Za-z]+)+)':\s(?!z\.)/g),
    ...findAll(FILES, /\b(ETag|Allow|allow|upgrade|vary|Vary): /g),
    ...DEPRECATION,
    ...OF_THE_RUNTIME,
  ])
  expect([
    ...missing(table, set, (name) => `docs/api.md (Response headers): write: | \`${name}\` | … | … |`),
    ...missing(set, table, (name) => `docs/api.md (Response headers): nothing sets ${name}; delete its row`),
  ]).toEqual([])
})

test('every header of real responses is in docs/api.md', async () => {
  const table = documented('Response headers')
  await using world = await startWorld({
    config: (provider) => ({
      ...standardConfig(provider),
      server: { cors_origins: ['https://app.example.com'], admin_token: 'k7Qw9zT4mX2vB8nR5cJ1' },
      models: [standardModel({ deprecated: { at: '2026-01-01', sunset: '2030-01-01' } })],
    }),
  })
  const origin = { origin: 'https://app.example.com' }
  const key = { 'idempotency-key': 'order-1', ...origin }
  const responses = [
    await world.chat({ top_k: 4 }, key),
    await world.chat({ top_k: 4 }, key),
    await world.chat({ stream: true }),
    await world.chat({ n: 0 }),
    await world.chat({}, { 'content-encoding': 'br' }),
    await world.request('GET', `/v1/models/${MODEL}`),
    await world.request('DELETE', '/v1/models'),
    await world.request('OPTIONS', '/v1/models', undefined, origin),
    await world.request('OPTIONS', '/api/v1/public/models'),
    await world.request('DELETE', '/healthz'),
    ...(await Promise.all(
      [
        '/',
        '/docs',
        '/openapi.json',
        '/metrics',
        '/readyz',
        '/api/v1/public/models',
        '/api/v1/admin/keys',
      ].map((path) => world.request('GET', path, undefined, { 'accept-encoding': 'gzip' })),
    )),
  ]
  const names = responses.flatMap(({ headers }) => [...headers.keys()])
  await Promise.all(responses.map((response) => response.arrayBuffer()))
  expect(names).toContain('sunset')
  expect(names).toContain('idempotent-replayed')
  expect(
    missing(table, names, (name) => `docs/api.md (Response headers): a response has ${name}; write its row`),
  ).toEqual([])
})
