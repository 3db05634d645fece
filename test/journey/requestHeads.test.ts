import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ask, jsonOf, rawCaller } from '../support/rawCaller.ts'
import { MESSAGES, MODEL, type World, startWorld } from '../support/world.ts'

const BODY = JSON.stringify({ model: MODEL, messages: MESSAGES })
const BYTES = Buffer.byteLength(BODY)
const CHUNKED = `${BYTES.toString(16)}\r\n${BODY}\r\n0\r\n\r\n`
/** What an attacker hides behind the body: answered, it would be a second answer. */
const HIDDEN = 'GET /healthz HTTP/1.1\r\nhost: a\r\n\r\n'

let world: World

beforeAll(async () => {
  world = await startWorld({ workspace: { requests_per_minute: 100_000 } })
})
afterAll(() => world.stop())

function statusesOf(answer: string): number[] {
  return Array.from(answer.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status))
}

/** A chat request with these lines about its body. */
function chat(lines: readonly string[], body: string, version = '1.1'): string {
  const head = [
    `POST /v1/chat/completions HTTP/${version}`,
    'host: 127.0.0.1',
    `authorization: Bearer ${world.secret}`,
    ...lines,
  ]
  return `${head.join('\r\n')}\r\n\r\n${body}`
}

async function expectRefused(text: string): Promise<void> {
  const asked = world.provider.requests.length
  expect(statusesOf(await ask(world.gateway.port, text + HIDDEN))).toEqual([400])
  await world.settled()
  expect(world.provider.requests.length).toBe(asked)
  expect((await world.balance()).held).toBe('0.00')
}

describe('a repeated header that a proxy may read differently', () => {
  test.each([
    ['/healthz', 'host: a', 'host: b'],
    ['/healthz', 'host: a', 'Host: a'],
    ['/v1/models', 'host:', 'host: a'],
    ['/healthz', 'host: a\r\ncontent-length: 0', 'content-length: 0'],
  ])('%s with %j and %j is 400 and the end of its connection', async (path, one, other) => {
    const answer = await ask(
      world.gateway.port,
      `GET ${path} HTTP/1.1\r\n${one}\r\n${other}\r\n\r\n${HIDDEN}`,
    )
    expect(statusesOf(answer)).toEqual([400])
    expect(answer).toMatch(/x-request-id: req_[0-9A-Z]{26}/i)
    const { error } = jsonOf(answer) as { error: { message: string } }
    expect(error).toMatchObject({ code: 'invalid_request', type: 'invalid_request_error', param: null })
    expect(error.message).toMatch(/more than one (Host|Content-Length) header/)
  })

  test('a length told twice is no way past the bound on bodies', async () => {
    const length = 'content-length: 100000000000'
    const answer = await ask(world.gateway.port, chat([length, length], '{'))
    expect(statusesOf(answer)).toEqual([400])
  })
})

describe('a body of uncertain length is refused, and what stands behind it is no request', () => {
  const CHUNKS = 'transfer-encoding: chunked'

  test.each<[what: string, lines: string[], body: string]>([
    ['two lengths', [`content-length: ${BYTES}`, `content-length: ${BYTES + 5}`], BODY],
    ['the same length twice', [`content-length: ${BYTES}`, `content-length: ${BYTES}`], BODY],
    ['a list of lengths', [`content-length: ${BYTES}, ${BYTES}`], BODY],
    ['a signed length', [`content-length: +${BYTES}`], BODY],
    ['a negative length', ['content-length: -1'], BODY],
    ['a hexadecimal length', [`content-length: 0x${BYTES.toString(16)}`], BODY],
    ['a length beyond 64 bits', [`content-length: ${2n ** 64n + BigInt(BYTES)}`], BODY],
    ['an empty length', ['content-length:'], BODY],
    ['a space before the colon', [`content-length : ${BYTES}`], BODY],
    ['a length beside chunks', [`content-length: ${CHUNKED.length}`, CHUNKS], CHUNKED],
    ['chunks beside a length', [CHUNKS, 'content-length: 3'], CHUNKED],
    ['chunks told twice', [CHUNKS, CHUNKS], CHUNKED],
    ['chunks and identity', [CHUNKS, 'transfer-encoding: identity'], CHUNKED],
    ['an unknown coding', ['transfer-encoding: xchunked'], CHUNKED],
    ['a coding around chunks', ['transfer-encoding: gzip, chunked'], CHUNKED],
    ['chunks with a control character', ['transfer-encoding: \x0bchunked'], CHUNKED],
    ['a size that is none', [CHUNKS], `zz\r\n${BODY}\r\n0\r\n\r\n`],
    ['a signed size', [CHUNKS], `-5\r\n${BODY}\r\n0\r\n\r\n`],
    ['a size with a prefix', [CHUNKS], `0x${CHUNKED}`],
    ['a size beyond 64 bits', [CHUNKS], `10000000000000002\r\n${BODY}\r\n0\r\n\r\n`],
    ['a size without digits', [CHUNKS], `\r\n${BODY}\r\n0\r\n\r\n`],
    ['a line that ends in LF', [CHUNKS], CHUNKED.replaceAll('\r', '')],
    ['a chunk longer than its size', [CHUNKS], `2\r\n${BODY}\r\n0\r\n\r\n`],
    ['a folded line', ['x-note: a', ` content-length: ${BYTES}`], BODY],
    ['a line without a name', [': a', `content-length: ${BYTES}`], BODY],
    ['a bare CR', ['x-note: a\rb', `content-length: ${BYTES}`], BODY],
    ['a bare LF', ['x-note: a\nb: c', `content-length: ${BYTES}`], BODY],
    ['a NUL', ['x-note: a\0b', `content-length: ${BYTES}`], BODY],
  ])('%s', async (_, lines, body) => {
    await expectRefused(chat(lines, body))
  })

  test('chunks in HTTP/1.0, which has none', async () => {
    await expectRefused(chat([CHUNKS], CHUNKED, '1.0'))
  })
})

test('a body in chunks is read to its end, and the next request is the one behind it', async () => {
  const caller = await rawCaller(world.gateway.port)
  caller.write(chat(['transfer-encoding: Chunked'], CHUNKED.replace('\r\n', ';note=a\r\n')))
  await caller.until('"finish_reason"')
  caller.write(HIDDEN)
  await caller.until('"status"')
  expect(caller.statuses()).toEqual([200, 200])
  caller.close()
})

describe('a head that is too long', () => {
  test.each([
    ['a long path', `GET /v1/models/${'a'.repeat(100_000)} HTTP/1.1\r\nhost: a\r\n\r\n`],
    ['a path without an end', `GET /${'a'.repeat(100_000)}`],
    ['a long header', `GET /healthz HTTP/1.1\r\nhost: a\r\nx-note: ${'a'.repeat(100_000)}\r\n\r\n`],
    ['a header without an end', `GET /healthz HTTP/1.1\r\nhost: a\r\nx-note: ${'a'.repeat(100_000)}`],
    ['many headers', `GET /healthz HTTP/1.1\r\nhost: a\r\n${'x: a\r\n'.repeat(5_000)}\r\n`],
  ])('%s is 431 and the end of its connection', async (_, text) => {
    expect(statusesOf(await ask(world.gateway.port, text))).toEqual([431])
  })
})

describe('words that are no request of ours', () => {
  test.each([
    ['an unknown method', 'FROB /v1/models HTTP/1.1\r\nhost: a\r\n\r\n', []],
    ['a method in small letters', 'get /v1/models HTTP/1.1\r\nhost: a\r\n\r\n', []],
    ['HTTP/2 without an agreement', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n', [400]],
    ['HTTP/0.9', 'GET /healthz\r\n\r\n', [505]],
    ['TLS on a plain port', '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03', [400]],
  ])('%s: the connection ends at once, with the runtime’s answer or none', async (_, text, statuses) => {
    expect(statusesOf(await ask(world.gateway.port, text))).toEqual(statuses)
  })

  test.each([
    ['TRACE', '/healthz', 405],
    ['PROPFIND', '/healthz', 405],
    ['TRACE', '/v1/models', 401],
    ['QUERY', '/v1/models', 401],
    ['OPTIONS', '/nothing', 404],
  ])('%s %s is %i', async (method, path, status) => {
    const text = `${method} ${path} HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n`
    expect(statusesOf(await ask(world.gateway.port, text))).toEqual([status])
  })
})
