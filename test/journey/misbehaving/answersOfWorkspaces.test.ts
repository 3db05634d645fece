import { expect, test } from 'bun:test'
import { UNSEEN_FREE_MS } from '../../../src/pipeline/relay/unseenOutput.ts'
import { errorOf } from '../../support/readAnswer.ts'
import {
  type Act,
  type ScriptedProvider,
  answers,
  createGate,
  hang,
  openaiChunk,
  openaiCompletion,
  openaiUsage,
  respond,
  stream,
} from '../../support/scriptedProvider.ts'
import { type World, standardConfig, startWorld } from '../../support/world.ts'
import { COUNTED_PROMPT, cost, receiptOf, startRequest } from '../money/purse.ts'

const MIB = 1024 * 1024
const ROOM = 32
/** Calls of the greedy workspace, and what the provider has sent of the answer of each. */
const CALLS = 14
const PART_BYTES = 2 * MIB - 1024
/** As many find room: each counts twice, and the workspace leaves half of the room free. */
const FITTING = ROOM / 2 / 4

/** A whole answer of about so many bytes. */
function wholeOf(bytes: number): Act {
  const usage = openaiUsage(9, 20)
  return respond({ body: openaiCompletion('x'.repeat(bytes), { usage }) })
}

/** A whole answer of which a large part has come, and the rest does not. */
const PART: Act = stream([`{"choices":[],"x":"${'x'.repeat(PART_BYTES)}`, hang()], {
  headers: { 'content-type': 'application/json' },
})

const BY_PROMPT: Readonly<Record<string, Act>> = {
  'a part': PART,
  'three megabytes': wholeOf(3_000_000),
  'ninety kilobytes': wholeOf(90_000),
}

/** A configuration in which no answer runs out of time. */
function patient(scripted: ScriptedProvider): Record<string, unknown> {
  const { providers, ...rest } = standardConfig(scripted) as { providers: { acme: object } }
  return { ...rest, providers: { acme: { ...providers.acme, timeouts: { whole: '2m', idle: '2m' } } } }
}

function startCrowded(): Promise<World> {
  return startWorld({
    provider: ({ body }) => {
      const prompt = JSON.stringify(body)
      const found = Object.keys(BY_PROMPT).find((words) => prompt.includes(words))
      return (found && BY_PROMPT[found]) || answers({ pieces: ['Hello'] })
    },
    workspace: { requests_per_minute: 1_000 },
    config: (scripted) => ({ ...patient(scripted), server: { answers_in_flight: `${ROOM}MiB` } }),
  })
}

/** The headers of another workspace. */
async function stranger(world: World): Promise<Record<string, string>> {
  const { id } = await world.operations.createWorkspace({
    name: 'stranger',
    type: 'personal',
    requests_per_minute: 1_000,
  })
  await world.operations.credit(id, { amount_usd: '10' })
  const { key } = await world.operations.createKey(id, { name: 'stranger' })
  return { authorization: `Bearer ${key}` }
}

const asking = (content: string) => ({ messages: [{ role: 'user', content }], max_tokens: 2_000 })

/** Resolves when so many answers have found no room. */
async function refusals(world: World, count: number): Promise<void> {
  const refused = async (): Promise<number> => {
    const { data } = await world.operations.requests({ limit: '100' })
    return data.filter(({ status }) => status === 400).length
  }
  while ((await refused()) < count) await Bun.sleep(10)
}

test("one workspace's large answers leave room for those of another, large and small", async () => {
  await using world = await startCrowded()
  const calls = Array.from({ length: CALLS }, () => startRequest(world, asking('a part')))
  await refusals(world, CALLS - FITTING)
  const other = await stranger(world)
  const ask = (prompt: string): Promise<Response> => world.chat(asking(prompt), other)
  for (let round = 0; round < 3; round++) {
    const large = await ask('three megabytes')
    expect(large.status).toBe(200)
    expect((await large.text()).length).toBeGreaterThan(3_000_000)
    const small = await Promise.all(Array.from({ length: 20 }, () => ask('ninety kilobytes')))
    expect(small.map(({ status }) => status)).toEqual(small.map(() => 200))
    for (const response of small) await response.text()
  }
  for (const call of calls) call.leave()
  await world.settled()
  expect((await world.operations.providers()).data[0]?.routes[0]).toMatchObject({ circuit: 'closed' })
})

test('an answer that finds no room because of its own workspace is charged like one whose caller has left', async () => {
  const gate = createGate()
  await using world = await startWorld({
    provider: stream([gate, `{"choices":[],"x":"${'x'.repeat(PART_BYTES)}`, hang()], {
      headers: { 'content-type': 'application/json' },
    }),
    at: '2026-11-20T12:00:00Z',
    config: (scripted) => ({ ...standardConfig(scripted), server: { answers_in_flight: '4MiB' } }),
  })
  const answering = world.chat({ max_tokens: 2_000 })
  await gate.reached
  world.clock.set(Date.parse('2026-11-20T12:00:00Z') + UNSEEN_FREE_MS + 10_000)
  gate.open()
  const response = await answering
  // Charged, so neither clients nor proxies may repeat it by themselves.
  expect(response.status).toBe(400)
  const { code, message } = await errorOf(response)
  expect(code).toBe('invalid_request')
  expect(message).toContain('What was generated is charged.')
  await world.settled()
  const receipt = await receiptOf(world, response)
  expect(receipt).toMatchObject({
    ending: 'request_at_fault',
    status: 400,
    provider: 'acme',
    attempts: [{ outcome: 'no_share' }],
    usage: { completion_tokens: 600, source: 'estimated' },
    charge_usd: cost(COUNTED_PROMPT, 600),
  })
  expect((await world.operations.providers()).data[0]?.routes[0]).toMatchObject({ circuit: 'closed' })
})

test('a whole answer that is gathered from a stream, and finds no room in its share, is charged for what came', async () => {
  const logprobs = { content: [{ token: 'x'.repeat(MIB / 8), logprob: 0, bytes: null, top_logprobs: [] }] }
  const choices = [{ index: 0, delta: { content: ' hello' }, logprobs, finish_reason: null }]
  const pieces = Array.from({ length: 40 }, () => openaiChunk({}, { more: { choices } }))
  await using world = await startWorld({
    provider: stream([openaiChunk({ role: 'assistant', content: 'Hello' }), ...pieces, hang()]),
    config: (scripted) => ({ ...standardConfig(scripted), server: { answers_in_flight: '4MiB' } }),
  })
  const response = await world.chat({ max_tokens: 8_192 })
  expect(response.status).toBe(400)
  await response.text()
  await world.settled()
  const receipt = await receiptOf(world, response)
  expect(receipt).toMatchObject({ ending: 'request_at_fault', usage: { source: 'estimated' } })
  // A mebibyte, at twice its size, is a half of the room.
  expect(receipt.usage.completion_tokens).toBe(9)
  expect(receipt.charge_usd).toBe(cost(COUNTED_PROMPT, 9))
})

test('an answer that finds no room because of other workspaces costs nothing', async () => {
  await using world = await startCrowded()
  const calls: { leave(): void }[] = []
  let refused = 0
  // One after the other takes half of what the others have left.
  for (const fitting of [FITTING, FITTING / 2, FITTING / 4]) {
    const greedy = await stranger(world)
    for (let count = 0; count <= fitting; count++) calls.push(startRequest(world, asking('a part'), greedy))
    await refusals(world, ++refused)
  }
  const response = await world.chat(asking('three megabytes'))
  expect(response.status).toBe(503)
  expect((await errorOf(response)).message).not.toContain('charged')
  for (const call of calls) call.leave()
  await world.settled()
  expect(await receiptOf(world, response)).toMatchObject({
    attempts: [{ outcome: 'no_room' }],
    charge_usd: '0.00',
  })
})
