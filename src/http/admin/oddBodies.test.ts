import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ADMIN_TOKEN, type AdminWorld, createAdminWorld, readJson } from '../../../test/support/adminWorld.ts'
import { rawCaller } from '../../../test/support/rawCaller.ts'

const WORKSPACES = '/api/v1/admin/workspaces'
let world: AdminWorld

beforeAll(async () => {
  world = await createAdminWorld()
})
afterAll(() => world.close())

async function refusalOf(request: Request) {
  const response = await world.fetch(request)
  return { status: response.status, ...(await readJson(response)).error }
}

function withBody(body: Uint8Array<ArrayBuffer> | ReadableStream | string, path = WORKSPACES): Request {
  const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json' }
  return new Request(`http://127.0.0.1${path}`, { method: 'POST', headers, body })
}

describe('a name in bytes that are no UTF-8', () => {
  test.each([
    ['Latin-1', [0x4d, 0xfc, 0x6c]],
    ['a byte that never is one', [0xff]],
    ['half of a surrogate pair', [0xed, 0xa0, 0x80]],
    ['a cut sequence', [0xe2, 0x82]],
  ])('is refused and not stored as something else: %s', async (_, bytes) => {
    const [before = '', after = ''] = '{"name":"HERE","type":"personal"}'.split('HERE')
    const body = Uint8Array.from([...Buffer.from(before), ...bytes, ...Buffer.from(after)])
    for (const sent of [body, new Blob([body]).stream()]) {
      expect(await refusalOf(withBody(sent))).toMatchObject({
        status: 400,
        message: 'The request body is not valid UTF-8.',
      })
    }
    expect(JSON.stringify(await world.ask('GET', WORKSPACES))).not.toContain('\ufffd')
  })
})

describe('a field that nobody knows', () => {
  test('is named by its beginning', async () => {
    const field = `x${'y'.repeat(100_000)}`
    const refusal = await refusalOf(withBody(JSON.stringify({ name: 'a', type: 'personal', [field]: 1 })))
    expect(refusal).toMatchObject({ status: 400, param: `${field.slice(0, 80)}…` })
    expect(refusal.message).toBe(`${refusal.param}: there is no such field.`)
  })

  test('does not steer the terminal that shows its name', async () => {
    const body = JSON.stringify({ name: 'a', type: 'personal', 'a\u001b]0;b\u0007\u202e\nc': 1 })
    const refusal = await refusalOf(withBody(body))
    expect(refusal).toMatchObject({ param: 'a ]0;b   c', message: 'a ]0;b   c: there is no such field.' })
  })
})

test('an id that steers terminals is told without what does', async () => {
  const response = await world.call('GET', `${WORKSPACES}/a%1b%5b31mb`)
  expect((await readJson(response)).error.message).toBe('There is no workspace "a [31mb".')
})

test('a client that breaks off its body is no failure of ours', async () => {
  const asked = Promise.withResolvers<void>()
  const answered = Promise.withResolvers<number>()
  using server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const answer = world.fetch(request)
      asked.resolve()
      answered.resolve((await answer).status)
      return answer
    },
  })
  const caller = await rawCaller(server.port ?? 0)
  caller.write(
    `POST ${WORKSPACES} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${ADMIN_TOKEN}\r\ncontent-length: 1000\r\n\r\n{"name":`,
  )
  await asked.promise
  caller.close()
  expect(await answered.promise).toBe(400)
  expect(world.reported).toEqual([])
})
