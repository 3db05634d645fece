import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { assert, bigInt, property } from 'fast-check'
import {
  type AdminWorld,
  createAdminWorld,
  MODELS,
  NOON,
  usd,
  readJson,
} from '../../../test/support/adminWorld.ts'
import type { Model } from '../../core/model.ts'
import { nano } from '../../core/money.ts'
import { matchesEtag } from './etag.ts'
import { publicListing, savingsPercent } from './listing.ts'

const PATH = '/api/v1/public/models'
const STRANGER = { Authorization: '' }
let world: AdminWorld

beforeAll(async () => {
  world = await createAdminWorld()
})
afterAll(() => world.close())

const get = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  world.call(method, path, undefined, { ...STRANGER, ...headers })

describe('GET /api/v1/public/models', () => {
  test('gives strangers a JSON array with every field of the contract and no other', async () => {
    const response = await get(PATH)
    expect(response.status).toBe(200)
    expect(response.headers.get('content-type')).toStartWith('application/json')
    const entries = await readJson(response)
    expect(entries[0]).toEqual({
      model_id: 'acme/chat-1',
      display_name: 'Model acme/chat-1',
      provider: 'acme',
      category: 'chat',
      our_price: { input: 0.5, output: 1.5, unit: 'per 1M tokens' },
      official_price: { input: 1, output: 3, source: 'acme' },
      savings_percent: 50,
      capabilities: ['streaming', 'function_calling'],
      context_length: 128_000,
    })
  })

  test('a model without an official price has no official_price and saves 0; a dearer one says so', async () => {
    const entries = await readJson(await get(PATH))
    const of = (id: string) => entries.find((entry: { model_id: string }) => entry.model_id === id)
    expect(Object.hasOwn(of('acme/plain'), 'official_price')).toBe(false)
    expect(of('acme/plain').savings_percent).toBe(0)
    expect(of('acme/dear').savings_percent).toBe(-11.1)
  })

  test('a retired model is not for sale', async () => {
    expect(await (await get(PATH)).text()).not.toContain('acme/gone')
    expect(publicListing(MODELS, NOON - 2).map((entry) => entry.model_id)).toContain('acme/gone')
  })

  test('any origin may read it, and a preflight says so', async () => {
    expect(
      (await get(PATH, { Origin: 'https://example.com' })).headers.get('access-control-allow-origin'),
    ).toBe('*')
    const preflight = await get(
      PATH,
      { Origin: 'https://example.com', 'Access-Control-Request-Method': 'GET' },
      'OPTIONS',
    )
    expect(preflight.status).toBe(204)
    expect(preflight.headers.get('access-control-allow-origin')).toBe('*')
    expect(preflight.headers.get('access-control-allow-methods')).toContain('GET')
  })

  test('whoever has it already gets 304 without a body, still readable from any origin', async () => {
    const first = await get(PATH)
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toContain('max-age')
    for (const candidate of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await get(PATH, { 'If-None-Match': candidate })
      expect([again.status, await again.text()]).toEqual([304, ''])
      expect(again.headers.get('etag')).toBe(etag)
      expect(again.headers.get('access-control-allow-origin')).toBe('*')
    }
    expect((await get(PATH, { 'If-None-Match': '"other"' })).status).toBe(200)
  })

  test('a HEAD has the headers of a GET and no body', async () => {
    const [whole, head] = [await get(PATH), await get(PATH, {}, 'HEAD')]
    expect([head.status, await head.text()]).toEqual([200, ''])
    expect(head.headers.get('etag')).toBe(whole.headers.get('etag'))
    expect(Number(head.headers.get('content-length'))).toBe((await whole.arrayBuffer()).byteLength)
  })

  test('a price that comes into force changes the entity tag', async () => {
    const [first] = MODELS
    if (!first) throw new Error('there is a first model')
    const rising = [
      {
        ...first,
        prices: [first.prices[0], { input: usd('9'), output: usd('9'), validFrom: NOON + 5000 }] as const,
      },
    ]
    const own = await createAdminWorld({ models: () => rising })
    const before = await own.call('GET', PATH)
    own.clock = NOON + 5000
    const after = await own.call('GET', PATH)
    expect(after.headers.get('etag')).not.toBe(before.headers.get('etag'))
    expect((await readJson(after))[0].our_price.input).toBe(9)
    await own.close()
  })
})

describe('savings', () => {
  const price = bigInt({ min: 1n, max: 10n ** 12n }).map(nano)

  test('are at most half a tenth of a percent off the exact share, and never above 100', () => {
    assert(
      property(price, price, price, price, (input, output, officialInput, officialOutput) => {
        const percent = savingsPercent(
          { input, output },
          { input: officialInput, output: officialOutput, source: 'x' },
        )
        const theirs = officialInput + officialOutput
        const tenths = BigInt(Math.round(percent * 10))
        const error = 1000n * (theirs - input - output) - tenths * theirs
        return percent <= 100 && 2n * (error < 0n ? -error : error) <= theirs
      }),
    )
  })

  test('are never minus zero', () => {
    const same = { input: usd('1'), output: usd('2') }
    expect(Object.is(savingsPercent(same, { ...same, source: 'x' }), 0)).toBe(true)
  })
})

test('an entity tag within another does not match', () => {
  expect(matchesEtag('"abcd"', '"abc"')).toBe(false)
  expect(matchesEtag(null, '"abc"')).toBe(false)
})

describe('the prices page', () => {
  test('shows every model for sale with its prices and runs no script but the one of all pages', async () => {
    const response = await get('/')
    const page = await response.text()
    expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(response.headers.get('content-security-policy')).toContain("default-src 'none'")
    for (const id of ['acme/chat-1', 'acme/dear', 'acme/plain']) expect(page).toContain(id)
    expect(page).not.toContain('acme/gone')
    expect(page).toContain('$0.50')
    expect(page).toContain('11.1% more here')
    expect(page).toContain('you save 50%')
    expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/site.js" defer>'])
    expect(page).not.toMatch(/(src|href)="https?:/)
  })

  test('a search narrows it down, and what was typed comes back as text, never as markup', async () => {
    const found = await (await get('/?q=DEAR')).text()
    expect(found).toContain('acme/dear')
    expect(found).not.toContain('acme/plain')
    const attack = await (await get(`/?q=${encodeURIComponent('"><script>alert(1)</script>')}`)).text()
    expect(attack.match(/<script[^>]*>/g)).toEqual(['<script src="/site.js" defer>'])
    expect(attack).toContain('&lt;script&gt;')
  })

  test('leaves out what would be the same in every row', async () => {
    const page = await pageWith({})
    expect(page).not.toContain('same price')
    expect(page).not.toContain('Official price')
    expect(page).not.toContain('Provider</th>')
    expect(page).toContain('These are the providers’ own list prices.')
  })

  test('says where to send calls, by the address of the reader', async () => {
    expect(await (await get('/', { Host: 'gateway.example.com' })).text()).toContain(
      'http://gateway.example.com/v1</code>',
    )
  })

  test('shows prices of the cache and of long prompts, with numbers as they are written in English', async () => {
    const page = await pageWith({
      contextLength: 1_000_000,
      prices: [
        {
          input: usd('1.25'),
          output: usd('10'),
          cachedInput: usd('0.125'),
          tiers: [
            { abovePromptTokens: 200_000, input: usd('2.5'), output: usd('15'), cachedInput: usd('0.25') },
          ],
        },
      ],
    })
    for (const part of [
      '1,000,000',
      '<small>cached <b>$0.125</b></small>',
      '<small>above 200,000 <b>$2.50</b></small>',
      '<small>cached, above 200,000 <b>$0.25</b></small>',
      '<small>above 200,000 <b>$15.00</b></small>',
    ])
      expect(page).toContain(part)
  })

  /** The page of one model, whose official price is its price. */
  async function pageWith(change: Partial<Model>): Promise<string> {
    const [first] = MODELS
    if (!first) throw new Error('there is a first model')
    const { input, output } = first.prices[0]
    const model = { ...first, officialPrice: { input, output, source: 'acme' }, ...change }
    const own = await createAdminWorld({ models: () => [model] })
    const page = await (await own.call('GET', '/')).text()
    await own.close()
    return page
  }

  test('names in the catalogue are text, never markup', async () => {
    const [first] = MODELS
    if (!first) throw new Error('there is a first model')
    const own = await createAdminWorld({
      models: () => [{ ...first, displayName: '<img src=x onerror=alert(1)>' }],
    })
    expect(await (await own.call('GET', '/')).text()).not.toContain('<img')
    await own.close()
  })

  test('without a model it says so', async () => {
    const own = await createAdminWorld({ models: () => [] })
    expect(await (await own.call('GET', '/')).text()).toContain('No model is configured')
    await own.close()
  })
})
