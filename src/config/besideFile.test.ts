import { expect, test } from 'bun:test'
import type { Given } from '../../test/support/settings.ts'
import { ANY_MODEL, problemsOf, settingsOf } from '../../test/support/settings.ts'

const FILE = 'conf/gateway.yaml'
const ACCOUNT = JSON.stringify({ client_email: 'a@b', private_key: 'pem' })

function databaseOf(yaml: string, given: Given = {}): string | undefined {
  const { database } = settingsOf(undefined, {
    path: FILE,
    files: { [FILE]: `${yaml}\n${ANY_MODEL}` },
    ...given,
  })
  return database.engine === 'sqlite' ? database.path : undefined
}

test('the database that a file names lies beside the file, wherever the command is started', () => {
  expect(databaseOf('')).toBe('conf/data/tollgate.db')
  expect(databaseOf('database: sqlite:./books.db')).toBe('conf/books.db')
  expect(databaseOf('database: { url: sqlite:../books.db, durability: strict }')).toBe('books.db')
  expect(databaseOf('database: sqlite:/var/lib/books.db')).toBe('/var/lib/books.db')
  const absolute = { path: '/etc/tollgate/t.yaml', files: { '/etc/tollgate/t.yaml': ANY_MODEL } }
  expect(databaseOf('', absolute)).toBe('/etc/tollgate/data/tollgate.db')
})

test('the database that a flag or a variable names is meant from the current folder', () => {
  expect(databaseOf('', { flags: { databaseUrl: 'sqlite:./here.db', config: FILE } })).toBe('./here.db')
  expect(databaseOf('', { env: { TOLLGATE_DATABASE_URL: 'sqlite:here.db' } })).toBe('here.db')
})

test('TOLLGATE_DATA is the folder of the database where nothing names one', () => {
  const env = { TOLLGATE_DATA: '/data' }
  expect(databaseOf('', { env })).toBe('/data/tollgate.db')
  expect(settingsOf(undefined, { env }).database).toMatchObject({ path: '/data/tollgate.db' })
  expect(databaseOf('database: sqlite:./books.db', { env })).toBe('conf/books.db')
  expect(databaseOf('', { env: { ...env, TOLLGATE_DATABASE_URL: 'sqlite:here.db' } })).toBe('here.db')
})

test('without a file the database is in the current folder', () => {
  expect(settingsOf(undefined).database).toMatchObject({ path: './data/tollgate.db' })
})

test('the key file of a service account lies beside the file that names it, that of a variable does not', () => {
  const vertex = (more: string) => `providers: { vertex: { project: p, location: l${more} } }\n${ANY_MODEL}`
  const problems = (more: string, accounts: string, env = {}) =>
    problemsOf(undefined, { path: FILE, env, files: { [FILE]: vertex(more), [accounts]: ACCOUNT } })
  expect(problems(', service_account: keys/sa.json', 'conf/keys/sa.json')).toEqual([])
  expect(problems(', service_account: keys/sa.json', 'keys/sa.json')[0]).toContain('does not exist')
  expect(problems('', 'keys/sa.json', { GOOGLE_APPLICATION_CREDENTIALS: 'keys/sa.json' })).toEqual([])
})
