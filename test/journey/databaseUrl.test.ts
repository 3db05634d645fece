import { mkdir } from 'node:fs/promises'
import { connect, createServer } from 'node:net'
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createFolder, startTollgate, type Folder } from '../support/tollgateProcess.ts'

/** What a command on the database of this URL prints. */
async function run(folder: Folder, args: readonly string[], url: string): Promise<string> {
  await using process = startTollgate(folder, args, { TOLLGATE_DATABASE_URL: url })
  const code = await process.exitCode
  return `${code}: ${process.output}`
}

async function migratedDatabase(folder: Folder): Promise<string> {
  const url = `sqlite:${folder.path}/books.db`
  expect(await run(folder, ['migrate'], url)).toStartWith('0: ')
  return url
}

/** The server's own socket, as a proxy beside Cloud SQL makes one. */
async function socketTo(url: string, directory: string) {
  const target = new URL(url)
  await mkdir(directory)
  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    near.pipe(far)
    far.pipe(near)
    near.on('error', () => far.destroy())
    far.on('error', () => near.destroy())
  })
  await new Promise<void>((resolve) => server.listen(`${directory}/.s.PGSQL.5432`, resolve))
  return { [Symbol.dispose]: () => void server.close() }
}

describe.skipIf(mustSkip('URLs of Postgres'))('a command understands', () => {
  test(
    'a URL without a host whose socket stands behind, and tells its database apart',
    async () => {
      const url = new URL(await (await sharedPostgres()).createDatabase())
      await using folder = await createFolder()
      const directory = `${folder.path}/p:r:i`
      using _ = await socketTo(url.href, directory)
      const written = `postgres://${url.username}:p@${url.pathname}?host=${directory}`
      expect(await run(folder, ['migrate'], written)).toBe(
        `0: The schema of postgres://${url.pathname}?host=${directory} is up to date.\n`,
      )
      const missing = `postgres://u:hunter2@/d?host=${folder.path}`
      expect(await run(folder, ['migrate'], missing)).toContain(
        `there is no socket ${folder.path}/.s.PGSQL.5432 (ENOENT)`,
      )
    },
    TEST_LIMIT_MS,
  )

  test(
    'a URL in the words of Prisma and of libpq',
    async () => {
      const url = await (await sharedPostgres()).createDatabase()
      await using sql = new SQL(url, { max: 1 })
      await sql.unsafe('CREATE SCHEMA "Own"')
      await using folder = await createFolder()
      const written = `${url}?schema=Own&pgbouncer=true&target_session_attrs=read-write&connect_timeout=15&uselibpqcompat=true`
      expect(await run(folder, ['migrate'], written)).toStartWith('0: ')
      const tables = await sql`SELECT DISTINCT schemaname FROM pg_tables WHERE tablename = 'workspaces'`
      expect([...tables]).toEqual([{ schemaname: 'Own' }])
    },
    TEST_LIMIT_MS,
  )

  test(
    'that its schema does not exist',
    async () => {
      const url = await (await sharedPostgres()).createDatabase()
      await using folder = await createFolder()
      for (const parameter of ['schema', 'search_path']) {
        const said = await run(folder, ['migrate'], `${url}?${parameter}=nowhere`)
        expect(said).toStartWith('1: tollgate: the database cannot be used: ')
        expect(said).toContain('; the schema that schema= or search_path= of the database URL names')
      }
      const moved = await run(
        folder,
        ['move', '--to', `${url}?schema=nowhere`],
        await migratedDatabase(folder),
      )
      expect(moved).toMatch(/^1: tollgate: postgres:\S+ cannot be used: .*; the schema that schema=/)
    },
    TEST_LIMIT_MS,
  )

  test(
    'which parameter the server does not know',
    async () => {
      const url = await (await sharedPostgres()).createDatabase()
      await using folder = await createFolder()
      expect(await run(folder, ['migrate'], `${url}?flavour=sweet`)).toBe(
        '1: tollgate: the database cannot be used: unrecognized configuration parameter "flavour"; the database URL has it as a parameter, and hands it to the server\n',
      )
      expect(
        await run(folder, ['migrate'], `${url}?sslmode=verify-full&sslrootcert=/nowhere/ca.pem`),
      ).toMatch(/^1: tollgate: the database cannot be used: .*sslrootcert/)
    },
    TEST_LIMIT_MS,
  )
})
