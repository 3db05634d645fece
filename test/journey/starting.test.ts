import { createServer, type AddressInfo } from 'node:net'
import { describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { checkedFetch } from '../support/checkedFetch.ts'
import { badLineTo } from '../support/postgres-proxy.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { readerOf, readStream } from '../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createGate, startScriptedProvider, streams } from '../support/scriptedProvider.ts'
import { createFolder, startTollgate } from '../support/tollgateProcess.ts'
import { MESSAGES, MODEL, standardConfig } from '../support/world.ts'
import { openStore } from '../../src/store/open.ts'
import { createLocalOperations } from '../../src/operations/localOperations.ts'
import { createIdSource } from '../../src/core/id.ts'

/** A database that takes every connection and never says a word. */
async function silentDatabase() {
  const connected = Promise.withResolvers<void>()
  const server = createServer((socket) => {
    socket.on('error', () => undefined)
    connected.resolve()
  })
  const listening = Promise.withResolvers<void>()
  server.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const { port } = server.address() as AddressInfo
  return {
    url: `postgres://tollgate@127.0.0.1:${port}/tollgate`,
    connected: connected.promise,
    [Symbol.dispose]: () => void server.close(),
  }
}

describe.concurrent('a process that is starting', () => {
  test.each(['SIGTERM', 'SIGINT'] as const)(
    'ends with code 0 by %s while its database does not answer',
    async (signal) => {
      using database = await silentDatabase()
      await using folder = await createFolder()
      await using started = startTollgate(folder, ['serve', '--database-url', database.url])
      await database.connected
      started.signal(signal)
      expect(await started.exitCode).toBe(0)
    },
    TEST_LIMIT_MS,
  )

  test.skipIf(mustSkip('a database that goes away when the gateway listens'))(
    'serves and can be drained, though the database goes away before the first lines are printed',
    async () => {
      const url = await (await sharedPostgres()).createDatabase()
      const secret = await createKey(url)
      // What only the first lines ask for.
      await using line = await badLineTo(
        url,
        ({ from, data }) => from === 'client' && data.includes('from "workspaces" order by'),
      )
      const gate = createGate()
      await using provider = await startScriptedProvider(streams('Hello', gate, ' world'))
      await using folder = await createFolder()
      await folder.write('tollgate.yaml', standardConfig(provider))
      await using started = startTollgate(folder, ['serve', '--database-url', line.url])
      const address = /listens on (\S+)\n/.exec(await started.says('listens on'))?.[1]
      await started.says('first lines could not be read')
      line.mend()

      const response = await checkedFetch(`${address}/v1/chat/completions`, {
        method: 'POST',
        headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
        body: JSON.stringify({ model: MODEL, messages: MESSAGES, stream: true }),
      })
      const open = readerOf(response)
      await open.until('Hello')
      started.signal('SIGTERM')
      await started.says('shutting down')
      gate.open()
      expect(readStream(await open.rest()).done).toBe(true)
      expect(await started.exitCode).toBe(0)
    },
    TEST_LIMIT_MS,
  )
})

describe.concurrent.skipIf(mustSkip('a first start on Postgres'))('a first start that fails', () => {
  test(
    'ends the process with code 1 and the words of the server, and cannot be mistaken for one that serves',
    async () => {
      const { url: server, createDatabase } = await sharedPostgres()
      const url = await createDatabase()
      await using admin = new SQL(server, { max: 1 })
      await using owner = new SQL(url, { max: 1 })
      const role = `half_${new URL(url).pathname.slice(1)}`
      await (await openStore({ engine: 'postgres', url }, { now: Date.now })).close()
      await admin.unsafe(`CREATE ROLE ${role} LOGIN PASSWORD 'hunter2-of-ours'`)
      try {
        await owner.unsafe(`GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`)
        await owner.unsafe(`GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`)
        await owner.unsafe(`REVOKE INSERT ON keys FROM ${role}`)
        const as = Object.assign(new URL(url), { username: role, password: 'hunter2-of-ours' }).href
        await using folder = await createFolder()
        await using started = startTollgate(folder, ['serve', '--database-url', as])
        expect(await started.exitCode).toBe(1)
        expect(started.output).toContain('the first start failed; shutting down')
        expect(started.output).toMatch(/^tollgate: .*permission denied for table keys/m)
        expect(started.output).not.toContain('listens on')
        expect(started.output).not.toContain('hunter2-of-ours')
      } finally {
        await owner.unsafe(`DROP OWNED BY ${role}`)
        await admin.unsafe(`DROP ROLE ${role}`)
      }
    },
    TEST_LIMIT_MS,
  )

  test(
    'because the database has gone away ends the process with code 1',
    async () => {
      const url = await (await sharedPostgres()).createDatabase()
      let isBroken = false
      await using line = await badLineTo(url, ({ from, data }) => {
        isBroken ||= from === 'client' && data.includes('insert into "workspaces"')
        return isBroken
      })
      await using folder = await createFolder()
      await using started = startTollgate(folder, ['serve', '--database-url', line.url])
      expect(await started.exitCode).toBe(1)
      expect(started.output).toContain('the first start failed; shutting down')
      expect(started.output).toMatch(
        /^tollgate: The database did not confirm the change.*\(The database: .*(?:Connection closed|was not answered within .*)\)/m,
      )
    },
    TEST_LIMIT_MS,
  )

  test(
    'only in reading what else is printed prints its key all the same',
    async () => {
      const url = await (await sharedPostgres()).createDatabase()
      await using line = await badLineTo(
        url,
        ({ from, data }) => from === 'client' && data.includes('from "admin_tokens"'),
      )
      await using folder = await createFolder()
      await using started = startTollgate(folder, ['serve', '--database-url', line.url])
      await started.says('Your demo key')
      expect(await started.says('"stream":true')).toMatch(/tg_[0-9A-Z]{52}/)
      expect(started.output).toContain('first lines could not be read')
      started.signal('SIGTERM')
      expect(await started.exitCode).toBe(0)
    },
    TEST_LIMIT_MS,
  )
})

/** A customer of a database that nobody serves yet. */
async function createKey(url: string): Promise<string> {
  const store = await openStore({ engine: 'postgres', url }, { now: Date.now })
  const operations = createLocalOperations({
    store,
    clock: Date.now,
    ids: createIdSource(Date.now, (bytes) => void crypto.getRandomValues(bytes)),
    hash: (secret) => new Bun.CryptoHasher('sha256').update(secret).digest('hex'),
    models: () => [],
    providersHealth: () => [],
  })
  const { id } = await operations.createWorkspace({ name: 'test', type: 'personal' })
  await operations.credit(id, { amount_usd: '1' })
  const { key } = await operations.createKey(id, { name: 'test' })
  await store.close()
  return key
}
