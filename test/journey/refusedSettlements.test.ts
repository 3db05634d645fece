import { Database } from 'bun:sqlite'
import { SQL } from 'bun'
import { describe, expect, test } from 'bun:test'
import { REFUSED_LIMIT_MS } from '../../src/pipeline/settle/refusedSettlements.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { errorOf } from '../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { startWorld, type World } from '../support/world.ts'

interface Refusing {
  readonly databaseUrl: string | undefined
  /** Refuses the records of some calls, or takes all again. */
  refuse(world: World, condition: string): Promise<void>
  mend(world: World): Promise<void>
}

const onSqlite: Refusing = {
  databaseUrl: undefined,
  refuse: ({ settings }, condition) =>
    inFile(
      settings,
      `create trigger refuses before insert on usage_records when ${condition} begin select raise(abort, 'planted'); end`,
    ),
  mend: ({ settings }) => inFile(settings, 'drop trigger refuses'),
}

async function inFile({ database }: World['settings'], statement: string): Promise<void> {
  if (database.engine !== 'sqlite') throw new Error('expected a file')
  using file = new Database(database.path)
  file.run('pragma busy_timeout = 5000')
  file.run(statement)
}

async function onPostgres(): Promise<Refusing> {
  const databaseUrl = await (await sharedPostgres()).createDatabase()
  const run = async (statement: string): Promise<void> => {
    await using sql = new SQL(databaseUrl, { max: 1 })
    await sql.unsafe(statement)
  }
  return {
    databaseUrl,
    refuse: (_, condition) =>
      run(`create function refuse() returns trigger language plpgsql as $$ begin raise exception 'planted'; end $$;
        create trigger refuses before insert on usage_records for each row when (${condition}) execute function refuse()`),
    mend: () => run('drop trigger refuses on usage_records; drop function refuse()'),
  }
}

async function start({ databaseUrl }: Refusing): Promise<World> {
  return startWorld(databaseUrl === undefined ? {} : { databaseUrl })
}

async function metric(world: World, name: string): Promise<number> {
  const text = await (await world.request('GET', '/metrics')).text()
  return Number(new RegExp(`^${name} (\\d+)`, 'm').exec(text)?.[1])
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await Bun.sleep(20)
}

const skipsPostgres = mustSkip('settlements that Postgres refuses')

describe.each([
  ['SQLite', () => Promise.resolve(onSqlite), false],
  ['Postgres', onPostgres, skipsPostgres],
] as const)('when %s answers', (_engine, open, skips) => {
  test.skipIf(skips)(
    'but takes no settlement for ten seconds, no further call is made until it takes one',
    async () => {
      const database = await open()
      await using world = await start(database)
      await database.refuse(world, 'true')
      for (let call = 0; call < 2; call++) await (await world.chat({ stream: true })).text()
      expect((await world.request('GET', '/readyz')).status).toBe(200)
      world.clock.advance(REFUSED_LIMIT_MS + 1)
      await until(async () => (await world.request('GET', '/readyz')).status === 503)
      const asked = world.provider.requests.length
      const refused = await world.chat()
      expect([refused.status, world.provider.requests.length]).toEqual([503, asked])
      expect(await errorOf(refused)).toMatchObject({ code: 'service_unavailable' })
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
      await database.mend(world)
      await until(async () => (await world.request('GET', '/readyz')).status === 200)
      expect((await world.chat()).status).toBe(200)
      await until(async () => (await world.balance()).held === '0.00')
    },
    TEST_LIMIT_MS,
  )

  test.skipIf(skips)(
    'a settlement that it refuses alone is named, counted, and stops no other',
    async () => {
      const database = await open()
      await using world = await start(database)
      await database.refuse(world, `new.end_user = 'poison'`)
      await (await world.chat({ stream: true, user: 'poison' })).text()
      expect((await world.chat()).status).toBe(200)
      world.clock.advance(REFUSED_LIMIT_MS + 1)
      await until(async () => (await metric(world, 'tollgate_settlements_set_aside_total')) === 1)
      expect((await world.chat()).status).toBe(200)
      expect((await world.request('GET', '/readyz')).status).toBe(200)
      await database.mend(world)
    },
    TEST_LIMIT_MS,
  )
})
