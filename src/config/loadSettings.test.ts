import { timeoutsInForce } from '../providers/timeouts.ts'
import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Model } from '../core/model.ts'
import { loadSettings } from './loadSettings.ts'
import { formatProblems } from './problem.ts'
import { ANY_MODEL, load, settingsOf, problemsOf, ACME } from '../../test/support/settings.ts'
import { WIRE_FORMAT_IDS } from '../wire/formats.ts'

const DESIGN = `
server:   { host: 127.0.0.1, port: 4100, admin_token: \${TOLLGATE_ADMIN_TOKEN} }
database: sqlite:./data/tollgate.db          # or postgres://user@host/db
providers:
  acme:
    wire: openai-chat
    base_url: http://127.0.0.1:9000/v1
    api_key: \${ACME_API_KEY}
    timeouts: { connect: 5s, first_event: 60s, idle: 60s }
models:
  - id: acme/chat-1
    display_name: Acme Chat 1
    owned_by: acme
    category: chat
    context_length: 128000
    max_output_tokens: 8192
    capabilities: [streaming, function_calling]
    our_price:      { input: 0.50, output: 1.50, cached_input: 0.25 }
    official_price: { input: 1.00, output: 3.00, source: acme }   # or \`auto\`
    targets:
      - { provider: acme, model: upstream-chat-1 }
    aliases: [acme/chat]
`

test('a full configuration comes out as it was meant', () => {
  const settings = settingsOf(DESIGN, {
    env: { TOLLGATE_ADMIN_TOKEN: 'a'.repeat(32), ACME_API_KEY: 'secret' },
  })
  expect(settings).toMatchObject({
    server: { host: '127.0.0.1', port: 4100, adminToken: 'a'.repeat(32), corsOrigins: [], drainMs: 300_000 },
    database: { engine: 'sqlite', path: './data/tollgate.db', durability: 'default' },
    log: { level: 'info', prompts: false },
    holds: 'needed',
    responses: { keepMs: 24 * 3_600_000 },
  })
  expect(settings.server.maxBodyBytes).toBe(32 * 1024 * 1024)
  expect(settings.providers.get('acme')).toEqual({
    name: 'acme',
    provider: {
      id: 'acme',
      displayName: 'acme',
      wire: 'openai-chat',
      baseUrl: 'http://127.0.0.1:9000/v1',
      auth: { kind: 'bearer' },
      quirks: {},
    },
    credentials: [{ kind: 'key', name: 'acme#1', key: 'secret' }],
    timeouts: timeoutsInForce({ connectMs: 5_000, firstEventMs: 60_000, idleMs: 60_000 }),
  })
  expect(settings.models).toEqual([
    {
      id: 'acme/chat-1',
      displayName: 'Acme Chat 1',
      ownedBy: 'acme',
      category: 'chat',
      created: 0,
      contextLength: 128_000,
      maxOutputTokens: 8_192,
      assumedOutputTokens: 512,
      assumedTokensPerSecond: 60,
      imageTokens: 16_384,
      capabilities: ['streaming', 'function_calling'],
      prices: [{ input: 500_000_000n, output: 1_500_000_000n, cachedInput: 250_000_000n }],
      officialPrice: { input: 1_000_000_000n, output: 3_000_000_000n, source: 'acme' },
      targets: [{ provider: 'acme', upstreamModel: 'upstream-chat-1', facts: {}, weight: 1, priority: 0 }],
      strategy: 'priority',
      aliases: ['acme/chat'],
      unsupportedFields: [],
    },
  ] as unknown as Model[])
})

test('every mistake is named at once, with file, line, column and path', () => {
  const yaml = `server: { port: 41x0, hots: 0.0.0.0 }
providers:
  openia: { api_key: k }
  acme: { wire: openai-chatt, base_url: http://127.0.0.1 }
models:
  - id: acme/chat
    contxt_length: 5
    our_price: { input: -1, output: 1 }
    targets: [{ provider: acne, model: up }]
  - id: acme/chat
    context_length: 1000
`
  const listed = `${WIRE_FORMAT_IDS.slice(0, -1).join(', ')} or ${WIRE_FORMAT_IDS.at(-1)}`
  expect(problemsOf(yaml)).toEqual([
    'tollgate.yaml:1:17 server.port must be a whole number from 0 to 65535, not "41x0"',
    'tollgate.yaml:1:23 server.hots is not a setting (did you mean "host"?)',
    'tollgate.yaml:3:3 providers.openia is not a known provider (did you mean "openai"?): it needs wire and base_url',
    `tollgate.yaml:4:17 providers.acme.wire must be ${listed}, not "openai-chatt" (did you mean "openai-chat"?)`,
    'tollgate.yaml:6:5 models[0].max_output_tokens is missing',
    'tollgate.yaml:7:5 models[0].contxt_length is not a setting (did you mean "context_length"?)',
    'tollgate.yaml:8:25 models[0].our_price.input must be a price in US dollars per 1M tokens (not negative, at most 9 decimals), not "-1"',
    'tollgate.yaml:9:27 models[0].targets[0].provider is not a provider of this file: "acne" (did you mean "acme"?)',
    'tollgate.yaml:10:9 models[1].id is not a known model: "acme/chat"; one of your own needs targets, our_price and max_output_tokens',
    'tollgate.yaml:10:9 models[1].id is taken: a model before has the id "acme/chat"',
  ])
})

test('a file that was named must exist; the default one need not', () => {
  const missing = ['other.yaml does not exist']
  expect(problemsOf(undefined, { path: 'other.yaml' })).toEqual(missing)
  expect(problemsOf(undefined, { flags: { config: 'other.yaml' } })).toEqual(missing)
  expect(problemsOf(undefined, { env: { TOLLGATE_CONFIG: 'other.yaml' } })).toEqual(missing)
  expect(problemsOf(undefined)).toEqual([])
  const unreadable = loadSettings({
    flags: {},
    env: {},
    readFile: () => {
      throw new Error('EACCES')
    },
  })
  expect(unreadable.ok || formatProblems(unreadable.problems)).toBe('tollgate.yaml cannot be read: EACCES')
})

test('the flag outranks the variable and the variable the file', () => {
  const yaml = `server: { host: file, port: 1, admin_token: file-token-0123456789 }\ndatabase: sqlite:file.db\n${ANY_MODEL}\n`
  const env = {
    TOLLGATE_HOST: 'variable',
    TOLLGATE_PORT: '2',
    TOLLGATE_DATABASE_URL: 'sqlite:variable.db',
    TOLLGATE_ADMIN_TOKEN: 'variable-token-0123456789',
  }
  const flags = {
    host: 'flag',
    port: '3',
    databaseUrl: 'postgres://user@host/db',
    adminToken: 'fl4g-t0ken-9f83c1',
  }
  expect(settingsOf(yaml)).toMatchObject({
    server: { host: 'file', port: 1, adminToken: 'file-token-0123456789' },
  })
  expect(settingsOf(yaml, { env })).toMatchObject({
    server: { host: 'variable', port: 2, adminToken: 'variable-token-0123456789' },
    database: { engine: 'sqlite', path: 'variable.db' },
  })
  expect(settingsOf(yaml, { env, flags })).toMatchObject({
    server: { host: 'flag', port: 3, adminToken: 'fl4g-t0ken-9f83c1' },
    database: { engine: 'postgres', url: 'postgres://user@host/db?sslmode=require' },
  })
  expect(settingsOf(yaml, { env: { TOLLGATE_PORT: '' } }).server.port).toBe(1)
})

test('a wrong flag or variable is blamed by its name', () => {
  expect(problemsOf(ANY_MODEL, { flags: { port: '99999' } })).toEqual([
    '--port must be a whole number from 0 to 65535, not "99999"',
  ])
  expect(problemsOf(ANY_MODEL, { env: { TOLLGATE_DATABASE_URL: 'mysql://root:pw@db' } })).toEqual([
    'TOLLGATE_DATABASE_URL must begin with sqlite: or postgres://',
  ])
})

test('references to the environment are replaced in values, with defaults, in flow and block style', () => {
  const yaml = `
server: { host: \${HOST:-0.0.0.0}, port: \${PORT}, cors_origins: [ "https://\${DOMAIN}" ] }
database: \${DB:-sqlite:./a b.db}
${ANY_MODEL}
`
  const settings = settingsOf(yaml, { env: { PORT: '81', DOMAIN: 'example.com' } })
  expect(settings.server).toMatchObject({ host: '0.0.0.0', port: 81, corsOrigins: ['https://example.com'] })
  expect(settings.database).toEqual({ engine: 'sqlite', path: './a b.db', durability: 'default' })
})

test('a missing variable is a mistake where it is used, and $${NAME} is no reference', () => {
  expect(problemsOf(`server: { admin_token: \${NOPE} }\n${ANY_MODEL}`)).toEqual([
    'tollgate.yaml:1:24 server.admin_token needs the environment variable NOPE, which is not set',
  ])
  expect(settingsOf(`server: { host: $\${NOPE}-1 }\n${ANY_MODEL}`).server.host).toBe('${NOPE}-1')
})

test('answers of Responses are kept for up to 30 days, or not at all', () => {
  const keptFor = (keep: string) => settingsOf(`responses: { keep: ${keep} }\n${ANY_MODEL}`).responses.keepMs
  expect(['0', '0h', '90s', '1.5h', '720h'].map(keptFor)).toEqual([0, 0, 90_000, 5_400_000, 30 * 86_400_000])
  for (const keep of ['720.1h', '-1h', '24', 'never', '[]'])
    expect(problemsOf(`responses: { keep: ${keep} }\n${ANY_MODEL}`)[0]).toContain(
      'responses.keep must be 0, or a duration of at most 720h such as 24h',
    )
})

test('no message holds a secret that came from the environment', () => {
  const env = { SECRET: 'hunter2-hunter2' }
  const problems = problemsOf(
    `server: { port: \${SECRET}, drain: "\${SECRET}" }
providers:
  a: { wire: "\${SECRET}", base_url: "\${SECRET}", api_key: k }
  b: { like: "\${SECRET}" }
database: \${SECRET}
models:
  - { id: "x\${SECRET}", our_price: { input: "\${SECRET}", output: 1 }, targets: [{ provider: "\${SECRET}", model: m }], retired: { at: 2030-01-01, successor: "\${SECRET}" } }
  - { id: "x\${SECRET}" }
`,
    { env },
  )
  expect(problems.length).toBeGreaterThan(8)
  expect(problems.join('\n')).not.toContain('hunter2')
  expect(problems.join('\n')).toContain('${SECRET}')
})

test('origins are checked, and the star is refused', () => {
  const origins = (list: string) => problemsOf(`server: { cors_origins: [${list}] }\n${ANY_MODEL}`)
  expect(origins('"https://app.example.com", "http://localhost:3000"')).toEqual([])
  expect(origins('"*"')[0]).toContain('server.cors_origins[0] must name its origins')
  expect(origins('"https://app.example.com/"')[0]).toContain('must be an origin such as')
})

test('sizes and durations take units', () => {
  const { server } = settingsOf(`server: { max_body_bytes: 1.5MiB, drain: 1.5m }\n${ANY_MODEL}`)
  expect(server.bodiesInFlight).toEqual({
    process: 12 * 2 ** 20,
    workspace: 6 * 2 ** 20,
    key: 3 * 2 ** 20,
  })
  expect([server.maxBodyBytes, server.drainMs]).toEqual([1.5 * 2 ** 20, 90_000])
  expect(problemsOf(`server: { max_body_bytes: 10Mb }\n${ANY_MODEL}`)[0]).toContain(
    'must be a size such as 10MiB',
  )
  expect(problemsOf(`server: { drain: 0s }\n${ANY_MODEL}`)[0]).toContain('must be a duration such as')
})

test('bodies in flight must leave room for the largest one', () => {
  const inFlight = (text: string) =>
    `server: { max_body_bytes: 1MiB, bodies_in_flight: ${text} }\n${ANY_MODEL}`
  expect(settingsOf(inFlight('{ process: 3MiB, key: 2MiB }')).server.bodiesInFlight).toEqual({
    process: 3 * 2 ** 20,
    workspace: 2 * 2 ** 20,
    key: 2 * 2 ** 20,
  })
  expect(settingsOf(inFlight('{ process: 9MiB, workspace: 3MiB }')).server.bodiesInFlight).toEqual({
    process: 9 * 2 ** 20,
    workspace: 3 * 2 ** 20,
    key: 2 * 2 ** 20,
  })
  expect(settingsOf(inFlight('{ process: 2MiB }')).server.bodiesInFlight.key).toBe(2 * 2 ** 20)
  expect(problemsOf(inFlight('{ key: 2000KiB }'))[0]).toContain(
    'server.bodies_in_flight.key must be at least 2097152 bytes',
  )
  expect(problemsOf(inFlight('{ workspace: 2000KiB }'))[0]).toContain(
    'server.bodies_in_flight.workspace must be at least 2097152 bytes',
  )
})

test('a database may be a mapping with a durability', () => {
  const database = (text: string) => settingsOf(`database: ${text}\n${ANY_MODEL}`).database
  expect(database('{ url: sqlite:a.db, durability: strict }')).toEqual({
    engine: 'sqlite',
    path: 'a.db',
    durability: 'strict',
  })
  const postgres = { engine: 'postgres' as const, url: 'postgres://u@h/d?sslmode=require', connections: 9 }
  expect(database('postgres://u@h/d')).toEqual(postgres)
  expect(database('postgresql://u@h/d')).toEqual(postgres)
  expect(problemsOf(`database: "sqlite:"\n${ANY_MODEL}`)[0]).toContain('database must name a file')
})

test('a database server on another machine must offer TLS, unless its URL says otherwise', () => {
  for (const [url, inForce] of [
    ['postgres://u@db.example/d', 'postgres://u@db.example/d?sslmode=require'],
    [
      'postgres://u@10.0.0.7:6432/d?prepare=false',
      'postgres://u@10.0.0.7:6432/d?prepare=false&sslmode=require',
    ],
    ['postgres://u@db/d?sslmode=disable', 'postgres://u@db/d?sslmode=disable'],
    ['postgres://u@127.0.0.1/d', 'postgres://u@127.0.0.1/d?sslmode=prefer'],
    ['postgres://u@[::1]/d', 'postgres://u@[::1]/d?sslmode=prefer'],
    ['postgres://u@localhost/d', 'postgres://u@localhost/d?sslmode=prefer'],
    ['postgres://u@%2Frun%2Fpostgresql/d', 'postgres://u@%2Frun%2Fpostgresql/d'],
    ['postgres://u@localhost/d?host=/run/postgresql', 'postgres://u@localhost/d?host=/run/postgresql'],
  ] as const) {
    expect(settingsOf(`database: "${url}"\n${ANY_MODEL}`).database).toMatchObject({ url: inForce })
  }
})

test('a database server may be given fewer or more connections, a file none', () => {
  const yaml = (text: string) => `database: ${text}\n${ANY_MODEL}`
  const connected = (connections: string) => yaml(`{ url: "postgres://u@h/d", connections: ${connections} }`)
  for (const count of [5, 100]) {
    expect(settingsOf(connected(String(count))).database).toMatchObject({ connections: count })
  }
  for (const wrong of ['4', '101', '7.5', 'many']) {
    expect(problemsOf(connected(wrong))[0]).toContain(
      'database.connections must be a whole number from 5 to 100',
    )
  }
  expect(problemsOf(yaml('{ url: sqlite:a.db, connections: 10 }'))[0]).toContain(
    'takes `connections` with Postgres only',
  )
  // As a flag names it, the file's own connections hold for a server and not for a file.
  const flagged = (databaseUrl: string) => settingsOf(connected('20'), { flags: { databaseUrl } }).database
  expect(flagged('postgres://u@elsewhere/d')).toMatchObject({ connections: 20 })
  expect(flagged('sqlite:a.db')).toEqual({ engine: 'sqlite', path: 'a.db', durability: 'default' })
})

test('without a file the demo is served, and every known provider whose key is in the environment', () => {
  const bare = settingsOf(undefined)
  expect([...bare.providers.keys()]).toEqual(['demo'])
  expect(bare.models.map(({ id }) => id)).toEqual(['demo/chat'])
  const keyed = settingsOf(undefined, {
    env: { ANTHROPIC_API_KEY: 'k', GROQ_API_KEY: 'k', AZURE_OPENAI_API_KEY: 'k' },
  })
  expect([...keyed.providers.keys()].toSorted()).toEqual(['anthropic', 'demo', 'groq'])
  expect(keyed.models.some(({ id }) => id === 'anthropic/claude-sonnet-5')).toBe(true)
  expect(keyed.models.every((model) => model.targets.length === 1)).toBe(true)
  expect(keyed.server).toMatchObject({ host: '127.0.0.1', port: 4100, adminToken: undefined })
})

test('a file that is empty, or names no model, is a mistake that says what to add', () => {
  for (const empty of ['', '\n', '# later\n', '---\n', '~', '   ']) {
    expect(problemsOf(empty)).toEqual([
      'tollgate.yaml is empty: a configuration needs at least `providers` and `models`; start from tollgate.example.yaml',
    ])
  }
  const missing =
    'models is missing: list the models to serve, such as `models: [openai/gpt-5-mini]`, or write `models: all` for every known model of the providers'
  for (const cut of [ACME, 'providers: { demo: {} }', 'server: { port: 4100 }', `${ACME}models:\n`]) {
    expect(problemsOf(cut).join()).toContain(missing)
  }
  expect(problemsOf(`${ACME}models: []`)[0]).toContain('models is empty: list the models to serve')
  expect(problemsOf(`${ACME}models: all`)[0]).toContain(
    'models serves nothing: these providers have no known models',
  )
})

test('anchors, merge keys and aliases of YAML work, and a self-reference ends', () => {
  const yaml = `${ACME}
models:
  - &base
    id: acme/a
    context_length: 1000
    max_output_tokens: 100
    our_price: { input: 1, output: 2 }
    targets: &places [{ provider: acme, model: up }]
  - { <<: *base, id: acme/b, targets: *places }
`
  expect(settingsOf(yaml).models.map(({ id, contextLength }) => [id, contextLength])).toEqual([
    ['acme/a', 1000],
    ['acme/b', 1000],
  ])
  expect(problemsOf('models: &m [*m]\n').length).toBeGreaterThan(0)
})

test('whatever a part of the file is, it is a problem and no crash', () => {
  for (const yaml of [
    '',
    '[]',
    'x',
    'models: x',
    'providers: []',
    'server: 5',
    'models: [[]]',
    'models: [~]',
    'database: []',
    'log: x',
    'holds: some',
    'responses: x',
    'providers: { a: [] }',
    '? [a]\n: b',
  ])
    expect(() => load(yaml)).not.toThrow()
  expect(problemsOf('providers: []\nmodels: x\nserver: 5\n').length).toBe(3)
})

test('no text whatever makes loading throw', () => {
  const scrap = fc.constantFrom(
    'models',
    'providers',
    'id',
    ':',
    ' ',
    '\n',
    '  - ',
    '{',
    '}',
    '[',
    ']',
    '${',
    '}',
    'x',
    '"',
    '&a',
    '*a',
    '<<',
    '1',
  )
  fc.assert(
    fc.property(fc.array(fc.oneof(scrap, fc.string({ maxLength: 5 })), { maxLength: 30 }), (parts) => {
      const result = load(parts.join(''))
      expect(result.ok || result.problems.length > 0).toBe(true)
    }),
    { numRuns: 300 },
  )
})
