import { describe, expect, test } from 'bun:test'
import { parseUsd } from '../../src/core/money.ts'
import { integer } from '../support/inspector.ts'
import { type ProcessWorld, startProcessWorld } from '../support/processWorld.ts'
import { TEST_LIMIT_MS, isLong, repeats, scaled } from '../support/scale.ts'
import { createSeededRandom } from '../support/seededRandom.ts'
import { PROCESS_ENGINES } from './engines.ts'
import { type Deed, type Seen, attack } from './greed/attack.ts'
import { marketOf } from './greed/market.ts'
import { faultsOf, recordOf } from './greed/proof.ts'
import { type GreedTable, createGreedTable } from './greed/table.ts'

/** A seed to replay. */
const SEED = process.env['TOLLGATE_SEED']
const PROCESSES = { sqlite: 1, postgres: 2 } as const
const ROUNDS = { short: 1, long: 100, share: 0.05 }
const TERMS = scaled({ short: { callsEach: 3, waves: 2 }, long: { callsEach: 5, waves: 3 } })
const POLL_MS = 20
const FAULTS_SHOWN = 30

for (const engine of PROCESS_ENGINES) {
  // Beside each other: a call whose balance others hold waits for them for seconds.
  describe.concurrent.skipIf(engine.skipped)(`greedy callers and providers on ${engine.name}`, () => {
    test(
      'get what is paid for: the house writes off no more than its bounds, and every book is right',
      async () => {
        await using world = await startProcessWorld({
          processes: PROCESSES[engine.name],
          config: marketOf,
          ...(await engine.database()),
        })
        const table = createGreedTable()
        for (const done of repeats(SEED === undefined ? ROUNDS : { short: 1, long: 1, share: 1 })) {
          const seed = SEED ?? String(done + 1)
          try {
            const watch = watchBalances(world)
            const random = createSeededRandom(seed)
            const { deeds, seen } = await attack(world, random, { round: done, ...TERMS })
            await watch.stop()
            await nothingOpen(world)
            await proveRound(world, deeds, seen, table)
          } catch (error) {
            console.error(
              `Replay: TOLLGATE_SEED=${seed} bin/bun test test/long/greed.test.ts -t ${engine.name}`,
            )
            throw error
          }
        }
        if (isLong) console.log(`${engine.name}:\n${table.text()}`)
        await proveMetrics(world)
        const { code, output } = await world.command('ledger', 'verify', '--json')
        expect(output).toContain('"ok": true')
        expect(code).toBe(0)
      },
      TEST_LIMIT_MS,
    )
  })
}

async function proveRound(
  world: ProcessWorld,
  deeds: readonly Deed[],
  { atOnceMost }: Seen,
  table: GreedTable,
): Promise<void> {
  const workspaces = new Set(deeds.map(({ customer }) => customer.workspaceId))
  const faults: string[] = []
  const logOf = (id: string): string =>
    world.processes
      .flatMap((one) =>
        one
          .log()
          .split('\n')
          .filter((line) => line.includes(id)),
      )
      .join('\n')
  for (const id of workspaces) {
    const mine = deeds.filter(({ customer }) => customer.workspaceId === id)
    const rows = await world.inspector.rows(`select * from usage_records where workspace_id = '${id}'`)
    for (const deed of mine) {
      const records = rows.filter((row) => row['end_user'] === deed.mark).map(recordOf)
      faults.push(...faultsOf(deed, records, logOf))
      table.add(deed, records)
    }
    faults.push(...windowFaults(mine), ...(await balanceFaults(world, mine)))
    for (const { keyId, atOnce } of new Set(mine.map(({ customer }) => customer))) {
      const most = atOnceMost.get(keyId) ?? 0
      if (atOnce !== undefined && most > atOnce) faults.push(`${most} calls at once of a key with ${atOnce}`)
    }
  }
  expect(deeds.some(({ heard }) => heard.some(({ whole }) => whole))).toBe(true)
  if (faults.length > FAULTS_SHOWN) console.error(`${faults.length} faults, of which the first:`)
  expect(faults.slice(0, FAULTS_SHOWN)).toEqual([])
}

/** The balance is what was credited less what was charged, and nothing is held. */
async function balanceFaults(world: ProcessWorld, deeds: readonly Deed[]): Promise<string[]> {
  const [deed] = deeds
  if (!deed) return []
  const { workspaceId, balance: credited } = deed.customer
  const [row] = await world.inspector.rows(
    `select balance, held, (select coalesce(sum(charge), 0) from usage_records where workspace_id = '${workspaceId}') as charged from workspaces where id = '${workspaceId}'`,
  )
  const [balance, held, charged] = [
    integer(row?.['balance']),
    integer(row?.['held']),
    integer(row?.['charged']),
  ]
  const faults: string[] = []
  if (held !== 0n) faults.push(`${workspaceId} has ${held} held`)
  if (balance !== (parseUsd(credited) ?? 0n) - charged) {
    faults.push(`${workspaceId} has ${balance} of ${credited} after charges of ${charged}`)
  }
  return faults
}

/** Of the answers that name the end of one window, no more than it allows are other than 429. */
function windowFaults(deeds: readonly Deed[]): string[] {
  const passed = new Map<string, number>()
  for (const { heard } of deeds) {
    for (const { status, reset } of heard) {
      if (status !== 0 && status !== 429) passed.set(reset, (passed.get(reset) ?? 0) + 1)
    }
  }
  const most = deeds[0]?.customer.perWindow ?? Number.POSITIVE_INFINITY
  return [...passed].flatMap(([reset, count]) =>
    count > most ? [`${count} passed a window of ${most} that ends at ${reset}`] : [],
  )
}

/** Looks at all balances again and again; `stop` throws when one was ever below zero or below its holds. */
function watchBalances(world: ProcessWorld) {
  const state = { running: true }
  const watching = (async () => {
    while (state.running) {
      const broken = await world.inspector.rows(
        'select id, balance, held from workspaces where balance < 0 or held < 0 or held > balance',
      )
      expect(broken).toEqual([])
      await Bun.sleep(POLL_MS)
    }
  })()
  return {
    async stop(): Promise<void> {
      state.running = false
      await watching
    },
  }
}

/** Resolves when no call is open any more, whose caller has left long ago; neither in the books nor in a process. */
async function nothingOpen(world: ProcessWorld): Promise<void> {
  while ((await world.inspector.rows('select id from holds')).length > 0) await Bun.sleep(POLL_MS)
  for (const { url } of world.processes) {
    while ((await metric(url, 'tollgate_open_calls')) > 0) await Bun.sleep(POLL_MS)
    while ((await metric(url, 'tollgate_request_body_bytes')) > 0) await Bun.sleep(POLL_MS)
  }
  const [row] = await world.inspector.rows('select sum(open_calls) as open from key_counters')
  expect(integer(row?.['open'])).toBe(0n)
  const [spend] = await world.inspector.rows('select sum(held) as held from key_spend')
  expect(integer(spend?.['held'])).toBe(0n)
}

/** The processes have counted what the books say. */
async function proveMetrics(world: ProcessWorld): Promise<void> {
  const [row] = await world.inspector.rows(
    'select sum(charge) as charged, sum(writeoff) as lost from usage_records',
  )
  const sum = async (name: string): Promise<number> => {
    const values = await Promise.all(world.processes.map(({ url }) => metric(url, name)))
    return values.reduce((total, value) => total + value, 0)
  }
  expect(await sum('tollgate_charges_nano_usd_total')).toBe(Number(integer(row?.['charged'])))
  expect(await sum('tollgate_writeoffs_nano_usd_total')).toBe(Number(integer(row?.['lost'])))
  expect(await sum('tollgate_gateway_failures_total')).toBe(0)
}

/** The sum of a metric over its labels; 0 where it has not been counted yet. */
async function metric(url: string, name: string): Promise<number> {
  const text = await (await fetch(`${url}/metrics`)).text()
  let total = 0
  for (const [, value] of text.matchAll(new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'gm'))) {
    total += Number(value)
  }
  return total
}
