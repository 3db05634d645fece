import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { isJsonObject } from '../../../src/core/json.ts'
import { WRITEOFF_CAUSES, type WriteoffCause } from '../../../src/core/writeoff.ts'
import { LEASE_MS } from '../../../src/pipeline/admit/admit.ts'
import { readStream } from '../../support/readAnswer.ts'
import {
  type Act,
  answers,
  createGate,
  inOrder,
  openaiCompletion,
  openaiUsage,
  respond,
} from '../../support/scriptedProvider.ts'
import {
  type World,
  type WorldOptions,
  standardConfig,
  standardModel,
  startWorld,
} from '../../support/world.ts'
import { cost, nanoOf, openStream, usd } from './purse.ts'

const folder = mkdtempSync(join(tmpdir(), 'tollgate-writeoffs-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A world whose log can be read. */
async function startLoggedWorld(options: WorldOptions): Promise<{ world: World; log: () => string }> {
  const path = join(folder, `${crypto.randomUUID()}.log`)
  const world = await startWorld({ ...options, log: { level: 'warn', descriptor: openSync(path, 'w') } })
  return { world, log: () => readFileSync(path, 'utf8') }
}

interface Counted {
  readonly calls: number
  readonly amount: bigint
}

/** What the metrics say was written off, by cause; of causes that were met. */
async function countedIn(world: World): Promise<Partial<Record<WriteoffCause, Counted>>> {
  const lines = (await (await fetch(`${world.url}/metrics`)).text()).split('\n')
  const valueOf = (metric: string, cause: WriteoffCause): string => {
    const name = `${metric}{cause="${cause}"} `
    const line = lines.find((each) => each.startsWith(name))
    if (line === undefined) throw new Error(`no ${name}`)
    return line.slice(name.length)
  }
  const counted: Partial<Record<WriteoffCause, Counted>> = {}
  for (const cause of WRITEOFF_CAUSES) {
    const amount = BigInt(valueOf('tollgate_writeoffs_nano_usd_total', cause))
    const calls = Number(valueOf('tollgate_writeoffs_total', cause))
    expect(amount > 0n).toBe(calls > 0)
    if (calls > 0) counted[cause] = { calls, amount }
  }
  return counted
}

interface Warning {
  readonly id: string
  readonly route: string
  readonly workspace_id: string
  readonly writeoff_nano_usd: string
  readonly cause: WriteoffCause
}

/** The causes that were met, after it is sure that metrics and log tell the same of them as the receipts. */
async function causesOf(world: World, log: () => string): Promise<WriteoffCause[]> {
  await world.settled()
  const { data } = await world.operations.requests({ limit: '100' })
  const receipts = data.filter(({ writeoff_usd: writeoff }) => writeoff !== '0.00')
  const counted = await countedIn(world)
  expect(sumOf(Object.values(counted).map(({ amount }) => amount))).toBe(
    sumOf(receipts.map(({ writeoff_usd: writeoff }) => nanoOf(writeoff))),
  )
  const warnings = log()
    .split('\n')
    .filter((line) => line.includes('part of a charge was written off'))
    .map((line) => JSON.parse(line) as Warning)
  expect(warnings.map(({ id, writeoff_nano_usd: amount }) => `${id} ${amount}`).toSorted()).toEqual(
    receipts.map(({ id, writeoff_usd: writeoff }) => `${id} ${nanoOf(writeoff)}`).toSorted(),
  )
  for (const { workspace_id: workspace, route } of warnings) {
    expect({ workspace, route }).toEqual({ workspace: world.workspaceId, route: 'acme/upstream-chat-1' })
  }
  const causes = WRITEOFF_CAUSES.filter((cause) => counted[cause])
  for (const cause of WRITEOFF_CAUSES) {
    expect(warnings.filter((warning) => warning.cause === cause)).toHaveLength(counted[cause]?.calls ?? 0)
  }
  return causes
}

function sumOf(amounts: readonly bigint[]): bigint {
  return amounts.reduce((sum, amount) => sum + amount, 0n)
}

test('a prompt that costs more than was reckoned for it is written off as such', async () => {
  const provider = answers({ pieces: ['Hello'], usage: openaiUsage(6000, 12) })
  const { world, log } = await startLoggedWorld({ provider, balance: '0.001' })
  await using _ = world
  await (await world.chat({ max_tokens: 100 })).text()
  expect(await causesOf(world, log)).toEqual(['prompt'])
  expect(await countedIn(world)).toEqual({
    prompt: { calls: 1, amount: nanoOf(cost(6000, 12)) - nanoOf('0.001') },
  })
})

/** Uses all that it may, and reports so many prompt tokens; a word of it is to be read. */
function spender(promptTokens: number): Act {
  return {
    async play(turn) {
      const body = turn.request?.body
      const limit = isJsonObject(body) && typeof body.max_tokens === 'number' ? body.max_tokens : 64_000
      const usage = openaiUsage(promptTokens, limit)
      const streamed = isJsonObject(body) && body.stream === true
      const act = streamed
        ? answers({ pieces: ['Hm.'], usage })
        : respond({ body: openaiCompletion('word'.repeat(limit), { usage }) })
      await act.play(turn)
    },
  }
}

/** As many as together use more than the balance, each within what was free when it began. */
const CALLS = 5

/** Calls at once that all spend what they may. */
async function spendAtOnce(
  promptTokens: number,
  model: Readonly<Record<string, unknown>>,
  quirks: Readonly<Record<string, unknown>>,
): Promise<{ world: World; log: () => string }> {
  const gate = createGate()
  const logged = await startLoggedWorld({
    provider: inOrder(gate, spender(promptTokens)),
    config(provider) {
      const { acme } = standardConfig(provider)['providers'] as { acme: object }
      return {
        providers: { acme: { ...acme, quirks } },
        models: [standardModel({ max_output_tokens: 64_000, ...model })],
      }
    },
    balance: '0.05',
  })
  const { world } = logged
  const calls = Array.from({ length: CALLS }, (_, i) => world.chat({ stream: i % 2 === 0 }))
  await world.provider.request(CALLS - 1)
  gate.open()
  for (const response of await Promise.all(calls))
    expect([200, await response.text()]).toContain(response.status)
  return logged
}

test.each([
  ['reasons out of sight', { hidden_reasoning: 'always' }, {}],
  ['reasons out of sight, which nobody configured', {}, {}],
  ['answers as a whole', {}, { streaming: 'never' }],
])('output that is not seen growing is written off as such: a model that %s', async (_, model, quirks) => {
  const { world, log } = await spendAtOnce(9, model, quirks)
  await using _world = world
  expect(await causesOf(world, log)).toEqual(['unseen_output'])
})

test('where prompt and output share a write-off, it is counted for the prompt', async () => {
  const { world, log } = await spendAtOnce(6000, { hidden_reasoning: 'always' }, {})
  await using _ = world
  expect(await causesOf(world, log)).toEqual(['prompt'])
})

test('one piece that is seen and goes beyond what the hold may grow to is written off as such', async () => {
  const balance = '0.00107'
  const body = openaiCompletion('word'.repeat(4_000), { usage: openaiUsage(9, 4_000) })
  const { world, log } = await startLoggedWorld({ provider: respond({ body }), balance })
  await using _ = world
  await (await world.chat({ stream: true })).text()
  expect(await causesOf(world, log)).toEqual(['seen_output'])
  const amount = nanoOf(cost(9, 4_000)) - nanoOf(balance)
  expect(await countedIn(world)).toEqual({ seen_output: { calls: 1, amount } })
})

test('what a hold would have paid is written off as such when it ran out and its money was taken meanwhile', async () => {
  const gate = createGate()
  const provider = answers({ pieces: ['Hello', gate, ' world'] })
  const { world, log } = await startLoggedWorld({ provider })
  await using _ = world
  const caller = await openStream(world)
  await caller.until('Hello')
  expect(await world.gateway.store.till.sweep(Date.now() + 2 * LEASE_MS)).toBe(1)
  const left = nanoOf(cost(9, 0))
  await world.operations.credit(world.workspaceId, { amount_usd: `-${usd(nanoOf('10') - left)}` })
  gate.open()
  expect(readStream(await caller.rest()).done).toBe(true)
  expect(await causesOf(world, log)).toEqual(['hold_gone'])
  expect(await countedIn(world)).toEqual({ hold_gone: { calls: 1, amount: nanoOf(cost(0, 12)) } })
})
