import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { createRemoteOperations } from '../../src/cli/remoteOperations.ts'
import { checkedFetch } from '../support/checkedFetch.ts'
import { badLineTo, type BadLine } from '../support/postgres-proxy.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'
import { errorOf } from '../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { startWorld, type World } from '../support/world.ts'

const ADMIN_TOKEN = 'changes-in-doubt-admin'
const AMOUNT = { amount_usd: '5.00' }

describe.skipIf(mustSkip('changes of operators in doubt'))('a change whose COMMIT got no answer', () => {
  let world: World
  let line: BadLine
  /** `next`: the next COMMIT is done, and the database is away before it has said so. */
  let database: 'there' | 'next' | 'away' = 'there'

  beforeAll(async () => {
    const url = await (await sharedPostgres()).createDatabase()
    line = await badLineTo(url, ({ from, data }) => {
      if (database === 'next' && from === 'server' && data.includes('COMMIT\0')) database = 'away'
      return database === 'away'
    })
    world = await startWorld({
      databaseUrl: line.url,
      config: () => ({ server: { admin_token: ADMIN_TOKEN } }),
    })
  }, TEST_LIMIT_MS)
  afterAll(async () => {
    line.mend()
    await world.stop()
    await line.close()
  })
  beforeEach(() => void (database = 'there'))

  async function credit(key?: string): Promise<Response> {
    return checkedFetch(`${world.url}/api/v1/admin/workspaces/${world.workspaceId}/credits`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${ADMIN_TOKEN}`,
        'content-type': 'application/json',
        ...(key !== undefined && { 'idempotency-key': key }),
      },
      body: JSON.stringify(AMOUNT),
    })
  }

  /** How often the amount was booked since the last look. */
  let seen = 0
  async function booked(): Promise<number> {
    const all = (await world.ledger()).filter(({ amount_usd: amount }) => amount === AMOUNT.amount_usd).length
    const fresh = all - seen
    seen = all
    return fresh
  }

  test(
    'is a credit that may have been booked: without a key its sender is told to look, and not to try again',
    async () => {
      database = 'next'
      const response = await credit()
      expect(response.status).toBe(503)
      expect(response.headers.get('retry-after')).toBeNull()
      const { code, message } = await errorOf(response)
      expect(code).toBe('service_unavailable')
      expect(message).toContain('the credit may have been booked')
      expect(message).toContain('Look at the ledger before you repeat it')
      database = 'there'
      expect(await booked()).toBe(1)
    },
    TEST_LIMIT_MS,
  )

  test(
    'is done once under an Idempotency-Key, and its sender is told to repeat it with that',
    async () => {
      database = 'next'
      const response = await credit('invoice-1')
      expect(response.status).toBe(503)
      expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
      expect((await errorOf(response)).message).toContain('Repeat the request with the same Idempotency-Key')
      database = 'there'
      expect((await credit('invoice-1')).status).toBe(201)
      expect(await booked()).toBe(1)
    },
    TEST_LIMIT_MS,
  )

  test(
    'is passed on by the command line with the key that it made',
    async () => {
      const remote = createRemoteOperations(world.url, ADMIN_TOKEN, fetch)
      database = 'next'
      const message = await remote.credit(world.workspaceId, AMOUNT).then(
        () => 'it was answered',
        (error: Error) => error.message,
      )
      expect(message).toContain('the credit may have been booked')
      const idempotencyKey = /--idempotency-key (\S+):/.exec(message)?.[1]
      expect(idempotencyKey).toBeString()
      database = 'there'
      await remote.credit(world.workspaceId, AMOUNT, { idempotencyKey })
      expect(await booked()).toBe(1)
    },
    TEST_LIMIT_MS,
  )

  test(
    'is said of workspaces and keys too, and not of what never reached the database',
    async () => {
      database = 'next'
      const created = world.operations.createWorkspace({ name: 'second', type: 'personal' })
      expect(await created.catch((error: Error) => error.message)).toContain(
        'the workspace may have been created. Look at the workspaces',
      )
      const unsent = world.operations.credit(world.workspaceId, AMOUNT)
      expect(await unsent.catch((error: Error) => error.name)).toBe('StoreUnavailable')
      database = 'there'
      expect(await booked()).toBe(0)
    },
    TEST_LIMIT_MS,
  )
})
