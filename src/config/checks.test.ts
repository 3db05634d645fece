import { expect, test } from 'bun:test'
import { PROVIDERS } from '../providers/index.ts'
import { weaknessOf } from './adminToken.ts'
import { endpointPathOf } from './endpointPath.ts'
import { ANY_MODEL, problemsOf, warningsOf, withModel } from '../../test/support/settings.ts'

function withAddress(address: string): string {
  return `providers:\n  p:\n    wire: openai-chat\n    base_url: ${address}\n${ANY_MODEL}\n`
}

test.each([
  ['https://x.example/v1/chat/completions', '/chat/completions', 'https://x.example/v1'],
  ['https://x.example/v1/chat/completions/', '/chat/completions/', 'https://x.example/v1'],
  ['https://x.example/v1/completions', '/completions', 'https://x.example/v1'],
  ['https://x.example/v1/messages', '/messages', 'https://x.example/v1'],
  ['https://x.example/v1/responses', '/responses', 'https://x.example/v1'],
  ['https://x.example/v1/embeddings', '/embeddings', 'https://x.example/v1'],
  [
    'https://x.example/v1beta/models/g:generateContent',
    '/models/g:generateContent',
    'https://x.example/v1beta',
  ],
  ['https://x.example/model/m/converse-stream', '/model/m/converse-stream', 'https://x.example'],
  ['"${HOST}/v1/messages"', '/messages', '${HOST}/v1'],
])('the address %s is a mistake that says what to write instead', (address, path, instead) => {
  expect(problemsOf(withAddress(address), { env: { HOST: 'https://x.example' } })).toEqual([
    `tollgate.yaml:4:15 providers.p.base_url must not end in ${JSON.stringify(path)}, which is added for each call: write ${JSON.stringify(instead)}`,
  ])
})

test('an address of the environment is not shown', () => {
  const env = { ADDRESS: 'https://internal.example/v1/chat/completions' }
  const [problem] = problemsOf(withAddress('${ADDRESS}'), { env })
  expect(problem).toContain('must not end in "/chat/completions", which is added for each call: leave it off')
  expect(problem).not.toContain('internal')
})

test('no address that we know ends in the path of a call', () => {
  expect(PROVIDERS.filter(({ baseUrl }) => endpointPathOf(baseUrl) !== undefined)).toEqual([])
  expect(problemsOf(withAddress('https://x.example/responses/v1'))).toEqual([])
})

const WEAK = [
  'x7fQ',
  'fifteen-chars-1',
  'admin-token-admin-token',
  'changemechangeme',
  'password12345678',
  'aaaaaaaaaaaaaaaaaaaa',
  'x7fQx7fQx7fQx7fQ',
  '1234567890123456',
  'abcdefghijklmnop',
  '0123456789abcdef',
]

test.each(WEAK)('the admin token %j is a mistake on a public address, and a warning on loopback', (token) => {
  for (const host of ['0.0.0.0', '::', '192.168.1.7', 'gateway.example.com', '127.example.com']) {
    const problems = problemsOf(`server:\n  host: "${host}"\n  admin_token: ${token}\n${ANY_MODEL}`)
    expect(problems).toHaveLength(1)
    expect(problems[0]).toMatch(/^tollgate\.yaml:3:16 server\.admin_token (is short|can be guessed): use 16 /)
    expect(problems[0]).not.toContain(token)
  }
  for (const host of ['127.0.0.1', 'localhost', '::1', '127.1.2.3']) {
    const warnings = warningsOf(`server:\n  host: "${host}"\n  admin_token: ${token}\n${ANY_MODEL}`)
    expect(warnings).toHaveLength(1)
    expect(warnings[0]).toStartWith('tollgate.yaml:3:16 server.admin_token ')
  }
})

test('a weak admin token of a variable is blamed on the variable', () => {
  const env = { TOLLGATE_ADMIN_TOKEN: 'changeme' }
  expect(problemsOf(ANY_MODEL, { env, flags: { host: '0.0.0.0' } })).toEqual([
    'TOLLGATE_ADMIN_TOKEN is short: use 16 random characters or more: openssl rand -hex 32',
  ])
  expect(warningsOf(ANY_MODEL, { env })[0]).toStartWith('TOLLGATE_ADMIN_TOKEN is short')
})

test('random admin tokens are not weak', () => {
  for (let times = 0; times < 1_000; times++) {
    const bytes = crypto.getRandomValues(new Uint8Array(32))
    expect(weaknessOf(Buffer.from(bytes).toString('hex'))).toBeUndefined()
    expect(weaknessOf(Buffer.from(bytes.subarray(0, 16)).toString('base64'))).toBeUndefined()
  }
})

test('a price below what a target costs is a warning at the price', () => {
  const target = 'targets: [{ provider: acme, model: up, cost: { input: 1, output: 2 } }]'
  const model = (price: string) => withModel(price).replace(/targets: .*/, target)
  expect(warningsOf(model('our_price: { input: 1, output: 2 }'))).toEqual([])
  const [warning] = warningsOf(model('our_price: { input: 0.99, output: 2 }'))
  expect(warning).toMatch(
    /^tollgate\.yaml:\d+:\d+ models\[0\]\.our_price charges less for input than the target "acme" costs: each answer loses money$/,
  )
  const announced = 'our_price: [{ input: 1, output: 2 }, { valid_from: 2027-01-01, input: 0, output: 0 }]'
  expect(warningsOf(model(announced))[0]).toContain('charges less for input and output')
  const past = 'our_price: [{ input: 0, output: 0 }, { valid_from: 2026-01-01, input: 1, output: 2 }]'
  expect(warningsOf(model(past))).toEqual([])
  const tier = 'our_price: { input: 1, output: 2, tiers: [{ above_prompt_tokens: 9, input: 1, output: 1 }] }'
  expect(warningsOf(model(tier))[0]).toContain('charges less for output')
})

test('a database of the file that a variable replaces by another one is named, without its password', () => {
  const yaml = `database: postgres://tollgate:pass-of-the-file@db/tollgate\n${ANY_MODEL}`
  const warned = (url: string) => warningsOf(yaml, { env: { TOLLGATE_DATABASE_URL: url } })
  expect(warned('sqlite:/data/tollgate.db')).toEqual([
    'tollgate.yaml:1:11 database is not used: TOLLGATE_DATABASE_URL names another database (sqlite:/data/tollgate.db)',
  ])
  expect(warned('postgres://tollgate:other@db/tollgate')).toEqual([])
  expect(warningsOf(ANY_MODEL, { env: { TOLLGATE_DATABASE_URL: 'sqlite:/data/tollgate.db' } })).toEqual([])
})

test('a trusted proxy that is any address is a warning', () => {
  const warned = (proxy: string) => warningsOf(`server: { trusted_proxies: ["${proxy}"] }\n${ANY_MODEL}`)
  for (const proxy of ['0.0.0.0/0', '::/0'])
    expect(warned(proxy)).toEqual([expect.stringContaining('trusts every address')])
  expect(warned('10.0.0.0/8')).toEqual([])
})
