import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { isJsonObject } from '../../src/core/json.ts'
import type { StoreSettings } from '../../src/store/open.ts'
import { movedTables } from '../../src/store/move/tables.ts'
import { checkedFetch } from '../support/checkedFetch.ts'
import {
  fillBooks,
  HELD,
  KEY_PER_MINUTE,
  ONCE,
  rowsIn,
  worldOn,
  type FilledBooks,
} from '../support/filledBooks.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { jsonOf } from '../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { createFolder, startTollgate, type Folder } from '../support/tollgateProcess.ts'
import { MESSAGES, MODEL, startWorld, type World } from '../support/world.ts'

/** `tollgate move`: all books into another database, and what a gateway on that one knows. */

const TABLES = movedTables().map(({ name }) => name)

interface Place {
  readonly url: string
  readonly settings: StoreSettings
}

async function newDatabase(engine: StoreSettings['engine'], folder: Folder, name: string): Promise<Place> {
  if (engine === 'sqlite') {
    const path = join(folder.path, `${name}.db`)
    return { url: `sqlite:${path}`, settings: { engine, path, durability: 'default' } }
  }
  const url = await (await sharedPostgres()).createDatabase()
  return { url, settings: { engine, url } }
}

async function moved(folder: Folder, from: Place, to: Place) {
  await using run = startTollgate(folder, ['move', '--from', from.url, '--to', to.url, '--json'])
  expect([await run.exitCode, run.output]).toEqual([0, expect.stringContaining('"rows"')])
  return JSON.parse(run.output) as { rows: Record<string, number>; sums_usd: Record<string, string> }
}

async function ledgerOf(folder: Folder, place: Place): Promise<object> {
  await using run = startTollgate(folder, ['ledger', 'verify', '--database-url', place.url, '--json'])
  await run.exitCode
  return JSON.parse(run.output) as object
}

/** What the callers of the books find on a gateway that serves them. */
async function findAllIn(world: World, books: FilledBooks): Promise<void> {
  const ask = (path: string, body?: object, headers: Record<string, string> = {}) =>
    checkedFetch(world.url + path, {
      method: body ? 'POST' : 'GET',
      headers: {
        authorization: `Bearer ${books.secret}`,
        ...(body && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const { balance_usd: balance, held_usd: held } = await world.operations.workspace(books.workspaceId)
  expect([balance, held].map((usd) => BigInt(Math.round(Number(usd) * 1e9)))).toEqual([
    BigInt(books.balance),
    HELD,
  ])

  const chat = await ask('/v1/chat/completions', { model: MODEL, messages: MESSAGES })
  expect(chat.status).toBe(200)
  expect(Number(chat.headers.get('x-ratelimit-limit'))).toBe(KEY_PER_MINUTE)
  expect(Number(chat.headers.get('x-ratelimit-remaining'))).toBe(books.remaining - 1)
  await chat.text()

  const again = await ask('/v1/chat/completions', { model: MODEL, messages: MESSAGES }, ONCE)
  expect([again.headers.get('idempotent-replayed'), await again.text()]).toEqual(['true', books.answered])

  const reached = world.provider.requests.length
  const next = { model: MODEL, input: 'And now?', previous_response_id: books.responseId }
  const answer = await jsonOf(await ask('/v1/responses', next))
  expect(answer).toMatchObject({ previous_response_id: books.responseId, status: 'completed' })
  const { body } = await world.provider.request(reached)
  if (!isJsonObject(body)) throw new Error('the provider was sent JSON')
  expect(body['messages']).toEqual([
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: 'Hello' },
    { role: 'user', content: 'And now?' },
  ])

  const revoked = await ask('/v1/key', undefined, { authorization: `Bearer ${books.revokedSecret}` })
  expect(revoked.status).toBe(401)
  const created = await world.operations.createWorkspace({ name: 'new', type: 'personal' })
  expect((await world.operations.ledger(created.id, {})).data).toEqual([])
}

describe.skipIf(mustSkip('moves between SQLite and Postgres')).each([
  ['SQLite to Postgres', 'sqlite', 'postgres'],
  ['Postgres to SQLite', 'postgres', 'sqlite'],
] as const)('a move from %s', (_, from, to) => {
  test(
    'and back has every row of every table, and a gateway goes on where the other one stopped',
    async () => {
      await using folder = await createFolder()
      const [first, second, third] = [
        await newDatabase(from, folder, 'first'),
        await newDatabase(to, folder, 'second'),
        await newDatabase(from, folder, 'third'),
      ]
      const books = await fillBooks(first.url, first.settings)
      const before = await rowsIn(first.settings, TABLES)
      // One of everything: a table without a row would prove nothing.
      expect(TABLES.filter((table) => before[table]?.length === 0)).toEqual([])

      const { rows, sums_usd: sums } = await moved(folder, first, second)
      expect(rows).toEqual(Object.fromEntries(TABLES.map((table) => [table, before[table]?.length ?? 0])))
      expect(sums).toMatchObject({ topup: '12.50', adjust: '0.50', held: '0.000005', holds: '0.000005' })
      expect(await rowsIn(second.settings, TABLES)).toEqual(before)
      expect(await rowsIn(first.settings, TABLES)).toEqual(before)
      expect(await ledgerOf(folder, second)).toMatchObject({ ok: true })

      await moved(folder, second, third)
      expect(await rowsIn(third.settings, TABLES)).toEqual(before)
      await using world = await startWorld(worldOn(second.url))
      await findAllIn(world, books)
      const { data } = await world.operations.audit({ action: 'database.move' })
      expect(data).toMatchObject([{ subject: null, changes: { database: { before: expect.any(String) } } }])
    },
    TEST_LIMIT_MS,
  )
})
