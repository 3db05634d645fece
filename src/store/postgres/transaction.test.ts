import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { OutcomeUnknown, StoreUnavailable } from '../../core/ports/till.ts'
import { mustSkip, sharedPostgres } from '../../../test/support/postgres.ts'
import { createPool, type Pool } from './pool.ts'
import { createSession, type Session } from './session.ts'
import { createLane, type Transaction } from './transaction.ts'
import { rejectionOf } from '../../../test/support/rejection.ts'

describe.skipIf(mustSkip('transactions on Postgres'))('a transaction', () => {
  let sql: SQL
  let pool: Pool
  beforeAll(async () => {
    const url = await (await sharedPostgres()).createDatabase()
    pool = createPool({ url, connections: 8 })
    sql = new SQL(url, { max: 2, bigint: true })
    await sql.unsafe(`CREATE TABLE lane_marks (lane text PRIMARY KEY, number bigint NOT NULL, written_at bigint NOT NULL);
      CREATE TABLE counter (id int PRIMARY KEY, value bigint NOT NULL); INSERT INTO counter VALUES (1, 0)`)
  })
  afterAll(async () => {
    await pool.close('at once')
    await sql.close({ timeout: 0 })
  })

  const increment: Transaction<bigint> = {
    load: [{ text: 'SELECT value FROM counter WHERE id = 1 FOR UPDATE' }],
    decide([counter]) {
      const value = (counter?.[0]?.['value'] as bigint) + 1n
      return {
        writes: [{ text: 'UPDATE counter SET value = $1 WHERE id = 1', values: [value] }],
        result: value,
      }
    },
  }

  async function counted(): Promise<bigint> {
    return (await sql.unsafe<{ value: bigint }[]>('SELECT value FROM counter'))[0]?.value ?? -1n
  }

  test('whose COMMIT got no answer is not done twice', async () => {
    const before = await counted()
    const lane = createLane(losing(createSession(pool), 'answer'), 'lost-answer', Date.now)
    expect(await lane.run(increment)).toBe(before + 1n)
    expect(await counted()).toBe(before + 1n)
    expect(await lane.run(increment)).toBe(before + 2n)
  })

  test('whose COMMIT never arrived is done after all', async () => {
    const before = await counted()
    const lane = createLane(losing(createSession(pool), 'request'), 'lost-request', Date.now)
    expect(await lane.run(increment)).toBe(before + 1n)
    expect(await counted()).toBe(before + 1n)
  })

  test('whose COMMIT is still under way when it is repeated is waited for, though it locked no row that was there', async () => {
    const before = await counted()
    const session = createSession(pool)
    const hung = await sql.reserve()
    let hangs = true
    const lane = createLane(
      {
        async send(statements) {
          if (!hangs || statements.at(-1)?.text !== 'COMMIT') return session.send(statements)
          hangs = false
          // Committed on a line of its own, and later than its repetition has begun.
          const write = statements[0]
          await hung.unsafe('BEGIN')
          await hung.unsafe(write?.text ?? '', [...(write?.values ?? [])])
          setTimeout(() => void hung.unsafe('COMMIT').execute(), 50)
          throw new StoreUnavailable('the connection is lost')
        },
        rest: () => session.rest(),
        reset: () => session.reset(),
      },
      'late-commit',
      Date.now,
    )
    const unlocked: Transaction<number> = {
      load: [],
      decide: () => ({
        writes: [{ text: 'UPDATE counter SET value = value + 1 WHERE id = 1' }],
        result: 1,
      }),
    }
    expect(await lane.run(unlocked)).toBe(1)
    expect(await counted()).toBe(before + 1n)
    await hung.release()
  })

  test('whose COMMIT got no answer, and whose database stays away, has an unknown outcome', async () => {
    const before = await counted()
    const session = losing(createSession(pool), 'answer', Infinity)
    const lane = createLane(session, 'stays-away', Date.now)
    expect(await rejectionOf(lane.run(increment))).toBeInstanceOf(OutcomeUnknown)
    expect(await counted()).toBe(before + 1n)
  })

  test('that a database which stays away never saw has not happened, and nobody calls that unknown', async () => {
    const away: Session = {
      send: () => Promise.reject(new StoreUnavailable('the connection is refused')),
      rest: () => undefined,
      reset: () => Promise.resolve(),
    }
    const error = await rejectionOf(createLane(away, 'away', Date.now).run(increment))
    expect(error).toBeInstanceOf(StoreUnavailable)
    expect(error).not.toBeInstanceOf(OutcomeUnknown)
  })

  test('that throws in its decision rolls back, and the lane goes on', async () => {
    const before = await counted()
    const lane = createLane(createSession(pool), 'thrower', Date.now)
    const broken: Transaction<bigint> = {
      ...increment,
      decide() {
        throw new RangeError('a bug')
      },
    }
    expect(await rejectionOf(lane.run(broken))).toBeInstanceOf(RangeError)
    expect(await lane.run(increment)).toBe(before + 1n)
  })

  test('with a wrong statement fails as a fault and changes nothing', async () => {
    const before = await counted()
    const lane = createLane(createSession(pool), 'wrong', Date.now)
    const wrong: Transaction<number> = {
      load: [],
      decide: () => ({
        writes: [
          { text: 'UPDATE counter SET value = 99 WHERE id = 1' },
          { text: 'INSERT INTO counter VALUES (1, 1)' },
        ],
        result: 1,
      }),
    }
    const error: unknown = await lane.run(wrong).catch((error: unknown) => error)
    expect(error).not.toBeInstanceOf(StoreUnavailable)
    expect(await counted()).toBe(before)
  })
})

/** Loses the first COMMIT on its way there, or its answer on the way back, and so many more round trips. */
function losing(session: Session, what: 'request' | 'answer', more = 0): Session {
  let lost = 0
  return {
    async send(statements) {
      const loses = lost === 0 ? statements.at(-1)?.text === 'COMMIT' : lost <= more
      if (!loses) return session.send(statements)
      lost++
      if (what === 'answer' && lost === 1) await session.send(statements)
      throw new StoreUnavailable('the connection is lost')
    },
    rest: () => session.rest(),
    reset: () => session.reset(),
  }
}
