import { expect, test } from 'bun:test'
import { checkedFetch } from '../support/checkedFetch.ts'
import { errorOf, rateOf } from '../support/readAnswer.ts'
import { MODEL, type World, startWorld } from '../support/world.ts'

const LIMIT = 64 * 1024

function smallWorld(): Promise<World> {
  return startWorld({ config: () => ({ server: { max_body_bytes: LIMIT } }) })
}

/** A request body of exactly so many bytes. */
function bodyOf(bytes: number): Uint8Array<ArrayBuffer> {
  const empty = JSON.stringify({ model: MODEL, max_tokens: 5, messages: [{ role: 'user', content: '' }] })
  const text = empty.replace('"content":""', `"content":"${'a'.repeat(bytes - empty.length)}"`)
  return new TextEncoder().encode(text)
}

function chunked(bytes: Uint8Array): ReadableStream<Uint8Array> {
  const size = 10_000
  let at = 0
  return new ReadableStream({
    pull(controller) {
      if (at >= bytes.length) return controller.close()
      controller.enqueue(bytes.slice(at, at + size))
      at += size
    },
  })
}

const WAYS = [
  ['with Content-Length', (bytes: Uint8Array<ArrayBuffer>) => bytes],
  ['chunked', (bytes: Uint8Array<ArrayBuffer>) => chunked(bytes)],
] as const

function post(world: World, body: Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>): Promise<Response> {
  return checkedFetch(`${world.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer ${world.secret}`, 'content-type': 'application/json' },
    body,
  })
}

test.each(WAYS)('a body of the limit is taken, one byte more is 413: %s', async (_, sent) => {
  await using world = await smallWorld()
  const exact = await post(world, sent(bodyOf(LIMIT)))
  expect(exact.status).toBe(200)
  await exact.text()

  const before = await world.ledger()
  const over = await post(world, sent(bodyOf(LIMIT + 1)))
  expect(over.status).toBe(413)
  const error = await errorOf(over)
  expect(error).toMatchObject({ code: 'request_too_large', type: 'invalid_request_error', param: null })
  expect(error.message).toContain(String(LIMIT))
  expect(over.headers.get('x-request-id')).toStartWith('chatcmpl-')
  expect(rateOf(over)).toMatchObject({ limit: 60, remaining: 58 })
  expect(await world.ledger()).toEqual(before)
  expect(world.provider.requests).toHaveLength(1)

  expect((await world.chat({ max_tokens: 5 })).status).toBe(200)
})

test.each(WAYS)(
  'a body far above the limit is 413, and the next request is answered: %s',
  async (_, sent) => {
    await using world = await smallWorld()
    const over = await post(world, sent(bodyOf(4 * 1024 * 1024)))
    expect(over.status).toBe(413)
    expect(await errorOf(over)).toMatchObject({ code: 'request_too_large' })
    expect((await world.chat({ max_tokens: 5 })).status).toBe(200)
  },
)

test('without a good key a body that is too large is 401', async () => {
  await using world = await smallWorld()
  const response = await checkedFetch(`${world.url}/v1/chat/completions`, {
    method: 'POST',
    body: bodyOf(LIMIT + 1),
  })
  expect(response.status).toBe(401)
})

test('a body that declares more than any machine holds is our own 413', async () => {
  await using world = await smallWorld()
  const { promise, resolve } = Promise.withResolvers<string>()
  let text = ''
  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port: world.gateway.port,
    socket: {
      data(_, bytes) {
        text += new TextDecoder().decode(bytes)
        if (text.includes('}}')) resolve(text)
      },
      close: () => resolve(text),
    },
  })
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${world.secret}\r\ncontent-length: 1000000000000000\r\n\r\n{`,
  )
  const answer = await promise
  socket.terminate()
  expect(answer).toStartWith('HTTP/1.1 413 ')
  expect(answer.toLowerCase()).toContain('x-request-id: chatcmpl-')
  expect(answer).toContain('"code":"request_too_large"')
})
