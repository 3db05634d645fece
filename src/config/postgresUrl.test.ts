import { describe, expect, test } from 'bun:test'
import { readPostgresUrl } from './postgresUrl.ts'
import { ANY_MODEL, problemsOf, settingsOf } from '../../test/support/settings.ts'
import { secretsOf } from './secretsOf.ts'

const read = (url: string): string => {
  const found = readPostgresUrl(url)
  return typeof found === 'string' ? `refused: ${found}` : found.url
}

test.each([
  'postgres://u@h/d',
  'postgres://u:p%40%2C%3F@h:6543/d%20e?sslmode=verify-full&sslrootcert=/etc/ca%20s.pem',
  'postgres://u@%2Frun%2Fpostgresql/d',
  'postgres://u:a,b@h/d?application_name=x&options=-csearch_path%3Dx&statement_timeout=5',
  'postgres://u@[::1]:5432/d?channel_binding=require&prepare=false',
  'postgres:///d',
  'postgres://u@h?application_name=me@desk',
  'postgres://h/d?application_name=a@b/c&options=-cx%3Da@b',
])('a URL without oddities stays as it was written: %s', (url) => {
  expect(read(url)).toBe(url)
})

test.each([
  ['postgres://u:p@/d?host=/cloudsql/p:r:i', 'postgres://u:p@localhost/d?host=/cloudsql/p:r:i'],
  ['postgres://u:p@/d?host=%2Frun', 'postgres://u:p@localhost/d?host=%2Frun'],
  ['postgres:///d?host=/run&user=u', 'postgres://u@localhost/d?host=/run'],
  ['postgres://h/?user=u&password=p%2B+%40&dbname=a%2Fb&port=7', 'postgres://u:p%2B%2B%40@h:7/a%2Fb'],
  ['postgres://u@h/d?pgbouncer=true&connect_timeout=15', 'postgres://u@h/d?prepare=false'],
  ['postgres://u@h/d?pgbouncer=true&prepare=true', 'postgres://u@h/d?prepare=true'],
  ['postgres://u@h/d?schema=My%22own', 'postgres://u@h/d?search_path=%22My%22%22own%22'],
  ['postgres://u@h/d?ssl=true', 'postgres://u@h/d?sslmode=require'],
  ['postgres://u@h/d?sslmode=verify-full&ssl=true', 'postgres://u@h/d?sslmode=verify-full'],
  ['postgres://u@h/d?ssl=0', 'postgres://u@h/d?sslmode=disable'],
  ['postgres://u@h/d?target_session_attrs=read-write', 'postgres://u@h/d'],
  [
    'postgres://u@h/d?target_session_attrs=any&uselibpqcompat=true&keepalives=1&gssencmode=disable',
    'postgres://u@h/d',
  ],
])('what others write is read as it is meant: %s', (url, meant) => {
  expect(read(url)).toBe(meant)
})

describe('refused, by name and without a value', () => {
  test.each(['postgres://u:pa%rd@h/d', 'postgres://u:p@ss/w%rd@h/d', 'postgres://u@h/100%'])(
    'a percent sign that encodes nothing: %s',
    (url) => {
      expect(read(url)).toStartWith('refused: has a "%" that encodes nothing;')
    },
  )

  test.each([
    'postgres://tollgate:hunter@Sec/ret9@db.example.com/tollgate',
    'postgres://tollgate:hunter@Sec?ret9@db.example.com/tollgate',
    'postgres://tollgate:hunter@Sec?ret9=x@db.example.com/tollgate',
    'postgres://tollgate:hunter@Sec#ret9@db.example.com/tollgate',
    'postgres://tollgate:hunter@Sec?x=1#ret9@db.example.com/tollgate',
    'postgres://tollgate:54#ret9@db.example.com/tollgate',
    'postgres://tollgate:54/ret9@db.example.com/tollgate',
    'postgres://tollgate:54?ret9@db.example.com/tollgate',
    'postgres://tollgate:h@S,ec/ret9@db.example.com/tollgate',
  ])('an "@" of a password that is not encoded: %s', (url) => {
    expect(read(url)).toBe(
      'refused: has an "@" that is not the one before the host; special characters of the user and the password are percent-encoded (%40 for @, %2F for /, %25 for %)',
    )
  })

  test.each(['postgres://u@h!x/d', 'postgres://u@$h/d', 'postgres://h#x/d', 'postgres://u@a b/d'])(
    'a host that is none: %s',
    (url) => {
      expect(read(url)).toStartWith('refused: must be a URL such as')
    },
  )

  test.each([
    'postgres://u:secret@h1,h2/d',
    'postgres://u:secret@h1:5432,h2:5433/d?target_session_attrs=read-write',
    'postgres://u:secret@/d?host=h1,h2',
  ])('several hosts: %s', (url) => {
    expect(read(url)).toBe(
      'refused: names several hosts, but only one is allowed: use a DNS name or a pooler that follows the primary',
    )
  })

  test.each([
    'target_session_attrs=read-only',
    'target_session_attrs=standby',
    'passfile=secret',
    'service=secret',
    'hostaddr=10.0.0.1',
    'require_auth=scram-sha-256',
    'gssencmode=require',
    'sslcrl=secret',
    'sslmode=no-verify',
    'ssl_mode=verify-full',
    'sslMode=verify-full',
    'SSLMODE=verify-full',
    'ssl-mode=verify-full',
    'ssl.mode=verify-full',
    'sslrootcret=secret',
    'tls=require',
    'ssl_min_protocol_version=TLSv1.3',
    'client_encoding=LATIN1',
    'connection_limit=5',
    'max=5',
    'port=secret',
    'replication=true',
    'pgbouncer=secret',
    'prepared_statements=false',
  ])('%s', (parameter) => {
    const [name = ''] = parameter.split('=')
    expect(read(`postgres://u:secret@h/d?sslrootcert=/a&${parameter}`)).toStartWith(
      `refused: has the parameter "${name}", which `,
    )
    expect(read(`postgres://u:secret@h/d?${parameter}`)).not.toContain('secret')
  })

  test('no host at all', () => {
    expect(read('postgres://u:secret@/d')).toBe(
      'refused: must be a URL such as postgres://user@host/database; special characters of the user and the password are percent-encoded (%40 for @, %2F for /, %25 for %)',
    )
  })
})

test('the file, the variable and the flag are read alike, and a password behind is a secret as well', () => {
  const written = 'postgres://h/d?user=u&password=hunter2&schema=s'
  const inForce = { url: 'postgres://u:hunter2@h/d?search_path=%22s%22&sslmode=require' }
  const given = [
    settingsOf(`database: "${written}"\n${ANY_MODEL}`),
    settingsOf(ANY_MODEL, { env: { TOLLGATE_DATABASE_URL: written } }),
    settingsOf(ANY_MODEL, { flags: { databaseUrl: written } }),
  ]
  for (const settings of given) {
    expect(settings.database).toMatchObject(inForce)
    expect(secretsOf(settings)).toContain('hunter2')
  }
  const several = 'postgres://u:hunter2@h1,h2/d'
  expect(problemsOf(ANY_MODEL, { env: { TOLLGATE_DATABASE_URL: several } })).toEqual([
    expect.stringMatching(/^TOLLGATE_DATABASE_URL names several hosts/),
  ])
  expect(problemsOf(ANY_MODEL, { flags: { databaseUrl: several } })).toEqual([
    expect.stringMatching(/^--database-url names several hosts/),
  ])
})
