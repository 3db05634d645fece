import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import net, { type AddressInfo } from 'node:net'
import { ADMIN_TOKEN, type AdminWorld, createAdminWorld } from '../../test/support/adminWorld.ts'
import { TEST_LIMIT_MS } from '../../test/support/scale.ts'
import { createRemoteOperations } from './remoteOperations.ts'

let world: AdminWorld
let server: ReturnType<typeof Bun.serve>

beforeAll(async () => {
  world = await createAdminWorld()
  server = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: (request) => world.fetch(request) })
})
afterAll(async () => {
  await server.stop(true)
  await world.close()
})

/** A way to the server on which the answers of the first so many connections are lost: each request arrives. */
async function lossyWay(losses: number) {
  let connections = 0
  const way = net.createServer((caller) => {
    const loses = connections++ < losses
    const onward = net.connect(server.port ?? 0, '127.0.0.1')
    caller.on('error', () => onward.destroy())
    onward.on('error', () => caller.destroy())
    caller.pipe(onward)
    if (!loses) onward.pipe(caller)
    else onward.once('data', () => (caller.destroy(), onward.destroy()))
  })
  const listening = Promise.withResolvers<void>()
  way.listen(0, '127.0.0.1', listening.resolve)
  await listening.promise
  const { port } = way.address() as AddressInfo
  return {
    operations: operationsAt(`http://127.0.0.1:${port}`),
    connections: () => connections,
    [Symbol.dispose]: () => void way.close(),
  }
}

/** Each request on a connection of its own, so that a lost answer says nothing of the others. */
const closing = (request: Request): Promise<Response> => {
  request.headers.set('Connection', 'close')
  return fetch(request)
}
const operationsAt = (url: string) =>
  createRemoteOperations(url, ADMIN_TOKEN, closing, () => Promise.resolve())

const newWorkspace = () => operationsAt(server.url.href).createWorkspace({ name: 'Team', type: 'personal' })
const messageOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => 'it was answered',
    (error: Error) => error.message,
  )

describe('an answer that is lost', () => {
  test(
    'is asked for again, and nothing is made or booked twice',
    async () => {
      const { id } = await newWorkspace()
      using way = await lossyWay(2)
      expect(await way.operations.credit(id, { amount_usd: '100' })).toMatchObject({ balance_usd: '100.00' })
      expect(way.connections()).toBe(3)
      expect(await operationsAt(server.url.href).workspace(id)).toMatchObject({ balance_usd: '100.00' })

      using second = await lossyWay(1)
      const key = await second.operations.createKey(id, { name: 'ci' })
      expect(key.key).toStartWith('tg_')
      using third = await lossyWay(1)
      const rotated = await third.operations.rotateKey(key.id, {})
      expect(rotated.previous.id).toBe(key.id)
      using fourth = await lossyWay(1)
      expect(await fourth.operations.updateKey(rotated.id, { name: 'new' })).toMatchObject({ name: 'new' })
      using fifth = await lossyWay(1)
      await fifth.operations.revokeKey(rotated.id)
      const { data } = await operationsAt(server.url.href).keys(id, {})
      expect(data.map(({ status }) => status)).toEqual(['revoked', 'revoked'])
    },
    TEST_LIMIT_MS,
  )

  test(
    'again and again is said to be lost, with the key that makes a repetition safe',
    async () => {
      const { id } = await newWorkspace()
      using way = await lossyWay(Infinity)
      const message = await messageOf(way.operations.credit(id, { amount_usd: '5' }))
      expect(message).toMatch(
        /^sent to http:\S+, but no response came \(the connection was closed\): the change may have been made\./,
      )
      expect(message).not.toContain('cannot reach')
      const idempotencyKey = /--idempotency-key (\S+):/.exec(message)?.[1]
      expect(idempotencyKey).toBeString()
      const repeated = await operationsAt(server.url.href).credit(id, { amount_usd: '5' }, { idempotencyKey })
      expect(repeated.balance_usd).toBe('5.00')
      expect(await messageOf(way.operations.revokeKey('key_x'))).toEndWith('Repeat the command: it is safe.')
    },
    TEST_LIMIT_MS,
  )

  test('of a question is no answer, and nothing more: it changed nothing', async () => {
    using way = await lossyWay(Infinity)
    expect(await messageOf(way.operations.workspaces({}))).toStartWith('no response from http:')
    expect(way.connections()).toBe(1)
  })

  test(
    'and one that a proxy gives in its place are the same',
    async () => {
      const { id } = await newWorkspace()
      let asked = 0
      const proxy = Bun.serve({
        hostname: '127.0.0.1',
        port: 0,
        async fetch(request) {
          const { pathname, search } = new URL(request.url)
          const onward = new Request(new URL(pathname + search, server.url).href, request)
          const answer = await fetch(onward)
          return asked++ < 2 ? new Response('<h1>504 Gateway Time-out</h1>', { status: 504 }) : answer
        },
      })
      const credited = await operationsAt(proxy.url.href).credit(id, { amount_usd: '7' })
      expect(credited.balance_usd).toBe('7.00')
      expect(asked).toBe(3)
      await proxy.stop(true)
    },
    TEST_LIMIT_MS,
  )
})

test('where nobody listens, nothing was sent, and nothing is repeated', async () => {
  const gone = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: () => new Response('') })
  const url = gone.url.href
  await gone.stop(true)
  const message = await messageOf(operationsAt(url).credit('ws_x', { amount_usd: '5' }))
  expect(message).toBe(`cannot reach ${new URL(url).origin}: nothing listens there`)
})
