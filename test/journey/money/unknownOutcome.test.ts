import { describe, expect, test } from 'bun:test'
import { addsUp } from '../../../src/core/ledger.ts'
import { StoreUnavailable } from '../../../src/core/ports/till.ts'
import { SETTLEMENT_PATIENCE_MS } from '../../../src/pipeline/settle/settle.ts'
import { badLineTo, type BadLine } from '../../support/postgres-proxy.ts'
import { mustSkip, sharedPostgres } from '../../support/postgres.ts'
import { errorOf } from '../../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../../support/scale.ts'
import { type World, startWorld } from '../../support/world.ts'

const BALANCE = '10.00'
const POLL_MS = 10

interface DoubtfulWorld extends AsyncDisposable {
  readonly world: World
  readonly line: BadLine
  /** Resolves when the line has gone. */
  readonly gone: Promise<void>
}

/** A database that commits the next settlement, and is gone before it has said so, until its line is mended. */
async function doubtfulWorld(loses: 'answer' | 'request'): Promise<DoubtfulWorld> {
  const url = await (await sharedPostgres()).createDatabase()
  let settling: number | undefined
  let away = false
  const gone = Promise.withResolvers<void>()
  const line = await badLineTo(url, ({ from, data, connection }) => {
    if (away) return true
    if (from === 'client' && data.includes('INSERT INTO usage_records')) settling = connection
    const isIt =
      connection === settling &&
      (loses === 'request' ? from === 'client' : from === 'server' && data.includes('COMMIT\0'))
    if (isIt) {
      away = true
      gone.resolve()
    }
    return isIt
  })
  const world = await startWorld({ databaseUrl: line.url, balance: BALANCE })
  return {
    world,
    line,
    gone: gone.promise,
    async [Symbol.asyncDispose]() {
      line.mend()
      await world.stop()
      await line.close()
    },
  }
}

/** The receipt that the call has in the end. */
async function receiptOf(world: World) {
  for (;;) {
    const [receipt] = (await world.operations.requests({})).data
    if (receipt?.ending === 'gateway_failed') return receipt
    await Bun.sleep(POLL_MS)
  }
}

async function expectSoundLedger(world: World): Promise<void> {
  for await (const found of world.gateway.store.books.verify()) expect(addsUp(found)).toBe(true)
}

describe.skipIf(mustSkip('settlements of unknown outcome'))('a settlement whose COMMIT got no answer', () => {
  test.each([
    ['whole', 503],
    ['streamed', 200],
  ] as const)(
    'while its caller waits (%s) is promised nothing about, and refunded when the database is back',
    async (how, status) => {
      await using given = await doubtfulWorld('answer')
      const { world, line } = given
      const answered = world.chat({ stream: how === 'streamed' }, { 'idempotency-key': 'once' })
      await given.gone
      world.clock.advance(SETTLEMENT_PATIENCE_MS)
      const response = await answered
      expect(response.status).toBe(status)
      const text = await response.text()
      expect(text).toContain('"code":"service_unavailable"')
      expect(text).toContain('It is not yet known whether you were charged')
      expect(text).not.toContain('were not charged')
      expect(text).not.toContain('[DONE]')

      line.mend()
      const receipt = await receiptOf(world)
      expect(receipt).toMatchObject({ charge_usd: '0.00', status, lines: [] })
      expect(await world.balance()).toEqual({ balance: BALANCE, held: '0.00' })
      const kinds = (await world.ledger()).map(({ kind }) => kind)
      expect(kinds).toEqual(['topup', 'hold', 'release', 'charge', 'refund'])
      await expectSoundLedger(world)

      // A failed call frees its key.
      const again = await world.chat({ stream: how === 'streamed' }, { 'idempotency-key': 'once' })
      expect(again.headers.get('idempotent-replayed')).toBeNull()
      expect(await again.text()).toContain('world')
      await world.settled()
      expect((await world.balance()).balance).not.toBe(BALANCE)
    },
    TEST_LIMIT_MS,
  )

  test(
    'and which never arrived is settled as free when the database is back',
    async () => {
      await using given = await doubtfulWorld('request')
      const { world, line } = given
      const answered = world.chat()
      await given.gone
      world.clock.advance(SETTLEMENT_PATIENCE_MS)
      expect((await errorOf(await answered)).message).toContain(
        'It is not yet known whether you were charged',
      )
      line.mend()
      expect(await receiptOf(world)).toMatchObject({ charge_usd: '0.00', status: 503 })
      expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release'])
      await expectSoundLedger(world)
    },
    TEST_LIMIT_MS,
  )

  test(
    'is one only where it was sent: while the database is away before, the answer costs nothing and says so',
    async () => {
      await using world = await startWorld({ balance: BALANCE })
      const { till } = world.gateway.store as { till: { settle: unknown } }
      const real = till.settle
      till.settle = () => {
        till.settle = real
        world.clock.advance(SETTLEMENT_PATIENCE_MS)
        return Promise.reject(new StoreUnavailable('scripted'))
      }
      const response = await world.chat()
      expect(response.status).toBe(503)
      expect((await errorOf(response)).message).toEndWith('You were not charged.')
      expect(await receiptOf(world)).toMatchObject({ charge_usd: '0.00', status: 503 })
      expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release'])
    },
    TEST_LIMIT_MS,
  )
})
