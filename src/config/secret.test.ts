import { expect, test } from 'bun:test'
import { ANY_MODEL, problemsOf, settingsOf } from '../../test/support/settings.ts'

const BASE = 'wire: openai-chat, base_url: https://x.example/v1'
const provider = (more: string): string => `providers: { p: { ${BASE}, ${more} } }\n${ANY_MODEL}`

/** Every setting that holds a secret, with its path in the problems. */
const SETTINGS: readonly (readonly [path: string, yaml: string])[] = [
  ['providers.p.api_key', provider('api_key: "${SECRET}"')],
  ['providers.p.api_keys[1]', provider('api_keys: [k, "${SECRET}"]')],
  [
    'providers.bedrock.aws.access_key_id',
    `providers: { bedrock: { region: r, aws: { access_key_id: "\${SECRET}", secret_access_key: s } } }\n${ANY_MODEL}`,
  ],
  [
    'providers.bedrock.aws.secret_access_key',
    `providers: { bedrock: { region: r, aws: { access_key_id: i, secret_access_key: "\${SECRET}" } } }\n${ANY_MODEL}`,
  ],
  [
    'providers.bedrock.aws.session_token',
    `providers: { bedrock: { region: r, aws: { access_key_id: i, secret_access_key: s, session_token: "\${SECRET}" } } }\n${ANY_MODEL}`,
  ],
  ['server.admin_token', `server: { admin_token: "\${SECRET}" }\n${ANY_MODEL}`],
]

/** The same for what comes from outside the file. */
const VARIABLES: readonly (readonly [name: string, yaml: string | undefined, others: object])[] = [
  ['TOLLGATE_ADMIN_TOKEN', ANY_MODEL, {}],
  ['OPENAI_API_KEY', undefined, {}],
  ['OPENAI_API_KEY', `providers: { openai: {} }\n${ANY_MODEL}`, {}],
  [
    'AWS_SECRET_ACCESS_KEY',
    `providers: { bedrock: { region: r } }\n${ANY_MODEL}`,
    { AWS_ACCESS_KEY_ID: 'i' },
  ],
  [
    'AWS_SESSION_TOKEN',
    `providers: { bedrock: { region: r } }\n${ANY_MODEL}`,
    { AWS_ACCESS_KEY_ID: 'i', AWS_SECRET_ACCESS_KEY: 's' },
  ],
]

const UNSENDABLE: readonly (readonly [value: string, reason: string])[] = [
  ['hunter2\nhunter2', 'contains a line feed'],
  ['hunter2\r\nx-evil: 1', 'contains a line feed'],
  ['hunter2 hunter2', 'contains a blank'],
  ['hunter2 ', 'contains a blank'],
  ['hunter2\u0000hunter2', 'contains a control character'],
  ['hunter2\thunter2', 'contains a control character'],
  ['hünter2hunter2', 'contains a character that is not ASCII'],
  ['\ufeffhunter2', 'contains a character that is not ASCII'],
  ['\n', 'must not be empty'],
]

test.each(SETTINGS)('%s that no header can carry is named without its text', (path, yaml) => {
  for (const [value, reason] of UNSENDABLE) {
    const problems = problemsOf(yaml, { env: { SECRET: value } })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toContain(`${path} ${reason}`)
    expect(problems[0]).not.toMatch(/h[uü]nter2/)
  }
  expect(problemsOf(yaml, { env: { SECRET: '' } })[0]).toContain(`${path} must not be empty`)
})

test.each(VARIABLES)('%s that no header can carry is named without its text', (name, yaml, others) => {
  for (const [value, reason] of UNSENDABLE) {
    const problems = problemsOf(yaml, { env: { ...others, [name]: value } })
    expect(problems).toHaveLength(1)
    expect(problems[0]).toStartWith(`${name} ${reason}`)
    expect(problems[0]).not.toMatch(/h[uü]nter2/)
  }
})

/** Spellings of other tools. `$${SECRET}` is how the file writes the text `${SECRET}`. */
const REFERENCES = [
  '$SECRET',
  '$(SECRET)',
  '$(cat /run/secret)',
  '%SECRET%',
  '$${SECRET}',
  'Bearer-$${SECRET}',
]

test.each(SETTINGS)(
  '%s that is a reference without its braces is a mistake that says how to write it',
  (path, yaml) => {
    for (const written of REFERENCES) {
      const problems = problemsOf(
        yaml.replace('${SECRET}', () => written),
        { env: { SECRET: 'hunter2' } },
      )
      expect(problems).toHaveLength(1)
      expect(problems[0]).toContain(`${path} looks like the name of a variable`)
      expect(problems[0]).toContain('write ${NAME}')
    }
    for (const value of ['p$ssword', 'a$NAME', '100%', '%a', '$', 'abc%def%ghi'])
      expect(problemsOf(yaml, { env: { SECRET: value } }).join()).not.toContain('looks like')
  },
)

test.each(VARIABLES)(
  '%s that is a reference is a mistake: nothing replaces it there',
  (name, yaml, others) => {
    for (const value of ['$SECRET', '$(SECRET)', '%SECRET%', '${SECRET}']) {
      const problems = problemsOf(yaml, { env: { ...others, [name]: value } })
      expect(problems).toHaveLength(1)
      expect(problems[0]).toStartWith(`${name} looks like a reference that was not replaced`)
    }
  },
)

test('line feeds at the end of a secret are cut off', () => {
  for (const end of ['\n', '\r\n', '\n\n']) {
    const env = { SECRET: `secret-0123456789${end}` }
    for (const [, yaml] of SETTINGS) expect(problemsOf(yaml, { env })).toEqual([])
    const settings = settingsOf(
      `server: { admin_token: "\${SECRET}" }\n${provider('headers: { x-key: "${SECRET}" }, api_key: "${SECRET}"')}`,
      { env },
    )
    expect(settings.server.adminToken).toBe('secret-0123456789')
    expect(settings.providers.get('p')).toMatchObject({
      headers: { 'x-key': 'secret-0123456789' },
      credentials: [{ key: 'secret-0123456789' }],
    })
    const inherited = settingsOf(undefined, {
      env: {
        TOLLGATE_ADMIN_TOKEN: env.SECRET,
        OPENAI_API_KEY: env.SECRET,
        TOLLGATE_DATABASE_URL: `sqlite:books.db${end}`,
      },
    })
    expect(inherited.server.adminToken).toBe('secret-0123456789')
    expect(inherited.providers.get('openai')?.credentials).toMatchObject([{ key: 'secret-0123456789' }])
    expect(inherited.database).toMatchObject({ path: 'books.db' })
  }
})

test('a block scalar of YAML brings no line feed along', () => {
  const yaml = `providers:\n  p:\n    wire: openai-chat\n    base_url: https://x.example/v1\n    api_key: |\n      secret\n${ANY_MODEL}`
  expect(settingsOf(yaml).providers.get('p')?.credentials).toMatchObject([{ key: 'secret' }])
})

test('the value of a header may hold blanks inside, and nothing that no header carries', () => {
  const header = (value: string) =>
    problemsOf(provider('headers: { x-key: "${SECRET}" }'), { env: { SECRET: value } })
  expect(header('Basic a b')).toEqual([])
  for (const value of ['hunter2\nhunter2', 'hünter2', '\n']) {
    expect(header(value)).toHaveLength(1)
    expect(header(value)[0]).toContain('providers.p.headers.x-key m')
    expect(header(value)[0]).not.toMatch(/h[uü]nter2/)
  }
})
