import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { mustSkip, sharedPostgres } from '../../../test/support/postgres.ts'
import { classifyFailure } from './failure.ts'
import { createPool, type Pool } from './pool.ts'
import { createSession } from './session.ts'

describe.skipIf(mustSkip('sessions on Postgres'))('a session', () => {
  let pool: Pool
  beforeAll(async () => {
    pool = createPool({ url: (await sharedPostgres()).url, connections: 2 })
  })
  afterAll(() => pool.close('at once'))

  test('gives a server up that does not answer in time, and goes on with another connection', async () => {
    const session = createSession(pool, { timeoutMs: 100 })
    const error: unknown = await session
      .send([{ text: 'BEGIN' }, { text: 'SELECT pg_sleep(30)' }])
      .catch((error: unknown) => error)
    expect(classifyFailure(error)).toBe('unavailable')
    await session.reset()
    const [answer] = await session.send([{ text: 'SELECT $1::bigint AS value', values: [7n] }])
    expect(answer?.[0]?.['value']).toBe(7n)
    await session.reset()
  })

  test('tells contention, an absent database and a wrong statement apart', async () => {
    const session = createSession(pool)
    const failures = []
    for (const text of [
      "DO $$ BEGIN RAISE SQLSTATE '40001'; END $$",
      "DO $$ BEGIN RAISE SQLSTATE '57P01'; END $$",
      'SELECT nonsense',
      // A feature that the server has not is no stale statement, though it has the same state.
      "DO $$ BEGIN RAISE SQLSTATE '0A000'; END $$",
    ]) {
      failures.push(await session.send([{ text }]).catch(classifyFailure))
    }
    await session.reset()
    expect(failures).toEqual(['contention', 'unavailable', 'fault', 'fault'])
  })
})
