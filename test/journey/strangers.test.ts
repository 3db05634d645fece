import { describe, expect, test } from 'bun:test'
import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { WRONG_TOKENS_MAX } from '../../src/operations/door/guessPace.ts'
import { checkedFetch } from '../support/checkedFetch.ts'
import { type World, startWorld } from '../support/world.ts'

const TOKEN = 'metrics-token-0f1e2d3c4b5a6978'

const startWith = (server: object): Promise<World> => startWorld({ config: () => ({ server }) })

/** What a visitor sees of the process: the status of the metrics, and how many details of its readiness. */
async function seenAt(url: string, headers: Record<string, string> = {}) {
  const metrics = await checkedFetch(`${url}/metrics`, { headers })
  const ready = await checkedFetch(`${url}/readyz`, { headers })
  const { status, checks } = (await ready.json()) as { status: string; checks: object }
  expect([ready.status, status]).toEqual([200, 'ready'])
  const text = await metrics.text()
  expect(text.includes('tollgate_')).toBe(metrics.status === 200)
  return { metrics: metrics.status, details: Object.keys(checks).length > 0 }
}

const EVERYTHING = { metrics: 200, details: true }
const NOTHING = { metrics: 401, details: false }

describe('metrics and details of readiness', () => {
  test('are for this machine: not for what a proxy sends on, nor for a page of another name', async () => {
    await using world = await startWith({})
    expect(await seenAt(world.url)).toEqual(EVERYTHING)
    for (const name of ['x-forwarded-for', 'x-real-ip', 'via', 'forwarded', 'x-forwarded-host']) {
      expect(await seenAt(world.url, { [name]: '127.0.0.1' })).toEqual(NOTHING)
    }
    expect(await seenAt(world.url, { host: 'rebound.example' })).toEqual(NOTHING)
    expect(await seenAt(world.url, { host: 'localhost' })).toEqual(EVERYTHING)
  })

  test('are for this machine through a proxy that is trusted, and for nobody else through it', async () => {
    await using world = await startWith({ trusted_proxies: ['127.0.0.0/8'] })
    expect(await seenAt(world.url, { 'x-forwarded-for': '127.0.0.1' })).toEqual(EVERYTHING)
    expect(await seenAt(world.url, { 'x-forwarded-for': '203.0.113.9' })).toEqual(NOTHING)
    expect(await seenAt(world.url, { 'x-forwarded-for': '127.0.0.1, 203.0.113.9' })).toEqual(NOTHING)
  })

  test('are for whoever carries their token, where there is one, from wherever', async () => {
    await using world = await startWith({ metrics_token: TOKEN, admin_token: 'admin-token-0f1e2d3c4b5a' })
    const carrying = (token: string) => ({
      authorization: `Bearer ${token}`,
      'x-forwarded-for': '203.0.113.9',
    })
    expect(await seenAt(world.url, carrying(TOKEN))).toEqual(EVERYTHING)
    for (const headers of [{}, carrying('another'), carrying('admin-token-0f1e2d3c4b5a')]) {
      expect(await seenAt(world.url, headers)).toEqual(NOTHING)
    }
  })

  test('are for all who reach their own address, which has nothing else', async () => {
    await using world = await startWith({ metrics_address: '127.0.0.1:0', metrics_token: TOKEN })
    const { metricsUrl = '' } = world.gateway
    expect(metricsUrl).not.toBe('')
    expect(await seenAt(metricsUrl)).toEqual(EVERYTHING)
    // A page in a browser of this machine whose name was made to lead here.
    expect(await seenAt(metricsUrl, { host: 'tollgate.internal' })).toEqual(NOTHING)
    const authorization = `Bearer ${TOKEN}`
    expect(await seenAt(metricsUrl, { host: 'tollgate.internal', authorization })).toEqual(EVERYTHING)
    for (const path of ['/', '/docs', '/v1/models', '/api/v1/admin/workspaces', '/api/v1/public/models']) {
      expect((await fetch(metricsUrl + path)).status).toBe(404)
    }
    expect(await seenAt(world.url)).toEqual(NOTHING)
    await world.stop()
    expect(
      await fetch(metricsUrl).then(
        () => 'answered',
        () => 'gone',
      ),
    ).toBe('gone')
  })
})

test('an operator behind a proxy that is not trusted gets in beside those who guess, and the log says how to trust it', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tollgate-proxy-'))
  const path = join(folder, 'log')
  await using world = await startWorld({
    config: () => ({ server: { admin_token: TOKEN } }),
    log: { level: 'warn', descriptor: openSync(path, 'w') },
  })
  const status = async (token: string) => {
    const headers = { authorization: `Bearer ${token}`, 'x-forwarded-for': '203.0.113.9' }
    return (await checkedFetch(`${world.url}/api/v1/admin/models`, { headers })).status
  }
  for (let i = 0; i < WRONG_TOKENS_MAX; i++) expect(await status(`guess-${i}`)).toBe(401)
  expect(await status('one-more')).toBe(429)
  expect(await status(TOKEN)).toBe(200)
  const said = readFileSync(path, 'utf8')
  expect(said.match(/a proxy that is not trusted/g)).toHaveLength(1)
  expect(said).toContain(JSON.stringify('server: { trusted_proxies: ["127.0.0.1"] }'))
  rmSync(folder, { recursive: true })
})

describe('answers beside the data plane', () => {
  test('are never guessed at, come compressed where that is taken, and are not sent twice', async () => {
    await using world = await startWith({})
    for (const path of ['/', '/docs', '/openapi.json', '/docs/errors/not_found', '/api/v1/public/models']) {
      const plain = await fetch(world.url + path, { headers: { 'accept-encoding': 'identity' } })
      const text = await plain.text()
      const { headers } = plain
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('vary')).toContain('Accept-Encoding')
      const etag = headers.get('etag') ?? ''
      expect(etag).not.toBe('')
      const again = await fetch(world.url + path, { headers: { 'if-none-match': etag } })
      expect([again.status, await again.text()]).toEqual([304, ''])

      const zipped = await fetch(world.url + path, {
        headers: { 'accept-encoding': 'gzip' },
        decompress: false,
      })
      const bytes = new Uint8Array(await zipped.arrayBuffer())
      const isZipped = zipped.headers.get('content-encoding') === 'gzip'
      expect(isZipped).toBe(text.length >= 1_024)
      expect(
        isZipped ? new TextDecoder().decode(Bun.gunzipSync(bytes)) : new TextDecoder().decode(bytes),
      ).toBe(text)
    }
  })

  test('that are refused are kept by nobody', async () => {
    await using world = await startWith({})
    for (const path of ['/nowhere', '/api/v1/admin/workspaces', '/metrics']) {
      const response = await fetch(world.url + path, { headers: { via: '1.1 proxy' } })
      expect(response.headers.get('cache-control')).toBe('no-store')
      expect(response.headers.get('x-content-type-options')).toBe('nosniff')
    }
  })
})
