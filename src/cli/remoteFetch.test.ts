import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { ADMIN_TOKEN, type AdminWorld, createAdminWorld } from '../../test/support/adminWorld.ts'
import { createFolder, type Folder, startTollgate } from '../../test/support/tollgateProcess.ts'
import { tokenWarning } from './remoteFetch.ts'

const CERTIFICATES = new URL('../upstream/http/__fixtures__/', import.meta.url)
const certificate = (name: string) => Bun.file(new URL(name, CERTIFICATES))

let world: AdminWorld
let folder: Folder
/** What came to them with a token. */
let [arrived, overheard] = [0, 0]
let gateway: Bun.Server<undefined>
let encrypted: Bun.Server<undefined>
let proxy: Bun.Server<undefined>

beforeAll(async () => {
  world = await createAdminWorld()
  folder = await createFolder()
  const answer = (request: Request) => {
    arrived++
    return world.fetch(request)
  }
  gateway = Bun.serve({ hostname: '127.0.0.1', port: 0, fetch: answer })
  const tls = { key: certificate('localhost.key'), cert: certificate('localhost.pem') }
  encrypted = Bun.serve({ hostname: '127.0.0.1', port: 0, tls, fetch: answer })
  proxy = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch(request) {
      if (request.headers.get('authorization')?.includes(ADMIN_TOKEN)) overheard++
      return Response.json({ data: [], next_cursor: null })
    },
  })
})
afterAll(async () => {
  await Promise.all([gateway, encrypted, proxy].map((server) => server.stop(true)))
  await world.close()
  await folder[Symbol.asyncDispose]()
})

async function list(url: string, env: Record<string, string> = {}, ...more: string[]) {
  arrived = 0
  overheard = 0
  const args = ['workspace', 'list', '--url', url, '--admin-token', ADMIN_TOKEN, ...more]
  await using command = startTollgate(folder, args, env)
  return { code: await command.exitCode, output: command.output }
}

describe('the admin token', () => {
  test.each(['HTTP_PROXY', 'http_proxy', 'ALL_PROXY', 'all_proxy'])(
    'for this machine does not go to the proxy of %s',
    async (name) => {
      for (const host of ['127.0.0.1', 'localhost']) {
        const { code } = await list(`http://${host}:${gateway.port}`, { [name]: proxy.url.origin })
        expect({ code, arrived, overheard }).toEqual({ code: 0, arrived: 1, overheard: 0 })
      }
    },
  )

  test('goes to nobody without a valid certificate, whatever NODE_TLS_REJECT_UNAUTHORIZED says', async () => {
    const { code, output } = await list(encrypted.url.origin, { NODE_TLS_REJECT_UNAUTHORIZED: '0' })
    expect(code).toBe(1)
    expect(output).toContain('certificate')
    expect(arrived).toBe(0)
  })

  test('goes to one that NODE_EXTRA_CA_CERTS vouches for', async () => {
    const authority = new URL('ca.pem', CERTIFICATES).pathname
    const { code } = await list(`https://localhost:${encrypted.port}`, { NODE_EXTRA_CA_CERTS: authority })
    expect({ code, arrived }).toEqual({ code: 0, arrived: 1 })
  })

  test('over plain http to another machine is warned about, but for --json', async () => {
    const elsewhere = { HTTP_PROXY: proxy.url.origin }
    const warned = await list('http://gateway.invalid:4100', elsewhere)
    expect(warned.code).toBe(0)
    expect(warned.output).toContain(
      'warning: the admin token goes to http://gateway.invalid:4100 unencrypted',
    )
    const silent = await list('http://gateway.invalid:4100', elsewhere, '--json')
    expect(JSON.parse(silent.output)).toEqual({ data: [], next_cursor: null })
  })

  test.each([
    'https://gateway.example',
    'http://localhost:4100',
    'http://127.0.0.1:4100',
    'http://[::1]:1',
    'x',
  ])('to %s is not warned about', (url) => {
    expect(tokenWarning(url)).toBeUndefined()
  })
})
