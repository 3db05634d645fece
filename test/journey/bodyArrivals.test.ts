import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { gzipSync } from 'node:zlib'
import { ADMIN_BODY_BYTES_MAX } from '../../src/http/body.ts'
import { rawCaller } from '../support/rawCaller.ts'
import { type World, startWorld } from '../support/world.ts'

const ADMIN_TOKEN = 'a-token-that-nobody-guesses-8Zk2'
const CHAT_BYTES_MAX = 600 * 1024

let world: World

beforeAll(async () => {
  world = await startWorld({
    workspace: { requests_per_minute: 1_000_000 },
    config: () => ({ server: { max_body_bytes: CHAT_BYTES_MAX, admin_token: ADMIN_TOKEN } }),
  })
})
afterAll(() => world.stop())

/** Every endpoint that reads a body, and the largest that it takes. */
function endpoints(): { method: string; path: string; secret: string; bytesMax: number }[] {
  const admin = (method: string, path: string) => ({
    method,
    path: `/api/v1/admin${path}`,
    secret: ADMIN_TOKEN,
    bytesMax: ADMIN_BODY_BYTES_MAX,
  })
  return [
    { method: 'POST', path: '/v1/chat/completions', secret: world.secret, bytesMax: CHAT_BYTES_MAX },
    admin('POST', '/workspaces'),
    admin('PATCH', `/workspaces/${world.workspaceId}`),
    admin('POST', `/workspaces/${world.workspaceId}/keys`),
    admin('POST', `/workspaces/${world.workspaceId}/credits`),
    admin('PATCH', `/keys/${world.keyId}`),
    admin('POST', `/keys/${world.keyId}/rotate`),
    admin('POST', '/tokens'),
    admin('POST', '/providers/acme/release'),
  ]
}

interface Sent {
  readonly body: Uint8Array
  readonly gzip: boolean
}
type Framing = 'declared' | 'chunked'

/** Sends a body, and gives the status, the code and the message of its refusal, and whether the connection ended. */
async function refusalOf(
  { method, path, secret }: ReturnType<typeof endpoints>[number],
  sent: Sent,
  framing: Framing,
) {
  const caller = await rawCaller(world.gateway.port)
  const coding = sent.gzip ? 'content-encoding: gzip\r\n' : ''
  const length = framing === 'declared' ? `content-length: ${sent.body.length}` : 'transfer-encoding: chunked'
  caller.write(
    `${method} ${path} HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\n${coding}${length}\r\n\r\n`,
  )
  for (let at = 0; at < sent.body.length; at += 50_000) {
    const piece = sent.body.subarray(at, at + 50_000)
    if (framing === 'chunked') caller.write(`${piece.length.toString(16)}\r\n`)
    caller.write(piece)
    if (framing === 'chunked') caller.write('\r\n')
  }
  if (framing === 'chunked') caller.write('0\r\n\r\n')
  const answer = await caller.until('"param"')
  const ends = answer.toLowerCase().includes('connection: close')
  if (ends) await caller.closed
  caller.close()
  const [, code] = /"code":"(\w+)"/.exec(answer) ?? []
  const [, message] = /"message":"([^"]*)"/.exec(answer) ?? []
  return { status: caller.statuses()[0], code, message, ends }
}

/** JSON of so many bytes that gzip makes about half as long. */
function hexJson(bytes: number): Buffer {
  const hex = Buffer.from(crypto.getRandomValues(new Uint8Array(Math.ceil(bytes / 2)))).toString('hex')
  return Buffer.from(`{"a":"${hex.slice(0, bytes - 8)}"}`)
}

const plain = (body: Uint8Array): Sent => ({ body, gzip: false })
const zipped = (body: Uint8Array): Sent => ({ body: gzipSync(body), gzip: true })
const isGzip = (body: Uint8Array): Sent => ({ body, gzip: true })
const HOLDS_NOTHING = Buffer.concat([
  Uint8Array.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3]),
  Buffer.from('000000ffff'.repeat(20_000), 'hex'),
])
const CODINGS = [
  ['plain', plain],
  ['compressed', zipped],
] as const

const REFUSALS: readonly [string, (bytesMax: number) => Sent, object][] = [
  ...CODINGS.flatMap(([coding, as]): [string, (bytesMax: number) => Sent, object][] => [
    [
      `${coding} that is too large`,
      (bytesMax) => as(hexJson(bytesMax + 1)),
      { status: 413, code: 'request_too_large' },
    ],
    [
      `${coding} that is nested too deep`,
      () => as(Buffer.from(`{"a":${'['.repeat(200)}`)),
      { status: 400, message: expect.stringContaining('levels deep') },
    ],
    [
      `${coding} of too many values`,
      () =>
        as(
          Buffer.from(
            `{"a":[${Array.from({ length: 100_001 }, () => Math.floor(Math.random() * 1000)).join(',')}]}`,
          ),
        ),
      { status: 400, message: expect.stringContaining('100000 values') },
    ],
    [
      `${coding} that is not UTF-8`,
      () => as(Uint8Array.from([0x22, 0xff, 0x22])),
      { status: 400, message: 'The request body is not valid UTF-8.' },
    ],
  ]),
  [
    'that is larger than what it holds',
    () => isGzip(HOLDS_NOTHING),
    { status: 400, message: expect.stringContaining('larger than what it holds'), ends: true },
  ],
  [
    'that holds far more than its size',
    () => zipped(Buffer.alloc(10_000_000, ' ')),
    { status: 400, message: expect.stringContaining('20 times its size'), ends: true },
  ],
  [
    'that is not gzip',
    () => isGzip(Buffer.from('{"a":1}')),
    { status: 400, message: 'The request body is not valid gzip.', ends: true },
  ],
  [
    'that is gzip without its end',
    () => isGzip(gzipSync('{"a":1}').subarray(0, -9)),
    { status: 400, message: 'The request body is not valid gzip.', ends: true },
  ],
]

describe.each(['declared', 'chunked'] as const)('a body, its length %s,', (framing) => {
  test.each(REFUSALS)(
    '%s is refused in the same way by every endpoint that reads one',
    async (_, make, refusal) => {
      for (const endpoint of endpoints()) {
        const found = await refusalOf(endpoint, make(endpoint.bytesMax), framing)
        expect({ path: endpoint.path, ...found }).toMatchObject({
          path: endpoint.path,
          ends: false,
          ...refusal,
        })
      }
      expect(world.provider.requests).toHaveLength(0)
    },
  )
})
