import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type AdminWorld, createAdminWorld, readJson } from '../../test/support/adminWorld.ts'
import { StoreUnavailable } from '../core/ports/till.ts'

let world: AdminWorld

beforeAll(async () => {
  world = await createAdminWorld()
})
afterAll(() => world.close())

describe('every answer', () => {
  test.each([
    ['GET', '/', 200],
    ['GET', '/healthz', 200],
    ['GET', '/readyz', 200],
    ['GET', '/metrics', 200],
    ['GET', '/openapi.json', 200],
    ['GET', '/docs', 200],
    ['GET', '/docs/', 200],
    ['GET', '/docs/errors/not_found', 200],
    ['GET', '/docs/errors', 200],
    ['GET', '/docs/errors/', 200],
    ['GET', '/docs/errors/README.md', 200],
    ['GET', '/docs/guides', 200],
    ['GET', '/docs/billing', 200],
    ['GET', '/docs/billing.md', 200],
    ['GET', '/docs/changelog', 200],
    ['GET', '/docs/search.json', 200],
    ['GET', '/llms.txt', 200],
    ['GET', '/site.js', 200],
    ['GET', '/docs/images/first-page.svg', 200],
    ['GET', '/favicon.ico', 200],
    ['GET', '/docs/nothing', 404],
    ['GET', '/docs/..%2fpackage', 404],
    ['GET', '/docs/decisions/nothing', 404],
    ['HEAD', '/', 200],
    ['GET', '/api/v1/public/models', 200],
    ['OPTIONS', '/api/v1/public/models', 204],
    ['GET', '/api/v1/admin/workspaces', 200],
    ['GET', '/api/v1/admin/workspaces/ws_nobody', 404],
    ['PUT', '/api/v1/admin/workspaces', 405],
    ['POST', '/docs', 405],
    ['GET', '/nothing', 404],
    ['GET', '/docs/errors/nothing', 404],
    ['GET', '/docs/errors/..%2f..%2f..%2fpackage.json', 404],
    ['GET', '/docs/errors/constructor', 404],
  ])('%s %s is %i and carries a request id', async (method, path, status) => {
    const response = await world.call(method, path)
    expect(response.status).toBe(status)
    expect(response.headers.get('x-request-id')).toMatch(/^req_[0-9A-Z]{26}$/)
    if (status >= 400) {
      const { error } = await readJson(response)
      expect(Object.keys(error)).toEqual(['code', 'message', 'type', 'param'])
    }
  })

  test('two requests have two ids', async () => {
    const ids = [await world.call('GET', '/healthz'), await world.call('GET', '/healthz')].map((response) =>
      response.headers.get('x-request-id'),
    )
    expect(ids[0]).not.toBe(ids[1] ?? null)
  })
})

const BROWSER = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8'

describe('a path where there is nothing', () => {
  test.each(['/nope', '/docs/nope', '/docs/errors/nope', '/docs/nope.md', '/docs/decisions/nope'])(
    '%s is a page with the navigation for browsers, and the error of the API for all others',
    async (path) => {
      const page = await world.call('GET', path, undefined, { Accept: BROWSER })
      expect([page.status, page.headers.get('content-type')]).toEqual([404, 'text/html; charset=utf-8'])
      expect(page.headers.get('content-security-policy')).toContain("default-src 'none'")
      expect(page.headers.get('cache-control')).toBe('no-store')
      expect(page.headers.get('x-request-id')).toMatch(/^req_/)
      expect(await page.text()).toContain('<nav aria-label="Main"><a href="/">Prices</a>')
      for (const accept of [
        '',
        '*/*',
        'application/json',
        'application/json, text/html;q=0.9',
        'text/html;q=0',
      ]) {
        const response = await world.call('GET', path, undefined, accept === '' ? {} : { Accept: accept })
        expect((await readJson(response)).error.code).toBe('not_found')
      }
    },
  )

  test.each(['/api', '/api/nope', '/api/v1/admin/workspaces/ws_nobody', '/api/v1/admin/nope'])(
    '%s is for programs, also when a browser asks',
    async (path) => {
      const response = await world.call('GET', path, undefined, { Accept: BROWSER })
      expect([response.status, (await readJson(response)).error.code]).toEqual([404, 'not_found'])
    },
  )

  test('what the page repeats of the address is text, never markup', async () => {
    const path = `/docs/${encodeURIComponent('<img src=x>')}`
    const page = await (await world.call('GET', path, undefined, { Accept: BROWSER })).text()
    expect(page).toContain('&lt;img src=x&gt;')
    expect(page).not.toContain('<img')
  })
})

describe('a wrong method', () => {
  test.each([
    ['POST', '/healthz', 'GET, HEAD'],
    ['DELETE', '/api/v1/public/models', 'GET, HEAD, OPTIONS'],
    ['PUT', '/api/v1/admin/workspaces', 'GET, HEAD, POST'],
    ['POST', '/api/v1/admin/keys/key_1', 'DELETE, GET, HEAD, PATCH'],
    ['GET', '/api/v1/admin/keys/key_1/rotate', 'POST'],
  ])('%s %s is 405 with Allow: %s', async (method, path, allow) => {
    const response = await world.call(method, path)
    expect(response.status).toBe(405)
    expect(response.headers.get('allow')).toBe(allow)
    expect((await readJson(response)).error).toMatchObject({
      code: 'method_not_allowed',
      type: 'invalid_request_error',
      param: null,
    })
  })
})

describe('health', () => {
  test('a living process says so, whatever its store does', async () => {
    const own = await createAdminWorld({
      health: async () => ({ ready: false, checks: { store: 'unreachable' } }),
    })
    expect(await own.ask('GET', '/healthz')).toEqual({ status: 'ok', version: '0.0.0-test' })
    const ready = await own.call('GET', '/readyz')
    expect(ready.status).toBe(503)
    expect(ready.headers.get('retry-after')).toBe('1')
    expect(await readJson(ready)).toEqual({ status: 'unavailable', checks: { store: 'unreachable' } })
    await own.close()
  })

  test('metrics come as they are given', async () => {
    const response = await world.call('GET', '/metrics')
    expect(response.headers.get('content-type')).toBe('text/plain; version=0.0.4')
    expect(await response.text()).toBe('up 1\n')
  })
})

describe('failures of ours', () => {
  test('an unreachable store is 503 with Retry-After and is reported', async () => {
    const own = await createAdminWorld()
    await own.store.close()
    const response = await own.call('GET', '/api/v1/admin/workspaces')
    expect(response.status).toBe(503)
    expect(Number(response.headers.get('retry-after'))).toBeGreaterThan(0)
    expect((await readJson(response)).error.code).toBe('service_unavailable')
    expect(own.reported[0]).toBeInstanceOf(StoreUnavailable)
  })

  test('a bug is 500 without a word of what it was, and is reported', async () => {
    const bug = new Error('secret detail at /srv/app')
    const own = await createAdminWorld({
      metrics: async () => {
        throw bug
      },
    })
    const response = await own.call('GET', '/metrics')
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(text).not.toContain('secret detail')
    expect(JSON.parse(text).error).toMatchObject({
      code: 'internal_error',
      type: 'server_error',
      param: null,
    })
    expect(own.reported).toEqual([bug])
    await own.close()
  })

  test('a refusal is not reported as a failure of ours', async () => {
    const before = world.reported.length
    await world.call('GET', '/api/v1/admin/workspaces/ws_nobody')
    await world.call('GET', '/nothing')
    expect(world.reported.length).toBe(before)
  })
})
