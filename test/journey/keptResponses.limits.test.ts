import { describe, expect, test } from 'bun:test'
import type { RequestId, WorkspaceId } from '../../src/core/id.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { type GatewayProcess, type ProcessWorld, startProcessWorld } from '../support/processWorld.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { answers } from '../support/scriptedProvider.ts'
import { MODEL, standardConfig, standardModel } from '../support/world.ts'

/** What a kept conversation may take of the memory and the time of a process that goes on from it. */

const MIB = 1024 * 1024
const SHOWN_AT_ONCE = 20
/** A shorter one is measured by chance. */
const LEAST_STALL_MS = 20

/** A gateway of its own process, whose model takes any prompt. */
function startGateway(server: JsonObject = {}): Promise<ProcessWorld> {
  return startProcessWorld({
    processes: 1,
    probed: true,
    provider: answers({ pieces: ['Hello'] }),
    config: (provider) => ({
      ...standardConfig(provider),
      models: [standardModel({ context_length: 1_000_000_000 })],
      server: { host: '127.0.0.1', port: 0, ...server },
    }),
  })
}

function gatewayOf({ processes: [gateway] }: ProcessWorld): GatewayProcess {
  if (!gateway) throw new Error('the gateway does not run')
  return gateway
}

/** Keeps a conversation of answers with such inputs; gives the id of its last. */
async function keepConversation(
  world: ProcessWorld,
  workspaceId: string,
  inputs: readonly (readonly JsonObject[])[],
  response: (id: string) => JsonObject = () => ({ output: [] }),
): Promise<string> {
  let previous: string | null = null
  for (const [ordinal, input] of inputs.entries()) {
    const id: string = `resp_kept${ordinal}`
    const isKept = await world.store.keptResponses.keep({
      id: id as RequestId,
      workspaceId: workspaceId as WorkspaceId,
      previousId: previous as RequestId | null,
      createdAt: Date.now(),
      expiresAt: Date.now() + 3_600_000,
      input: JSON.stringify(input),
      response: JSON.stringify(response(id)),
      items: input.flatMap(({ id: item }, place) =>
        typeof item === 'string' ? [{ id: item, from: 'input', place }] : [],
      ),
      madeBy: null,
    })
    expect(isKept).toBe(true)
    previous = id
  }
  return previous ?? ''
}

const said = (bytes: number): JsonObject => ({ role: 'user', content: 'word '.repeat(bytes / 5) })

/** 60 MiB in the most bytes that an answer may have. */
const LARGE = Array.from({ length: 4 }, () => [said(15 * MIB)])

function post(
  { url }: GatewayProcess,
  secret: string,
  body: { readonly [name: string]: Json },
): Promise<Response> {
  return fetch(`${url}/v1/responses`, {
    method: 'POST',
    headers: { authorization: `Bearer ${secret}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model: MODEL, max_output_tokens: 20, store: false, ...body }),
  })
}

/** By how much the memory of the process grew at most, until the work was done. */
async function growthDuring(gateway: GatewayProcess, work: Promise<unknown>): Promise<number> {
  const { residentBytes: before } = await gateway.probe()
  let most = before
  const working = { isOver: false }
  const ended = work.finally(() => (working.isOver = true))
  while (!working.isOver) most = Math.max(most, (await gateway.probe()).residentBytes)
  await ended
  return most - before
}

describe('a kept conversation of 60 MiB', () => {
  test(
    'is a 413 for a key that may never have so much in memory',
    async () => {
      await using world = await startGateway()
      const gateway = gatewayOf(world)
      const { workspaceId, secret } = await world.createCustomer({ balance: '100000' })
      const id = await keepConversation(world, workspaceId, LARGE)
      const response = await post(gateway, secret, { previous_response_id: id, input: 'And?' })
      expect(response.status).toBe(413)
      expect(await response.json()).toMatchObject({
        error: { code: 'request_too_large', param: 'previous_response_id' },
      })
    },
    TEST_LIMIT_MS,
  )

  test(
    'is read for as many requests at the same time as have room: the others are 503, and small ones of others are answered',
    async () => {
      await using world = await startGateway({
        bodies_in_flight: { process: '256MiB', workspace: '128MiB', key: '128MiB' },
      })
      const gateway = gatewayOf(world)
      const { workspaceId, secret } = await world.createCustomer({ balance: '100000' })
      const other = await world.createCustomer()
      const id = await keepConversation(world, workspaceId, LARGE)
      const asked = Array.from({ length: 10 }, () =>
        post(gateway, secret, { previous_response_id: id, input: 'And?' }),
      )
      const small = post(gateway, other.secret, { input: 'Hi' })
      const grown = await growthDuring(gateway, Promise.all([...asked, small]))
      const statuses = (await Promise.all(asked)).map(({ status }) => status)
      expect((await small).status).toBe(200)
      expect(new Set(statuses)).toEqual(new Set([200, 503]))
      // One is in memory in several forms; ten of them are 600 MiB in a single one.
      expect(grown).toBeLessThan(600 * MIB)
      const later = await post(gateway, secret, { previous_response_id: id, input: 'And?' })
      expect(later.status).toBe(200)
    },
    TEST_LIMIT_MS,
  )
})
describe('a request of few bytes', () => {
  test(
    'takes the room of what it says when it refers to an item again and again',
    async () => {
      await using world = await startGateway()
      const gateway = gatewayOf(world)
      const { workspaceId, secret } = await world.createCustomer({ balance: '100000' })
      await keepConversation(world, workspaceId, [[{ id: 'msg_1', ...said(MIB) }]])
      const references = (count: number): Json[] =>
        Array.from({ length: count }, () => ({ type: 'item_reference', id: 'msg_1' }))
      expect((await post(gateway, secret, { input: references(3) })).status).toBe(200)
      const refused = await post(gateway, secret, { input: references(300) })
      expect(refused.status).toBe(413)
      expect(await refused.json()).toMatchObject({ error: { code: 'request_too_large', param: 'input' } })
    },
    TEST_LIMIT_MS,
  )

  test(
    'has with what it goes on from no more values than a body may have',
    async () => {
      await using world = await startGateway()
      const gateway = gatewayOf(world)
      const { workspaceId, secret } = await world.createCustomer({ balance: '100000' })
      const short = Array.from({ length: 10_000 }, () => ({ role: 'user', content: 'a' }))
      const id = await keepConversation(world, workspaceId, [short, short, short, short])
      const refused = await post(gateway, secret, { previous_response_id: id, input: 'And?' })
      expect(refused.status).toBe(413)
      expect(await refused.json()).toMatchObject({ error: { message: expect.stringContaining('100000') } })
      const third = await post(gateway, secret, { previous_response_id: 'resp_kept2', input: 'And?' })
      expect(third.status).toBe(200)
    },
    TEST_LIMIT_MS,
  )
})

test(
  'large responses that are shown at the same time have a turn each, and other callers have theirs between',
  async () => {
    await using world = await startGateway()
    const gateway = gatewayOf(world)
    const { workspaceId, secret } = await world.createCustomer()
    const id = await keepConversation(world, workspaceId, [[said(12 * MIB)]])
    const show = async (): Promise<number> => {
      const headers = { authorization: `Bearer ${secret}` }
      const response = await fetch(`${gateway.url}/v1/responses/${id}/input_items`, { headers })
      await response.arrayBuffer()
      return response.status
    }
    const stallOf = async (count: number): Promise<number> => {
      await gateway.probe()
      const shown = await Promise.all(Array.from({ length: count }, show))
      expect(shown).toEqual(shown.map(() => 200))
      return (await gateway.probe()).worstMs
    }
    await stallOf(1)
    const alone = await stallOf(1)
    expect(await stallOf(SHOWN_AT_ONCE)).toBeLessThan((SHOWN_AT_ONCE / 2) * Math.max(alone, LEAST_STALL_MS))
  },
  TEST_LIMIT_MS,
)
