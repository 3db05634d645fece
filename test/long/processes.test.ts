import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import {
  ADMIN_TOKEN,
  type GatewayProcess,
  type ProcessCustomer,
  type ProcessWorld,
  startProcessWorld,
} from '../support/processWorld.ts'
import { answers, openaiUsage, pause } from '../support/scriptedProvider.ts'
import { TEST_LIMIT_MS, repeats } from '../support/scale.ts'
import { standardModel } from '../support/world.ts'
import { integer } from '../support/inspector.ts'
import { rateOf } from '../support/readAnswer.ts'
import { PROCESS_ENGINES } from './engines.ts'

const PROCESSES = 3
const CALLS = 200
const AFFORDABLE = 37
const OUTPUT_TOKENS = 20
/** Only output costs: so a call costs exactly what it holds. 20 tokens at 50 dollars per million. */
const PRICE_OF_CALL_USD = 0.001
const PRICE_OF_CALL_NANO = 1_000_000n
/** Of each of the tests, on each engine. */
const ROUNDS = { short: 1, long: 15, share: 0.01 }

for (const engine of PROCESS_ENGINES) {
  describe.skipIf(engine.skipped)(`three processes on one ${engine.name} database`, () => {
    let started: ProcessWorld | undefined
    beforeAll(async () => {
      started = await startProcessWorld({
        ...(await engine.database()),
        processes: PROCESSES,
        provider: answers({ pieces: ['Hello', pause(5), ' world'], usage: openaiUsage(9, OUTPUT_TOKENS) }),
        config: () => ({ models: [standardModel({ our_price: { input: 0, output: 50 } })] }),
      })
    }, TEST_LIMIT_MS)
    afterAll(async () => started?.[Symbol.asyncDispose](), TEST_LIMIT_MS)

    function world(): ProcessWorld {
      if (!started) throw new Error('the processes have not started')
      return started
    }
    function it(name: string, proof: () => Promise<void>): void {
      test(
        name,
        async () => {
          for (const _ of repeats(ROUNDS)) await proof()
        },
        TEST_LIMIT_MS,
      )
    }

    it('with a balance for exactly 37 calls let exactly 37 of 200 through to the provider', async () => {
      const customer = await world().createCustomer({ balance: String(AFFORDABLE * PRICE_OF_CALL_USD) })
      const { statuses, reached } = await callAtOnce(world(), customer)
      expect(statuses).toEqual({ '200': AFFORDABLE, '402 insufficient_balance': CALLS - AFFORDABLE })
      expect(reached).toBe(AFFORDABLE)
      expect(await moneyOf(world(), customer)).toEqual({ balance: 0n, held: 0n, charges: AFFORDABLE })
    })

    it("with 37 calls left of a key's month let exactly 37 of 200 through to the provider", async () => {
      const customer = await world().createCustomer({
        key: { monthly_spend_usd: String(AFFORDABLE * PRICE_OF_CALL_USD) },
      })
      const { statuses, reached } = await callAtOnce(world(), customer)
      expect(statuses).toEqual({ '200': AFFORDABLE, '402 spend_limit_exceeded': CALLS - AFFORDABLE })
      expect(reached).toBe(AFFORDABLE)
      const spent = BigInt(AFFORDABLE) * PRICE_OF_CALL_NANO
      expect(await moneyOf(world(), customer)).toEqual({
        balance: 10_000_000_000n - spent,
        held: 0n,
        charges: AFFORDABLE,
      })
    })

    it('let exactly 60 of 600 requests through a limit of 60, each with its own remaining', async () => {
      const customer = await world().createCustomer({ workspace: { requests_per_minute: 60 } })
      const responses = await Promise.all(
        Array.from({ length: 600 }, (_, ordinal) =>
          ordinal % 10 === 0
            ? world().chat(processOf(world(), ordinal), customer.secret, { max_tokens: OUTPUT_TOKENS })
            : fetch(`${processOf(world(), ordinal).url}/v1/models`, {
                headers: { authorization: `Bearer ${customer.secret}` },
              }),
        ),
      )
      const passed = responses.filter(({ status }) => status === 200)
      expect(passed.length).toBe(60)
      expect(responses.filter(({ status }) => status === 429).length).toBe(540)
      const remaining = passed.map((response) => rateOf(response).remaining).sort((a, b) => b - a)
      expect(remaining).toEqual(Array.from({ length: 60 }, (_, used) => 59 - used))
      for (const response of responses) {
        expect(rateOf(response).limit).toBe(60)
        if (response.status === 429) {
          expect(rateOf(response).remaining).toBe(0)
          // A request that came a moment before the one that opened the window waits that moment longer.
          expect(Number(response.headers.get('retry-after'))).toBeWithin(1, 62)
        }
        await response.text()
      }
    })

    it('refuse a key everywhere one second after one of them has revoked it', async () => {
      const customer = await world().createCustomer()
      const call = (process: GatewayProcess): Promise<number> => statusOf(process, customer)
      expect(await Promise.all(world().processes.map(call))).toEqual([200, 200, 200])
      const [first] = world().processes
      const revoked = await fetch(`${first?.url}/api/v1/admin/keys/${customer.keyId}`, {
        method: 'DELETE',
        headers: { authorization: `Bearer ${ADMIN_TOKEN}` },
      })
      expect(revoked.status).toBe(204)
      if (first) expect(await call(first)).toBe(401)
      await Bun.sleep(1_000)
      expect(await Promise.all(world().processes.map(call))).toEqual([401, 401, 401])
    })

    it('answer ten calls with one Idempotency-Key from one call to the provider, and charge once', async () => {
      for (const stream of [false, true]) {
        const customer = await world().createCustomer()
        const before = world().provider.requests.length
        const body = { max_tokens: OUTPUT_TOKENS, stream }
        const answered = await Promise.all(
          Array.from({ length: 10 }, async (_, ordinal) => {
            const response = await world().chat(processOf(world(), ordinal), customer.secret, body, {
              'idempotency-key': 'the same everywhere',
            })
            return { status: response.status, text: await response.text() }
          }),
        )
        expect(answered.map(({ status }) => status)).toEqual(Array<number>(10).fill(200))
        expect(new Set(answered.map(({ text }) => text)).size).toBe(1)
        expect(world().provider.requests.length - before).toBe(1)
        expect((await moneyOf(world(), customer)).charges).toBe(1)
        const other = await world().chat(
          processOf(world(), 1),
          customer.secret,
          { ...body, temperature: 0.5 },
          { 'idempotency-key': 'the same everywhere' },
        )
        expect(other.status).toBe(409)
        await other.text()
      }
    })

    it('leave a sound ledger behind, as the command says', async () => {
      const { code, output } = await world().command('ledger', 'verify', '--json')
      expect(output).toContain('"ok": true')
      expect(code).toBe(0)
    })
  })
}

function processOf(world: ProcessWorld, ordinal: number): GatewayProcess {
  const process = world.processes[ordinal % world.processes.length]
  if (!process) throw new Error('no process runs')
  return process
}

async function statusOf(process: GatewayProcess, customer: ProcessCustomer): Promise<number> {
  const response = await fetch(`${process.url}/v1/models`, {
    headers: { authorization: `Bearer ${customer.secret}` },
  })
  await response.text()
  return response.status
}

/** 200 calls at once over all processes, half of them streamed, while the balance is looked at. */
async function callAtOnce(world: ProcessWorld, customer: ProcessCustomer) {
  const before = world.provider.requests.length
  const watch = watchBalance(world, customer)
  const outcomes = await Promise.all(
    Array.from({ length: CALLS }, async (_, ordinal) => {
      const stream = ordinal % 2 === 0
      const body = { max_tokens: OUTPUT_TOKENS, stream }
      const response = await world.chat(processOf(world, ordinal), customer.secret, body)
      const text = await response.text()
      if (response.status === 200) {
        expect(stream ? text.endsWith('data: [DONE]\n\n') : text.includes('Hello world')).toBe(true)
        return '200'
      }
      return `${response.status} ${(JSON.parse(text) as { error: { code: string } }).error.code}`
    }),
  )
  await watch.stop()
  const statuses: Record<string, number> = {}
  for (const outcome of outcomes) statuses[outcome] = (statuses[outcome] ?? 0) + 1
  return { statuses, reached: world.provider.requests.length - before }
}

/** Looks at the balance again and again; `stop` throws when it was ever below zero or below its holds. */
function watchBalance(world: ProcessWorld, { workspaceId }: ProcessCustomer) {
  const state = { running: true, samples: 0 }
  const watching = (async () => {
    while (state.running) {
      const [row] = await world.inspector.rows(
        `select balance, held from workspaces where id = '${workspaceId}'`,
      )
      const [balance, held] = [integer(row?.['balance']), integer(row?.['held'])]
      if (balance < 0n || held < 0n || held > balance)
        throw new Error(`a balance of ${balance} with ${held} held`)
      state.samples++
      await Bun.sleep(1)
    }
  })()
  return {
    async stop() {
      state.running = false
      await watching
      expect(state.samples).toBeGreaterThan(0)
    },
  }
}

/** The stored money, proven against the ledger. */
async function moneyOf(world: ProcessWorld, { workspaceId }: ProcessCustomer) {
  for await (const found of world.store.books.verify()) {
    if (found.workspaceId !== workspaceId) continue
    expect(found.ledgerBalance).toBe(found.balance)
    expect(found.openHolds).toBe(found.held)
    expect(found.ledgerHeld).toBe(found.held)
    expect(found.brokenAt).toBeNull()
    const charges = await world.inspector.rows(
      `select id from usage_records where workspace_id = '${workspaceId}' and charge > 0`,
    )
    return { balance: found.balance as bigint, held: found.held as bigint, charges: charges.length }
  }
  throw new Error('no such workspace')
}
