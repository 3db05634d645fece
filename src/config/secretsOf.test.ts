import { expect, test } from 'bun:test'
import { secretsOf, tokensOf } from './secretsOf.ts'
import { ANY_MODEL, problemsOf, settingsOf } from '../../test/support/settings.ts'

test('every value that may open something is known: keys, headers, queries, admin token, password', () => {
  const settings = settingsOf(
    `
server: { admin_token: operator }
database: postgres://user:p%40ss@db.example/tollgate
providers:
  acme:
    wire: openai-chat
    base_url: https://acme.example/v1
    api_keys: [first-key, second-key]
    headers: { X-Door: velvet otter, X-Team: Bearer blue-word, X-Old-Auth: Basic ${btoa('name:word')} }
    api_version: 2031-preview
  bedrock: {}
${ANY_MODEL}
`,
    {
      env: {
        AWS_ACCESS_KEY_ID: 'aws-id',
        AWS_SECRET_ACCESS_KEY: 'aws-secret',
        AWS_SESSION_TOKEN: 'aws-session',
        AWS_REGION: 'eu-west-1',
      },
    },
  )
  expect(new Set(secretsOf(settings))).toEqual(
    new Set([
      'operator',
      'p%40ss',
      'p@ss',
      'first-key',
      'second-key',
      'velvet otter',
      'Bearer blue-word',
      'blue-word',
      `Basic ${btoa('name:word')}`,
      btoa('name:word'),
      'name',
      'word',
      '2031-preview',
      'aws-id',
      'aws-secret',
      'aws-session',
    ]),
  )
})

test('names and notes may have the words of headers and queries that are no secrets', () => {
  const settings = settingsOf(
    `
server: { admin_token: operator, metrics_token: kf83hsk20dk4mfh5 }
database: postgres://user:p%40ss@db.example/tollgate
providers:
  acme:
    wire: openai-chat
    base_url: https://acme.example/v1
    api_keys: [first-key, second-key]
    headers: { X-Title: My Team, X-Api-Key: third-key, X-Old-Auth: Bearer blue-word }
    api_version: 2031-preview
${ANY_MODEL}
`,
  )
  expect(new Set(tokensOf(settings))).toEqual(
    new Set([
      'operator',
      'kf83hsk20dk4mfh5',
      'p%40ss',
      'p@ss',
      'first-key',
      'second-key',
      'third-key',
      'Bearer blue-word',
      'blue-word',
    ]),
  )
})

test('without secrets there are none', () => {
  expect(secretsOf(settingsOf(`${ANY_MODEL}\nproviders: {}`))).toEqual([])
})

test('a mistake shows no more than the beginning of a long value: it may be a key in the wrong line', () => {
  const key = 'abcdefgh-a-key-of-some-provider-0123456789'
  const provider = (field: string) => `
providers: { acme: { wire: openai-chat, base_url: http://127.0.0.1:9000/v1, api_key: k, ${field} } }
models: []`
  for (const yaml of [
    provider(`timeouts: { connect: ${key} }`),
    `providers: { acme: { like: ${key} } }\nmodels: []`,
    `log: { level: ${key} }\nmodels: []`,
    `server: { port: ${key} }\nmodels: []`,
  ]) {
    const problems = problemsOf(yaml).join('\n')
    expect(problems).toContain('"abcdefgh…"')
    expect(problems).not.toContain('abcdefgh-a')
  }
})
