import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Model } from '../core/model.ts'
import { formatUsd } from '../core/money.ts'
import { loadSettings, type LoadInput } from './loadSettings.ts'
import { formatProblems } from './problem.ts'
import type { Settings } from './settings.ts'

const NOW = Date.parse('2026-11-20T12:00:00Z')

interface Given extends Partial<Pick<LoadInput, 'env' | 'flags' | 'path'>> {
  readonly files?: Record<string, string>
}

function load(yaml: string | undefined, { files = {}, env = {}, flags = {}, ...rest }: Given = {}) {
  const all: Record<string, string> = { ...files, ...(yaml === undefined ? {} : { 'tollgate.yaml': yaml }) }
  return loadSettings({ env, flags, now: NOW, readFile: (path) => all[path], ...rest })
}

function settingsOf(yaml: string | undefined, given?: Given): Settings {
  const result = load(yaml, given)
  if (!result.ok) throw new Error(formatProblems(result.problems))
  return result.settings
}

/** Every mistake as people read it. */
function problemsOf(yaml: string | undefined, given?: Given): string[] {
  const result = load(yaml, given)
  return result.ok ? [] : formatProblems(result.problems).split('\n')
}

function modelOf(yaml: string, given?: Given): Model {
  const model = settingsOf(yaml, given).models[0]
  if (!model) throw new Error('no model')
  return model
}

const ACME = `
providers:
  acme: { wire: openai-chat, base_url: http://127.0.0.1:9000/v1, api_key: k }
`
/** A file with one model that holds all it must, and more lines for it. */
function withModel(...lines: string[]): string {
  const own = ['context_length: 1000', 'max_output_tokens: 100', 'our_price: { input: 1, output: 2 }'].filter(
    (line) => !lines.some((other) => other.split(':')[0] === line.split(':')[0]),
  )
  return `${ACME}
models:
  - id: acme/chat
    targets: [{ provider: acme, model: up }]
${[...own, ...lines].map((line) => `    ${line}\n`).join('')}`
}

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
    server: { host: '127.0.0.1', port: 4100, adminToken: 'a'.repeat(32), corsOrigins: [], drainMs: 30_000 },
    database: { engine: 'sqlite', path: './data/tollgate.db', durability: 'default' },
    log: { level: 'info', prompts: false },
    demo: false,
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
    timeouts: { connectMs: 5_000, firstEventMs: 60_000, idleMs: 60_000 },
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
      capabilities: ['streaming', 'function_calling'],
      prices: [{ input: 500_000_000n, output: 1_500_000_000n, cachedInput: 250_000_000n }],
      officialPrice: { input: 1_000_000_000n, output: 3_000_000_000n, source: 'acme' },
      targets: [{ provider: 'acme', upstreamModel: 'upstream-chat-1', weight: 1, priority: 0 }],
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
  expect(problemsOf(yaml)).toEqual([
    'tollgate.yaml:1:17 server.port must be a whole number from 0 to 65535, not "41x0"',
    'tollgate.yaml:1:23 server.hots is not a setting (did you mean "host"?)',
    'tollgate.yaml:3:3 providers.openia is no known provider (did you mean "openai"?): it needs wire and base_url',
    'tollgate.yaml:4:17 providers.acme.wire must be openai-chat, anthropic-messages, google-generate, bedrock-converse, mistral-chat or cohere-chat, not "openai-chatt" (did you mean "openai-chat"?)',
    'tollgate.yaml:7:5 models[0].contxt_length is not a setting (did you mean "context_length"?)',
    'tollgate.yaml:8:25 models[0].our_price.input must be a price in US dollars per 1M tokens (not negative, at most 9 decimals), not "-1"',
    'tollgate.yaml:10:5 models[1].targets is missing',
    'tollgate.yaml:10:5 models[1].our_price is missing',
    'tollgate.yaml:10:5 models[1].max_output_tokens is missing',
    'tollgate.yaml:10:9 models[1].id is taken: a model before has the id "acme/chat"',
  ])
})

test('a target must name a provider of the file', () => {
  const yaml = withModel().replace('provider: acme', 'provider: acne')
  expect(problemsOf(yaml)).toEqual([
    'tollgate.yaml:7:27 models[0].targets[0].provider names no provider of this file: "acne" (did you mean "acme"?)',
  ])
})

test('broken YAML is named with its place', () => {
  const [problem] = problemsOf('server: { port: 1\nmodels: []\n')
  expect(problem).toMatch(/^tollgate\.yaml:2:\d+ /)
  expect(problemsOf('server: { port: 1 }\nserver: { port: 2 }\n')[0]).toMatch(/^tollgate\.yaml:2:1 .*unique/)
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
  const yaml =
    'server: { host: file, port: 1, admin_token: file-token-0123456789 }\ndatabase: sqlite:file.db\nmodels: []\n'
  const env = {
    TOLLGATE_HOST: 'variable',
    TOLLGATE_PORT: '2',
    TOLLGATE_DATABASE_URL: 'sqlite:variable.db',
    TOLLGATE_ADMIN_TOKEN: 'variable-token-0123456789',
  }
  const flags = { host: 'flag', port: '3', databaseUrl: 'postgres://user@host/db', adminToken: 'flag-token' }
  expect(settingsOf(yaml)).toMatchObject({
    server: { host: 'file', port: 1, adminToken: 'file-token-0123456789' },
  })
  expect(settingsOf(yaml, { env })).toMatchObject({
    server: { host: 'variable', port: 2, adminToken: 'variable-token-0123456789' },
    database: { engine: 'sqlite', path: 'variable.db' },
  })
  expect(settingsOf(yaml, { env, flags })).toMatchObject({
    server: { host: 'flag', port: 3, adminToken: 'flag-token' },
    database: { engine: 'postgres', url: 'postgres://user@host/db' },
  })
  expect(settingsOf(yaml, { env: { TOLLGATE_PORT: '' } }).server.port).toBe(1)
})

test('a wrong flag or variable is blamed by its name', () => {
  expect(problemsOf('models: []', { flags: { port: '99999' } })).toEqual([
    '--port must be a whole number from 0 to 65535, not "99999"',
  ])
  expect(problemsOf('models: []', { env: { TOLLGATE_DATABASE_URL: 'mysql://root:pw@db' } })).toEqual([
    'TOLLGATE_DATABASE_URL must begin with sqlite: or postgres://',
  ])
})

test('references to the environment are replaced in values, with defaults, in flow and block style', () => {
  const yaml = `
server: { host: \${HOST:-0.0.0.0}, port: \${PORT}, cors_origins: [ "https://\${DOMAIN}" ] }
database: \${DB:-sqlite:./a b.db}
models: []
`
  const settings = settingsOf(yaml, { env: { PORT: '81', DOMAIN: 'example.com' } })
  expect(settings.server).toMatchObject({ host: '0.0.0.0', port: 81, corsOrigins: ['https://example.com'] })
  expect(settings.database).toEqual({ engine: 'sqlite', path: './a b.db', durability: 'default' })
})

test('a missing variable is a mistake where it is used, and $${NAME} is no reference', () => {
  expect(problemsOf('server: { admin_token: ${NOPE} }\nmodels: []')).toEqual([
    'tollgate.yaml:1:24 server.admin_token needs the environment variable NOPE, which is not set',
  ])
  expect(settingsOf('server: { admin_token: $${NOPE}-0123456789 }\nmodels: []').server.adminToken).toBe(
    '${NOPE}-0123456789',
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

test('a known provider needs a key alone, and takes it from its usual variable', () => {
  const written = settingsOf('providers: { openai: { api_key: k } }\nmodels: [openai/gpt-5]')
  expect(written.providers.get('openai')).toMatchObject({
    provider: {
      id: 'openai',
      wire: 'openai-chat',
      baseUrl: 'https://api.openai.com/v1',
      auth: { kind: 'bearer' },
    },
    credentials: [{ kind: 'key', name: 'openai#1', key: 'k' }],
    timeouts: { connectMs: 5_000, firstEventMs: 60_000, idleMs: 60_000 },
  })
  const inherited = settingsOf('providers: { openai: }\nmodels: [gpt-5]', { env: { OPENAI_API_KEY: 'e' } })
  expect(inherited.providers.get('openai')?.credentials).toEqual([
    { kind: 'key', name: 'openai#1', key: 'e' },
  ])
  expect(problemsOf('providers: { openai: {} }\nmodels: [gpt-5]')).toEqual([
    'tollgate.yaml:1:14 providers.openai.api_key is missing, and OPENAI_API_KEY is not set',
  ])
})

test('a provider may have several keys, a name of its own and the quirks of a row', () => {
  const provider = settingsOf(`
providers:
  groq-eu:
    like: groq
    base_url: https://eu.example.com/v1/
    api_keys: [a, b]
    headers: { X-Team: blue }
    api_version: "1"
    quirks: { supports_n: true, max_tokens_field: max_tokens, minimum_temperature: 0.1 }
models: []
`).providers.get('groq-eu')
  expect(provider).toMatchObject({
    name: 'groq-eu',
    provider: {
      id: 'groq',
      baseUrl: 'https://eu.example.com/v1',
      quirks: {
        supportsN: true,
        maxTokensField: 'max_tokens',
        minimumTemperature: 0.1,
        dropMessageFields: ['name'],
      },
    },
    credentials: [{ name: 'groq-eu#1' }, { name: 'groq-eu#2' }],
    headers: { 'x-team': 'blue' },
    query: { 'api-version': '1' },
  })
})

test('authentication follows the wire format, and can be said', () => {
  const auth = (more: string) =>
    settingsOf(`providers: { p: { base_url: https://x.example/v1, ${more} } }\nmodels: []`).providers.get('p')
      ?.provider.auth
  expect(auth('wire: anthropic-messages, api_key: k')).toEqual({ kind: 'header', name: 'x-api-key' })
  expect(auth('wire: google-generate, api_key: k')).toEqual({ kind: 'header', name: 'x-goog-api-key' })
  expect(auth('wire: openai-chat, api_key: k')).toEqual({ kind: 'bearer' })
  expect(auth('wire: openai-chat')).toEqual({ kind: 'none' })
  expect(auth('wire: openai-chat, api_key: k, auth: { header: Api-Key }')).toEqual({
    kind: 'header',
    name: 'api-key',
  })
  expect(auth('wire: anthropic-messages, api_key: k, auth: bearer')).toEqual({ kind: 'bearer' })
  expect(auth('wire: anthropic-messages, auth: none')).toEqual({ kind: 'none' })
})

test('addresses with places to fill name what they miss', () => {
  expect(problemsOf('providers: { azure: { api_key: k } }\nmodels: []')).toEqual([
    'tollgate.yaml:1:14 providers.azure.resource is missing: the address https://{resource}.openai.azure.com/openai/v1 needs it',
  ])
  const baseUrl = (provider: string, given?: Given) =>
    [...settingsOf(`providers: { ${provider} }\nmodels: []`, given).providers.values()][0]?.provider.baseUrl
  expect(baseUrl('azure: { api_key: k, resource: acme-eu }')).toBe(
    'https://acme-eu.openai.azure.com/openai/v1',
  )
  expect(baseUrl('bedrock: { api_key: k, region: eu-central-1 }')).toBe(
    'https://bedrock-runtime.eu-central-1.amazonaws.com',
  )
  const files = { 'sa.json': JSON.stringify({ client_email: 'a@b', private_key: 'pem' }) }
  const vertex = (location: string) =>
    baseUrl(`vertex: { project: p1, location: ${location}, service_account: sa.json }`, { files })
  expect(vertex('europe-west4')).toBe(
    'https://europe-west4-aiplatform.googleapis.com/v1/projects/p1/locations/europe-west4/publishers/google',
  )
  expect(vertex('global')).toBe(
    'https://aiplatform.googleapis.com/v1/projects/p1/locations/global/publishers/google',
  )
})

test('clouds take their own kinds of credentials, from the file or the environment', () => {
  const credentials = (provider: string, given?: Given) =>
    [...settingsOf(`providers: { ${provider} }\nmodels: []`, given).providers.values()][0]?.credentials
  const aws = {
    kind: 'aws',
    name: 'bedrock#1',
    accessKeyId: 'id',
    secretAccessKey: 'secret',
    region: 'us-east-1',
  } as const
  expect(
    credentials('bedrock: { region: us-east-1, aws: { access_key_id: id, secret_access_key: secret } }'),
  ).toEqual([aws])
  const env = {
    AWS_ACCESS_KEY_ID: 'id',
    AWS_SECRET_ACCESS_KEY: 'secret',
    AWS_SESSION_TOKEN: 'token',
    AWS_REGION: 'us-east-1',
  }
  expect(credentials('bedrock: {}', { env })).toEqual([{ ...aws, sessionToken: 'token' }])
  expect(
    credentials('bedrock: {}', { env: { AWS_BEARER_TOKEN_BEDROCK: 'b', AWS_REGION: 'eu-west-1' } }),
  ).toEqual([{ kind: 'key', name: 'bedrock#1', key: 'b' }])
  const account = JSON.stringify({ client_email: 'a@b', private_key: 'pem' })
  expect(
    credentials('vertex: { project: p, location: l }', {
      env: { GOOGLE_APPLICATION_CREDENTIALS: 'sa.json' },
      files: { 'sa.json': account },
    }),
  ).toEqual([{ kind: 'google-service-account', name: 'vertex#1', clientEmail: 'a@b', privateKey: 'pem' }])
  expect(
    problemsOf('providers: { vertex: { project: p, location: l, service_account: no.json } }\nmodels: []'),
  ).toEqual(['tollgate.yaml:1:66 providers.vertex.service_account names a file that does not exist'])
})

test('an address must be a plain URL, and a key over http draws a warning', () => {
  for (const url of [
    'ftp://x.example',
    'x.example/v1',
    'https://u:p@x.example',
    'https://x.example/v1?key=1',
  ])
    expect(
      problemsOf(`providers: { p: { wire: openai-chat, base_url: '${url}' } }\nmodels: []`)[0],
    ).toContain('must be an http or https URL')
  const result = load(
    'providers: { p: { wire: openai-chat, base_url: http://x.example/v1, api_key: k } }\nmodels: [demo/chat]',
  )
  expect(
    problemsOf('providers: { p: { wire: openai-chat, base_url: http://x.example/v1, api_key: k } }'),
  ).toEqual([])
  expect(result.ok).toBe(false)
  const warned = load(
    'providers: { p: { wire: openai-chat, base_url: http://x.example/v1, api_key: k } }\nmodels: []',
  )
  expect(warned.ok && formatProblems(warned.warnings)).toContain('sends the key unencrypted')
})

test('a known model needs its id alone and costs its official price', () => {
  const model = modelOf('providers: { openai: { api_key: k } }\nmodels: [{ id: openai/gpt-5 }]')
  expect(model).toMatchObject({
    id: 'openai/gpt-5',
    displayName: 'GPT-5',
    ownedBy: 'openai',
    contextLength: 400_000,
    maxOutputTokens: 128_000,
    aliases: ['gpt-5'],
    targets: [{ provider: 'openai', upstreamModel: 'gpt-5', weight: 1, priority: 0 }],
    officialPrice: { input: 1_250_000_000n, output: 10_000_000_000n, source: 'openai' },
  })
  expect(model.prices).toEqual([
    { input: 1_250_000_000n, output: 10_000_000_000n, cachedInput: 125_000_000n },
  ] as unknown as Model['prices'])
  expect(model.unsupportedFields).toContain('temperature')
})

test('a known model under its bare name keeps that name and answers to the full one', () => {
  const model = modelOf('providers: { openai: { api_key: k } }\nmodels: [gpt-5]')
  expect(model).toMatchObject({ id: 'gpt-5', ownedBy: 'openai', aliases: ['openai/gpt-5'] })
})

test('a known model whose provider is not there names it', () => {
  expect(problemsOf('models: [openai/gpt-5]')).toEqual([
    'tollgate.yaml:1:10 models[0].id is served by "openai", which is not among the providers',
  ])
})

test("a model of one's own name for a known target needs no further words", () => {
  const model = modelOf(`
providers: { openai: { api_key: k } }
models: [{ id: house/best, targets: [{ provider: openai, model: gpt-5 }], official_price: auto }]
`)
  expect(model).toMatchObject({ id: 'house/best', ownedBy: 'house', contextLength: 400_000, aliases: [] })
  expect(model.officialPrice?.source).toBe('openai')
  expect(model.targets[0]?.cost).toEqual({ input: 1_250_000_000n, output: 10_000_000_000n } as never)
})

test('without a list of models every known model of the providers is served', () => {
  const { models } = settingsOf('providers: { cohere: { api_key: k }, mistral: { api_key: k } }')
  expect(models.length).toBeGreaterThan(4)
  expect(new Set(models.map(({ ownedBy }) => ownedBy))).toEqual(new Set(['cohere', 'mistral']))
})

test('prices are read from their digits, never from a float', () => {
  const price = (digits: string) =>
    formatUsd(modelOf(withModel(`our_price: { input: ${digits}, output: 1 }`)).prices[0].input)
  expect(price('0.1')).toBe('0.10')
  expect(price('0.000000001')).toBe('0.000000001')
  expect(price('1234567.123456789')).toBe('1234567.123456789')
  expect(price('.5')).toBe('0.50')
  expect(price('1e-3')).toBe('0.001')
  expect(price('"2.50"')).toBe('2.50')
  expect(price('0')).toBe('0.00')
  for (const digits of [
    '-1',
    '1,5',
    '0x10',
    '1_000',
    '0.0000000001',
    'NaN',
    '.inf',
    '1e99',
    '$1',
    '9999999999.1',
  ])
    expect(problemsOf(withModel(`our_price: { input: ${JSON.stringify(digits)}, output: 1 }`))[0]).toContain(
      'models[0].our_price.input must be a price',
    )
})

test('a markup or a discount is reckoned from the official price, exactly and in every class', () => {
  const priced = (ours: string) =>
    modelOf(`providers: { openai: { api_key: k } }\nmodels: [{ id: gpt-5.4, our_price: ${ours} }]`)
  expect(priced('{ markup: 20% }').prices).toEqual([
    {
      input: 3_000_000_000n,
      output: 18_000_000_000n,
      cachedInput: 300_000_000n,
      tiers: [
        {
          abovePromptTokens: 271_999,
          input: 6_000_000_000n,
          output: 27_000_000_000n,
          cachedInput: 600_000_000n,
        },
      ],
    },
  ] as unknown as Model['prices'])
  expect(priced('{ discount: 12.5% }').prices[0].input).toBe(2_187_500_000n as never)
  expect(priced('{ discount: 100% }').prices[0].output).toBe(0n as never)
  expect(
    problemsOf(
      'providers: { openai: { api_key: k } }\nmodels: [{ id: gpt-5.4, our_price: { discount: 101% } }]',
    ),
  ).toHaveLength(1)
  expect(problemsOf(withModel('our_price: { markup: 5% }'))).toEqual([
    'tollgate.yaml:10:16 models[0].our_price needs an official price to reckon from: the catalogue has none for this model',
  ])
  const own = withModel('our_price: { discount: 10% }', 'official_price: { input: 2, output: 4 }')
  expect(modelOf(own)).toMatchObject({ officialPrice: { source: 'acme' } })
  expect(modelOf(own).prices).toEqual([{ input: 1_800_000_000n, output: 3_600_000_000n }] as never)
})

test('prices may change on a day and with the length of the prompt', () => {
  const { prices } = modelOf(
    withModel(
      'our_price:',
      '  - { input: 1, output: 2, tiers: [{ above_prompt_tokens: 100, input: 2, output: 4, reasoning: 5 }] }',
      '  - { valid_from: 2027-01-01, input: 3, output: 4, cache_write: 3.75 }',
    ),
  )
  expect(prices).toEqual([
    {
      input: 1_000_000_000n,
      output: 2_000_000_000n,
      tiers: [
        { abovePromptTokens: 100, input: 2_000_000_000n, output: 4_000_000_000n, reasoning: 5_000_000_000n },
      ],
    },
    {
      validFrom: Date.parse('2027-01-01'),
      input: 3_000_000_000n,
      output: 4_000_000_000n,
      cacheWrite: 3_750_000_000n,
    },
  ] as unknown as Model['prices'])
  const wrong = withModel(
    'our_price:',
    '  - { valid_from: 2027-01-01, input: 1, output: 2 }',
    '  - { valid_from: 2026-01-01, input: 1, output: 2, tiers: [{ above_prompt_tokens: 9, input: 1, output: 1 }, { above_prompt_tokens: 9, input: 1, output: 1 }] }',
    '  - { input: 1, output: 2 }',
  )
  expect(problemsOf(wrong).map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'models[0].our_price[1].valid_from must be after that of the price before',
    'models[0].our_price[1].tiers[1].above_prompt_tokens must be above that of the tier before',
    'models[0].our_price[2].valid_from is missing: only the first price may go without',
  ])
})

test('an official price that is announced for later is kept for later', () => {
  const { officialPrice } = modelOf('providers: { google: { api_key: k } }\nmodels: [gemini-3.8-flash]')
  expect(officialPrice).toMatchObject({ input: 750_000_000n, output: 3_750_000_000n })
  expect(officialPrice?.later).toEqual([
    { validFrom: Date.parse('2027-01-01'), input: 1_500_000_000n, output: 7_500_000_000n },
  ] as never)
})

test('auto is refused when the catalogue has no such model', () => {
  expect(problemsOf(withModel('official_price: auto'))).toEqual([
    'tollgate.yaml:11:21 models[0].official_price cannot be `auto`: the price catalogue has no such model',
  ])
})

test('an alias must not hide a model or another alias', () => {
  const yaml = `${withModel('aliases: [one, two]')}
  - id: two
    context_length: 1000
    max_output_tokens: 100
    our_price: { input: 1, output: 1 }
    targets: [{ provider: acme, model: up }]
    aliases: [one]
`
  expect(problemsOf(yaml).map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'models[0].aliases[1] would hide the model with the id "two"',
    'models[1].aliases[0] is taken: a model before has the alias "one"',
  ])
})

test('a name that the file gives away is no alias of a known model any more', () => {
  const yaml = `
providers: { openai: { api_key: k } }
models:
  - openai/gpt-5
  - { id: gpt-5, targets: [{ provider: openai, model: gpt-5-mini }] }
`
  const [first, second] = settingsOf(yaml).models
  expect([first?.aliases, second?.id]).toEqual([[], 'gpt-5'])
})

test('a retired model needs a date and a successor that exists, and no price or place', () => {
  const retired = (entry: string) => `${withModel()}\n  - { id: acme/old, retired: ${entry} }\n`
  const { models } = settingsOf(retired('{ at: 2026-01-31, successor: acme/chat }'))
  expect(models[1]).toMatchObject({
    id: 'acme/old',
    retirement: { at: Date.parse('2026-01-31'), successor: 'acme/chat' },
    targets: [],
  })
  expect(problemsOf(retired('{ successor: acme/chat }'))[0]).toContain('models[1].retired.at is missing')
  expect(problemsOf(retired('{ at: 2026-01-31, successor: acme/chut }'))[0]).toContain(
    'models[1].retired.successor names no model of this file: "acme/chut" (did you mean "acme/chat"?)',
  )
  expect(problemsOf(retired('{ at: 2027-01-31 }')).join()).toContain('models[1].targets is missing')
})

test('a deprecated model keeps its dates, in order', () => {
  expect(
    modelOf(withModel('deprecated: { at: 2026-10-01, sunset: 2027-01-01T12:00:00Z }')).deprecation,
  ).toEqual({
    at: Date.parse('2026-10-01'),
    sunset: Date.parse('2027-01-01T12:00:00Z'),
  })
  expect(problemsOf(withModel('deprecated: { at: 2026-10-01, sunset: 2026-09-01 }'))[0]).toContain(
    'models[0].deprecated.sunset must be after the date it is deprecated at',
  )
  expect(problemsOf(withModel('deprecated: { at: 2026-02-31 }'))[0]).toContain('must be an ISO date')
})

test('limits of a model must fit each other', () => {
  expect(modelOf(withModel('max_output_tokens: 100')).assumedOutputTokens).toBe(100)
  expect(modelOf(withModel('max_output_tokens: 900')).assumedOutputTokens).toBe(512)
  expect(problemsOf(withModel('assumed_output_tokens: 101'))[0]).toContain(
    'must not be above max_output_tokens (100)',
  )
  expect(problemsOf(withModel('max_output_tokens: 1001'))[0]).toContain(
    'must not be above context_length (1000)',
  )
})

test('the strategy "cheapest" needs what each place costs', () => {
  expect(problemsOf(withModel('strategy: cheapest'))[0]).toContain('models[0].targets[0].cost is missing')
  expect(problemsOf(withModel('strategy: fastest'))).toEqual([])
})

test('origins are checked, and the star is refused', () => {
  const origins = (list: string) => problemsOf(`server: { cors_origins: [${list}] }\nmodels: []`)
  expect(origins('"https://app.example.com", "http://localhost:3000"')).toEqual([])
  expect(origins('"*"')[0]).toContain('server.cors_origins[0] must name its origins')
  expect(origins('"https://app.example.com/"')[0]).toContain('must be an origin such as')
})

test('sizes and durations take units', () => {
  const { server } = settingsOf('server: { max_body_bytes: 1.5MiB, drain: 1.5m }\nmodels: []')
  expect([server.maxBodyBytes, server.drainMs]).toEqual([1.5 * 2 ** 20, 90_000])
  expect(problemsOf('server: { max_body_bytes: 10Mb }\nmodels: []')[0]).toContain(
    'must be a size such as 10MiB',
  )
  expect(problemsOf('server: { drain: 0s }\nmodels: []')[0]).toContain('must be a duration such as')
})

test('a database may be a mapping with a durability', () => {
  const database = (text: string) => settingsOf(`database: ${text}\nmodels: []`).database
  expect(database('{ url: sqlite:a.db, durability: strict }')).toEqual({
    engine: 'sqlite',
    path: 'a.db',
    durability: 'strict',
  })
  expect(database('postgres://u@h/d')).toEqual({ engine: 'postgres', url: 'postgres://u@h/d' })
  expect(problemsOf('database: "sqlite:"\nmodels: []')[0]).toContain('database must name a file')
})

test('without a file the demo is served, and every known provider whose key is in the environment', () => {
  const bare = settingsOf(undefined)
  expect(bare.demo).toBe(true)
  expect(bare.models.map(({ id }) => id)).toEqual(['demo/chat'])
  const keyed = settingsOf(undefined, {
    env: { ANTHROPIC_API_KEY: 'k', GROQ_API_KEY: 'k', AZURE_OPENAI_API_KEY: 'k' },
  })
  expect([...keyed.providers.keys()].toSorted()).toEqual(['anthropic', 'demo', 'groq'])
  expect(keyed.models.some(({ id }) => id === 'anthropic/claude-sonnet-5')).toBe(true)
  expect(keyed.models.every((model) => model.targets.length === 1)).toBe(true)
  expect(keyed.server).toMatchObject({ host: '127.0.0.1', port: 4100, adminToken: undefined })
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
