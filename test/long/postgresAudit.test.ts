import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { mustSkipPooler, type PgbouncerOptions, startPgbouncer } from '../support/pgbouncer.ts'
import { mustSkip, mustSkipPrivate, sharedPostgres, startPostgres } from '../support/postgres.ts'
import { skipFor } from '../support/runEvents.ts'
import { scaled, TEST_LIMIT_MS } from '../support/scale.ts'
import { freeze, terminateStorm } from './postgresAudit/disturbances.ts'
import { testBesideOthers } from './postgresAudit/besideOthers.ts'
import { type FaultyLine, faultyLineTo } from './postgresAudit/line.ts'
import { startPair } from './postgresAudit/pair.ts'
import {
  auditedRun,
  expectAnswers,
  openStage,
  type Stage,
  type StageOptions,
  whileServing,
} from './postgresAudit/stage.ts'

const ANSWERS_HELD_MS = 14_000
/** Longer than all attempts to settle while a caller waits: who waits for an answer that is ready is sent away. */
const EVERYTHING_HELD_MS = 26_000
const BLACK_HOLE_MS = 8_000
const POOLER_AWAY_MS = 3_000
const SERVER_AWAY_MS = 3_000
/** How long the processes that live on are watched after another one was killed. */
const AFTER_KILL_MS = 3_000

const mustSkipAudit = mustSkip('the audit of Postgres under disturbances')

describe.skipIf(mustSkipAudit)('the books of two processes on one Postgres are sound', () => {
  let behind: Awaited<ReturnType<typeof behindLine>>
  let stage: Stage
  let line: FaultyLine

  beforeAll(async () => {
    behind = await behindLine(await newDatabase())
    ;({ stage, line } = behind)
  }, TEST_LIMIT_MS)
  afterAll(() => behind[Symbol.asyncDispose](), TEST_LIMIT_MS)

  test(
    'when COMMIT after COMMIT arrives and its connection breaks before the answer',
    async () => {
      await auditedRun('answers lost', stage, () =>
        line.loseAnswers(scaled({ short: 30, long: 300, budgeted: 30 })),
      )
    },
    TEST_LIMIT_MS,
  )

  test(
    'when all connections are terminated over and over, and calls go on being answered',
    async () => {
      const storm = await auditedRun('connections terminated', stage, (crowd) =>
        terminateStorm(stage, whileServing(crowd, scaled({ short: 1_500, long: 8_000, budgeted: 1_500 }))),
      )
      expectAnswers(storm)
    },
    TEST_LIMIT_MS,
  )

  test(
    'when the line delivers nothing for a while, and then everything',
    async () => {
      await auditedRun('line stands still', stage, () =>
        line.standStill(scaled({ short: 1_500, long: 12_000, budgeted: 1_500 })),
      )
    },
    TEST_LIMIT_MS,
  )

  test(
    'when one of them is frozen, while the other goes on answering',
    async () => {
      const [frozen, other] = stage.world.processes
      if (!frozen || !other) throw new Error('two processes run')
      const run = await auditedRun('one of two frozen', stage, (crowd) =>
        freeze(frozen, () =>
          whileServing(crowd, scaled({ short: 4_000, long: 15_000, budgeted: 4_000 }), [other]),
        ),
      )
      expectAnswers(run, [other])
    },
    TEST_LIMIT_MS,
  )
})

/** Each with processes and books of its own. */
describe.skipIf(mustSkipFull())('the books of processes on a Postgres of their own are sound', () => {
  testBesideOthers(
    'when the answer to each COMMIT is held back: what was committed is found out',
    async () => {
      await using behind = await behindLine(await newDatabase())
      const { stage, line } = behind
      const held = await auditedRun('answers held back', stage, async () => {
        expect(await line.holdAnswers(ANSWERS_HELD_MS)).toBeGreaterThan(0)
      })
      expectAnswers(held)
    },
  )

  testBesideOthers(
    'when nobody can find out what was committed for longer than a caller waits: who was sent away is refunded',
    async () => {
      await using behind = await behindLine(await newDatabase())
      const { stage, line } = behind
      const { crowd } = await auditedRun('everything held back', stage, () =>
        line.holdFromSettlement(EVERYTHING_HELD_MS),
      )
      expect(Object.keys(crowd.refusals())).not.toEqual([])
      expect(await refundsIn(stage)).toBeGreaterThan(0)
    },
  )

  testBesideOthers('when every connection dies in a black hole', async () => {
    await using behind = await behindLine(await newDatabase())
    const { stage, line } = behind
    await auditedRun('black hole', stage, () => line.blackHole(BLACK_HOLE_MS))
  })

  testBesideOthers('when one of three is killed, while the others go on answering', async () => {
    const serverUrl = await newDatabase()
    await using stage = await openStage({ serverUrl, processes: 3 })
    const [victim] = stage.world.processes
    const run = await auditedRun('one of three killed', stage, async (crowd) => {
      await victim?.kill()
      await whileServing(crowd, AFTER_KILL_MS)
    })
    expectAnswers(run, stage.world.processes)
  })

  testBesideOthers('when the server crashes and is started again', async () => {
    const postgres = await startPostgres()
    await using _ = { [Symbol.asyncDispose]: () => postgres.stop() }
    await using stage = await openStage({ serverUrl: await postgres.createDatabase() })
    await auditedRun('server crashed', stage, async () => {
      await postgres.server?.end('kill')
      await Bun.sleep(SERVER_AWAY_MS)
      await postgres.server?.start()
    })
  })

  for (const synchronous of [true, false]) {
    const how = synchronous
      ? 'crashes and its synchronous standby is promoted'
      : 'is shut down and its asynchronous standby, which has all of it, is promoted'
    testBesideOthers(`when the server ${how}`, async () => {
      await using pair = await startPair({ synchronous })
      const { primary, standby } = pair
      await using behind = await behindLine(primary.url, 'by the url')
      const { stage, line } = behind
      await auditedRun(`failover, ${synchronous ? 'synchronous' : 'caught up'}`, stage, async () => {
        await primary.end(synchronous ? 'kill' : 'stop')
        await pair.promote()
        line.leadTo(standby.url)
        stage.serverUrl = standby.url
      })
    })
  }
})

const POOLERS: readonly (readonly [name: string, options: PgbouncerOptions, query: string])[] = [
  ['in its default configuration', {}, ''],
  ['that pools transactions, with ?prepare=false', { mode: 'transaction', poolSize: 3 }, '?prepare=false'],
]

describe.skipIf(mustSkipFull() || mustSkipPooler('the audit of Postgres behind pgbouncer'))(
  'the books of two processes are sound when it is killed and comes back: a pgbouncer',
  () => {
    for (const [name, options, query] of POOLERS) {
      testBesideOthers(name, async () => {
        const serverUrl = await newDatabase()
        await using pooler = await startPgbouncer(serverUrl, options)
        await using stage = await openStage({ serverUrl, url: pooler.url + query })
        await auditedRun(`pgbouncer ${name} killed`, stage, async () => {
          await pooler.kill()
          await Bun.sleep(POOLER_AWAY_MS)
          await pooler.start()
        })
      })
    }
  },
)

/** Minutes of waiting for leases: not where minutes are counted, either. */
function mustSkipFull(): boolean {
  const isFull = scaled({ short: false, long: true, budgeted: false })
  if (!isFull) return skipFor('takes too long for every run; npm run test:long has it')
  return mustSkipPrivate('the audit of Postgres under disturbances')
}

/** Where each process, and where it is said the test itself, reaches the server by a line that can be disturbed. */
async function behindLine(
  serverUrl: string,
  own: StageOptions['own'] = 'directly',
): Promise<{ readonly stage: Stage; readonly line: FaultyLine } & AsyncDisposable> {
  const line = await faultyLineTo(serverUrl)
  const stage = await openStage({ serverUrl, url: line.url, own })
  return {
    stage,
    line,
    async [Symbol.asyncDispose]() {
      await stage[Symbol.asyncDispose]()
      await line.close()
    },
  }
}

async function newDatabase(): Promise<string> {
  return (await sharedPostgres()).createDatabase()
}

async function refundsIn({ serverUrl }: Stage): Promise<number> {
  const sql = new SQL(serverUrl, { max: 1 })
  try {
    const rows = await sql`SELECT sequence FROM transfers WHERE kind = 'refund'`
    return rows.length
  } finally {
    await sql.close({ timeout: 0 })
  }
}
