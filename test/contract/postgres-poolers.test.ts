import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { SQL } from 'bun'
import { nano } from '../../src/core/money.ts'
import { CONNECTIONS, type Store } from '../../src/core/ports/store.ts'
import { StoreUnavailable } from '../../src/core/ports/till.ts'
import { createAuthenticator } from '../../src/pipeline/authenticate/authenticate.ts'
import { openPostgresStore } from '../../src/store/postgres/openPostgresStore.ts'
import {
  mustSkipPooler,
  type Pgbouncer,
  type PgbouncerOptions,
  PREPARES,
  startPgbouncer,
} from '../support/pgbouncer.ts'
import { sharedPostgres } from '../support/postgres.ts'
import { rejectionOf } from '../support/rejection.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { slownessOfMachine } from '../support/slowness.ts'
import {
  type Customer,
  admissionOf,
  createCustomer,
  ids,
  moneyOf,
  newKey,
  proveLedgers,
  settlementOf,
  tallyOf,
} from './customer.ts'

/** How a pooler may stand before the database. */
interface Way {
  readonly name: string
  readonly options: PgbouncerOptions
  readonly query?: string
  readonly atLeast?: string
  readonly carriesNotifications: boolean
}

const SMALL_POOL = 3
const WAYS: readonly Way[] = [
  { name: 'in its default configuration', options: {}, carriesNotifications: true },
  {
    name: 'that pools transactions, with ?prepare=false',
    options: { mode: 'transaction', poolSize: SMALL_POOL },
    query: '?prepare=false',
    carriesNotifications: false,
  },
  {
    name: 'that pools transactions and keeps prepared statements',
    options: { mode: 'transaction', poolSize: SMALL_POOL, preparedStatements: 200 },
    atLeast: PREPARES,
    carriesNotifications: false,
  },
]
const HEARING_TIMEOUT_MS = 500
const LIMIT_PER_MINUTE = 60
const ADMISSIONS = 300
const BALANCE = 1_000_000_000n
const HOLD = 1_000n
const COST = 7n
const CALLERS = 8
/** Before the pooler is killed, and after it has come back. */
const CALLS = 40
/** By which time a revoked key is refused everywhere. */
const REVOCATION_MS = 1_000

for (const { name, options, query = '', atLeast, carriesNotifications } of WAYS) {
  describe.skipIf(mustSkipPooler(`two processes behind a pgbouncer ${name}`, atLeast))(
    `two processes behind a pgbouncer ${name}`,
    () => {
      let direct: SQL
      let pooler: Pgbouncer
      let stores: readonly [Store, Store]
      const warnings: [string[], string[]] = [[], []]
      let customer: Customer
      const warned = Promise.withResolvers<void>()

      beforeAll(async () => {
        const url = await (await sharedPostgres()).createDatabase()
        direct = new SQL(url, { max: 1 })
        pooler = await startPgbouncer(url, options)
        const open = (heard: string[]): Promise<Store> =>
          openPostgresStore({
            url: pooler.url + query,
            // Where notifications are carried, however slowly, nobody is to be warned.
            ...(!carriesNotifications && { hearingTimeoutMs: HEARING_TIMEOUT_MS }),
            warn(sentence) {
              heard.push(sentence)
              if (warnings.every((each) => each.length > 0)) warned.resolve()
            },
          })
        stores = [await open(warnings[0]), await open(warnings[1])]
        customer = await createCustomer(stores[0], BALANCE)
      }, TEST_LIMIT_MS)
      afterAll(async () => {
        await Promise.all(stores.map((store) => store.close()))
        await pooler[Symbol.asyncDispose]()
        await direct.close({ timeout: 0 })
      }, TEST_LIMIT_MS)

      test(
        'let exactly as many calls through as the limit says, and list what there is',
        async () => {
          const limited = await createCustomer(stores[1])
          const verdicts = await Promise.all(
            Array.from({ length: ADMISSIONS }, (_, i) =>
              stores[i % 2 ? 1 : 0].till.admit(
                admissionOf(limited, undefined, { limits: { workspacePerMinute: LIMIT_PER_MINUTE } }),
              ),
            ),
          )
          expect(tallyOf(verdicts)).toEqual({
            admitted: LIMIT_PER_MINUTE,
            rate_limited: ADMISSIONS - LIMIT_PER_MINUTE,
          })
          const listed = await stores[0].directory.workspaces({ limit: 10 })
          expect(listed.items.map(({ id }) => id).toSorted()).toEqual(
            [customer.workspaceId, limited.workspaceId].toSorted(),
          )
        },
        TEST_LIMIT_MS,
      )

      test('have no more connections to the server than their settings and the pool allow', async () => {
        const [row] = await direct<{ count: number }[]>`SELECT count(*)::int AS count FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()`
        const allowed = options.poolSize ?? 2 * CONNECTIONS.default
        expect(row?.count).toBeLessThanOrEqual(allowed)
      })

      test(
        'see within a second that the other has revoked a key',
        async () => {
          const [here, there] = stores
          const secret = ids.secret()
          const hash = (text: string) => new Bun.CryptoHasher('sha256').update(text).digest('hex')
          const key = newKey(customer.workspaceId, { secretHash: hash(secret) })
          await here.directory.createKey(key)
          const authenticator = createAuthenticator({ directory: there.directory, now: Date.now, hash })
          there.directory.onChange(() => authenticator.forget())
          const seen = () =>
            authenticator
              .authenticate({ authorization: `Bearer ${secret}`, apiKey: null })
              .then(() => 'accepted', String)
          expect(await seen()).toBe('accepted')
          await here.directory.revokeKey(key.id, Date.now())
          const revokedAt = performance.now()
          while ((await seen()) === 'accepted') await Bun.sleep(1)
          expect(performance.now() - revokedAt).toBeLessThan(REVOCATION_MS * slownessOfMachine())
        },
        TEST_LIMIT_MS,
      )

      test.skipIf(carriesNotifications)(
        'each say once that no notifications come, and what that means',
        async () => {
          await warned.promise
          expect(warnings).toEqual([
            [expect.stringContaining('within a second')],
            [expect.stringContaining('LISTEN')],
          ])
        },
        TEST_LIMIT_MS,
      )

      test(
        'charge each answered call once while the pooler is killed and comes back',
        async () => {
          let settled = 0
          let unknown = 0
          let failures = 0
          let isBack = false
          const halfway = Promise.withResolvers<void>()
          const away = Promise.withResolvers<void>()
          function failed(error: unknown): void {
            expect(error).toBeInstanceOf(StoreUnavailable)
            if (++failures === CALLERS) away.resolve()
          }
          async function call(store: Store): Promise<void> {
            const admission = admissionOf(customer, HOLD)
            try {
              await store.till.admit(admission)
            } catch (error) {
              unknown++
              return failed(error)
            }
            for (;;) {
              try {
                await store.till.settle(settlementOf(customer, admission.id, COST))
                break
              } catch (error) {
                failed(error)
              }
            }
            if (++settled === CALLS) halfway.resolve()
          }
          const calling = Promise.all(
            Array.from({ length: CALLERS }, async (_, i) => {
              let after = 0
              while (after < CALLS / CALLERS) {
                const counts = isBack
                await call(stores[i % 2 ? 1 : 0])
                if (counts) after++
              }
            }),
          )
          await halfway.promise
          await pooler.kill()
          await away.promise
          await pooler.start()
          isBack = true
          await calling

          const { balance, held } = await moneyOf(stores[0], customer)
          expect(balance).toBe(nano(BALANCE - BigInt(settled) * COST))
          // Of a call that was given up only the hold may be there, until its lease ends.
          expect(held % HOLD).toBe(0n)
          expect(held).toBeLessThanOrEqual(BigInt(unknown) * HOLD)
          expect(await proveLedgers(stores[1])).toBe(2)
          expect(warnings.map((each) => each.length)).toEqual(carriesNotifications ? [0, 0] : [1, 1])
        },
        TEST_LIMIT_MS,
      )
    },
  )
}

describe.skipIf(mustSkipPooler('poolers that do not do'))('a pooler that does not do', () => {
  test('is named when it pools statements', async () => {
    const url = await (await sharedPostgres()).createDatabase()
    await using pooler = await startPgbouncer(url, { mode: 'statement' })
    for (const query of ['', '?prepare=false']) {
      const error = await rejectionOf(openPostgresStore({ url: pooler.url + query }))
      expect(error).toBeInstanceOf(StoreUnavailable)
      expect(String(error)).toContain('must pool sessions or transactions (pool_mode), not statements')
    }
  })

  test.each([undefined, 1])(
    'is named when it loses prepared statements, with what to do (pool size %p)',
    async (poolSize) => {
      const url = await (await sharedPostgres()).createDatabase()
      await using pooler = await startPgbouncer(url, {
        mode: 'transaction',
        preparedStatements: 0,
        ...(poolSize !== undefined && { poolSize }),
      })
      const error = await rejectionOf(openPostgresStore({ url: pooler.url }))
      expect(error).toBeInstanceOf(StoreUnavailable)
      expect(String(error)).toMatch(/prepared statement .* already exists; the pooler .* add \?prepare=false/)
    },
  )

  test(
    'is named by every refusal when it begins to lose prepared statements later',
    async () => {
      const url = await (await sharedPostgres()).createDatabase()
      await using pooler = await startPgbouncer(url)
      const store = await openPostgresStore({ url: pooler.url })
      const customer = await createCustomer(store, BALANCE)
      await pooler.kill()
      await pooler.start({ mode: 'transaction', poolSize: 1, preparedStatements: 0 })
      const errors: unknown[] = []
      const note = (error: unknown): void => void errors.push(error)
      for (
        let said = false;
        !said;
        said = errors.some((error) => everyWordOf(error).includes('?prepare=false'))
      ) {
        await Promise.all([
          store.till.admit(admissionOf(customer, HOLD)).catch(note),
          store.directory.createKey(newKey(customer.workspaceId)).catch(note),
          store.directory.workspaces({ limit: 1 }).catch(note),
          store.ping().catch(note),
        ])
      }
      for (const error of errors) expect(error).toBeInstanceOf(StoreUnavailable)
      await store.close()
    },
    TEST_LIMIT_MS,
  )
})

/** Of the error and of what caused it. */
function everyWordOf(error: unknown): string {
  return error instanceof Error ? `${error.message} ${everyWordOf(error.cause)}` : ''
}
