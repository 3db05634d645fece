import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { openStore } from '../../src/store/open.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createFolder, startTollgate } from '../support/tollgateProcess.ts'

const PASSWORD = 'hunter2-of-ours'
const LIST = ['workspace', 'list']
const CREATE = ['workspace', 'create', 'one']

/** What a command prints that fails; its password stands nowhere. */
async function failureOf(args: readonly string[], url: string): Promise<string> {
  await using folder = await createFolder()
  await using process = startTollgate(folder, [...args, '--database-url', url])
  expect(await process.exitCode).toBe(1)
  expect(process.output).not.toContain(PASSWORD)
  return process.output
}

/** A database with our tables, and a role of its own with a password. */
async function prepare(grants: (role: string) => readonly string[]) {
  const { url: server, createDatabase } = await sharedPostgres()
  const url = await createDatabase()
  const admin = new SQL(server, { max: 1 })
  const owner = new SQL(url, { max: 1 })
  const role = `role_${new URL(url).pathname.slice(1)}`
  await (await openStore({ engine: 'postgres', url }, { now: Date.now })).close()
  await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD '${PASSWORD}'`)
  for (const grant of grants(role)) await owner.unsafe(grant)
  return {
    owner,
    url: (change: Partial<Record<'username' | 'port' | 'pathname' | 'search', string>> = {}) =>
      Object.assign(new URL(url), { username: role, password: PASSWORD, ...change }).href,
    async [Symbol.asyncDispose]() {
      await owner.unsafe(`DROP OWNED BY ${role}`)
      await admin.unsafe(`DROP ROLE ${role}`)
      await owner.close({ timeout: 0 })
      await admin.close({ timeout: 0 })
    },
  }
}

const ALL = (role: string) => [
  `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
  `GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
]

describe.concurrent.skipIf(mustSkip('commands on a Postgres that fails'))(
  'a command says, without its password,',
  () => {
    test(
      'which address refuses connections, and which database or role there is not',
      async () => {
        await using database = await prepare(ALL)
        // Port 1 is reserved, so nobody listens there.
        expect(await failureOf(LIST, database.url({ port: '1' }))).toContain(
          '127.0.0.1:1 refuses connections',
        )
        expect(await failureOf(LIST, database.url({ pathname: '/nope' }))).toContain(
          'database "nope" does not exist',
        )
        expect(await failureOf(LIST, database.url({ username: 'nobody' }))).toContain(
          'role "nobody" does not exist',
        )
        expect(await failureOf(LIST, database.url({ search: '?sslmode=require' }))).toContain(
          'sslmode=disable',
        )
      },
      TEST_LIMIT_MS,
    )

    test(
      'that a server takes connections and never answers',
      async () => {
        const server = createServer((socket) => socket.on('error', () => undefined))
        await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
        const { port } = server.address() as AddressInfo
        try {
          expect(await failureOf(LIST, `postgres://u:${PASSWORD}@127.0.0.1:${port}/db`)).toMatch(
            /did not answer in time|was not answered within 2 s/,
          )
        } finally {
          server.close()
        }
      },
      TEST_LIMIT_MS,
    )

    test(
      'which right is missing, and where the GRANT stands',
      async () => {
        await using database = await prepare((role) => [
          ...ALL(role),
          `REVOKE ALL ON workspaces FROM ${role}`,
        ])
        for (const command of [LIST, CREATE]) {
          const said = await failureOf(command, database.url())
          expect(said).toContain('permission denied for table workspaces')
          expect(said).toContain('"Roles" in docs/postgres.md')
        }
      },
      TEST_LIMIT_MS,
    )

    test(
      'that the database only reads',
      async () => {
        await using database = await prepare(ALL)
        await database.owner.unsafe(
          `ALTER DATABASE ${new URL(database.url()).pathname.slice(1)} SET default_transaction_read_only = on`,
        )
        const said = await failureOf(CREATE, database.url())
        expect(said).toContain('in a read-only transaction')
        expect(said).toContain('the primary')
      },
      TEST_LIMIT_MS,
    )

    test(
      'that a query after the opening waited for a lock',
      async () => {
        await using database = await prepare(ALL)
        await database.owner.unsafe('BEGIN')
        await database.owner.unsafe('LOCK TABLE workspaces IN ACCESS EXCLUSIVE MODE')
        expect(await failureOf(LIST, database.url())).toContain(
          'canceling statement due to statement timeout',
        )
        await database.owner.unsafe('ROLLBACK')
      },
      TEST_LIMIT_MS,
    )

    test(
      'that there are too many connections, also where only some are refused',
      async () => {
        await using database = await prepare((role) => [
          ...ALL(role),
          `ALTER ROLE ${role} CONNECTION LIMIT 1`,
        ])
        for (const command of [LIST, ['serve']]) {
          expect(await failureOf(command, database.url())).toContain('too many connections for role')
        }
      },
      TEST_LIMIT_MS,
    )
  },
)
