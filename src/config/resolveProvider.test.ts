import { timeoutsInForce } from '../providers/timeouts.ts'
import { expect, test } from 'bun:test'
import { loadSettings } from './loadSettings.ts'
import { formatProblems } from './problem.ts'
import { ANY_MODEL, load, settingsOf, problemsOf, type Given } from '../../test/support/settings.ts'

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
    timeouts: timeoutsInForce({}),
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
    quirks: { supports_n: true, max_tokens_field: max_tokens, minimum_temperature: 0.1, whole_tool_calls: false }
${ANY_MODEL}
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
        wholeToolCalls: false,
        dropMessageFields: ['name', 'reasoning_content', 'reasoning_details'],
      },
    },
    credentials: [{ name: 'groq-eu#1' }, { name: 'groq-eu#2' }],
    headers: { 'x-team': 'blue' },
    query: { 'api-version': '1' },
  })
})

test('each timeout of the file reaches the provider under its own name', () => {
  const timeouts = settingsOf(`
providers:
  p: { wire: openai-chat, base_url: https://x.example/v1, timeouts: { connect: 1s, first_event: 2s, idle: 3s } }
${ANY_MODEL}
`).providers.get('p')?.timeouts
  expect(timeouts).toEqual(timeoutsInForce({ connectMs: 1_000, firstEventMs: 2_000, idleMs: 3_000 }))
})

test('a file whose first_event was meant for whole answers too is told of whole', () => {
  const warningsOf = (timeouts: string): string[] => {
    const provider = `{ wire: openai-chat, base_url: https://x.example/v1, api_key: k, timeouts: ${timeouts} }`
    const result = load(`providers: { p: ${provider} }\n${ANY_MODEL}\n`)
    return result.ok ? result.warnings.map(({ path, message }) => `${path} ${message}`) : ['refused']
  }
  expect(warningsOf('{ first_event: 20s }')).toEqual([
    expect.stringMatching(/^providers\.p\.timeouts\.first_event limits streams only.*timeouts\.whole/),
  ])
  for (const timeouts of ['{ first_event: 20s, whole: 20s }', '{ first_byte: 20s }', '{}'])
    expect(warningsOf(timeouts)).toEqual([])
})

test('authentication follows the wire format, and can be said', () => {
  const auth = (more: string) =>
    settingsOf(`providers: { p: { base_url: https://x.example/v1, ${more} } }\n${ANY_MODEL}`).providers.get(
      'p',
    )?.provider.auth
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
  expect(problemsOf(`providers: { azure: { api_key: k } }\n${ANY_MODEL}`)).toEqual([
    'tollgate.yaml:1:14 providers.azure.resource is missing: the address "https://{resource}.openai.azure.com/openai/v1" needs it',
  ])
  const baseUrl = (provider: string, given?: Given) =>
    [...settingsOf(`providers: { ${provider} }\n${ANY_MODEL}`, given).providers.values()][0]?.provider.baseUrl
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
    [...settingsOf(`providers: { ${provider} }\n${ANY_MODEL}`, given).providers.values()][0]?.credentials
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
    problemsOf(`providers: { vertex: { project: p, location: l, service_account: no.json } }\n${ANY_MODEL}`),
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
      problemsOf(`providers: { p: { wire: openai-chat, base_url: '${url}' } }\n${ANY_MODEL}`)[0],
    ).toContain('must be an http or https URL')
  const result = load(
    'providers: { p: { wire: openai-chat, base_url: http://x.example/v1, api_key: k } }\nmodels: [demo/chat]',
  )
  expect(
    problemsOf(
      `providers: { p: { wire: openai-chat, base_url: http://x.example/v1, api_key: k } }\n${ANY_MODEL}`,
    ),
  ).toEqual([])
  expect(result.ok).toBe(false)
  const warned = load(
    `providers: { p: { wire: openai-chat, base_url: http://x.example/v1, api_key: k } }\n${ANY_MODEL}`,
  )
  expect(warned.ok && formatProblems(warned.warnings)).toContain('sends the key unencrypted')
})

test('a key file that cannot be read is a problem and no crash', () => {
  const result = loadSettings({
    flags: {},
    env: {},
    readFile(path) {
      if (path === 'tollgate.yaml')
        return `providers: { vertex: { project: p, location: l, service_account: ./ } }\n${ANY_MODEL}`
      throw new Error('EISDIR')
    },
  })
  expect(result.ok || formatProblems(result.problems)).toEndWith(
    'providers.vertex.service_account names a file that cannot be read: EISDIR',
  )
})
