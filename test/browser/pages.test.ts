import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { source as AXE } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { skipFor } from '../support/runEvents.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import type { World } from '../support/world.ts'
import { NO_CHROMIUM, openChromium } from './chromium.ts'
import { PATHS, startReseller, startShop } from './pagesWorld.ts'

const WIDTHS = [375, 768, 1024, 1440] as const
const HEIGHT = 900
/** So many pages are measured in the time of one test also on a slow machine. */
const PART_PAGES = 12
const PARTS = Array.from({ length: Math.ceil(PATHS.length / PART_PAGES) }, (_, i) =>
  PATHS.slice(i * PART_PAGES, (i + 1) * PART_PAGES),
)
const MEASURE = await Bun.file(join(import.meta.dir, 'measure.js')).text()

describe.skipIf(skipFor(NO_CHROMIUM))('the pages in a browser', () => {
  let shop: World
  let reseller: World
  let browser: Browser
  let context: BrowserContext
  let page: Page
  /** What the browser itself finds wrong, such as a script that the policy does not allow. */
  const complaints: string[] = []

  beforeAll(async () => {
    ;[shop, reseller, browser] = await Promise.all([startShop(), startReseller(), openChromium()])
    context = await browser.newContext()
    page = await context.newPage()
    page.on('console', (message) => {
      // A page that is not there is one of those that are looked at.
      const isExpected = message.text().includes('status of 404')
      if (['error', 'warning'].includes(message.type()) && !isExpected) complaints.push(message.text())
    })
    page.on('pageerror', (error) => complaints.push(error.message))
  })
  afterAll(async () => {
    await browser.close()
    await Promise.all([shop.stop(), reseller.stop()])
  })

  async function faultsOf(url: string): Promise<string[]> {
    const faults: string[] = []
    await page.goto(url)
    for (const width of WIDTHS) {
      await page.setViewportSize({ width, height: HEIGHT })
      const found: string[] = await page.evaluate(MEASURE)
      faults.push(...found.map((fault) => `${new URL(url).pathname} at ${width} px: ${fault}`))
    }
    return faults
  }

  for (const [i, paths] of PARTS.entries()) {
    test(
      `nothing is cut off, broken inside a word or wider than the window at any width: part ${i + 1} of all pages`,
      async () => {
        const faults: string[] = []
        for (const path of paths) faults.push(...(await faultsOf(shop.url + path)))
        if (i === 0) faults.push(...(await faultsOf(`${reseller.url}/`)))
        expect(faults).toEqual([])
        expect(complaints).toEqual([])
      },
      TEST_LIMIT_MS,
    )
  }

  test('where a table does not fit, each row is a card that shows every cell with the title of its column', async () => {
    await page.goto(`${shop.url}/docs/configuration`)
    const titles = "[...document.querySelectorAll('td')].map((cell) => getComputedStyle(cell, '::before'))"
    const shown = `${titles}.map(({ display, content }) => (display === 'none' ? '' : content))`
    await page.setViewportSize({ width: 1440, height: HEIGHT })
    expect(new Set(await page.evaluate<string[]>(shown))).toEqual(new Set(['']))
    await page.setViewportSize({ width: 375, height: HEIGHT })
    const onPhone = await page.evaluate<string[]>(shown)
    expect(onPhone.length).toBeGreaterThan(100)
    expect(onPhone).not.toContain('')
    expect(onPhone.slice(0, 3)).toEqual(['"Kind"', '"Examples"', '"Rules"'])
  })

  test('all pages and the headings of a page are folded on a phone, and beside the text on a wide screen', async () => {
    await page.goto(`${shop.url}/docs/cli`)
    const current = page.locator('.toc a[aria-current]')
    const heading = page.locator('.outline a').first()
    await page.setViewportSize({ width: 1440, height: HEIGHT })
    expect([await current.isVisible(), await heading.isVisible()]).toEqual([true, true])
    await page.setViewportSize({ width: 375, height: HEIGHT })
    expect([await current.isVisible(), await heading.isVisible()]).toEqual([false, false])
    await page.getByText('All pages').click()
    expect(await current.textContent()).toBe('Command line')
    expect(await current.isVisible()).toBe(true)
  })

  test(
    'axe finds nothing to complain about, in light and in dark',
    async () => {
      const faults: string[] = []
      for (const path of [
        '/',
        '/docs/guides',
        '/docs/configuration',
        '/docs/errors/invalid_request',
        '/nope',
      ]) {
        await page.goto((path === '/' ? reseller : shop).url + path)
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          await page.evaluate(AXE)
          const found = await page.evaluate<string[]>(`axe.run().then(({ violations }) =>
            violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html.slice(0, 120))))`)
          faults.push(...found.map((fault) => `${path} in ${colorScheme}: ${fault}`))
        }
      }
      await page.emulateMedia({ colorScheme: 'light' })
      expect(faults).toEqual([])
    },
    TEST_LIMIT_MS,
  )
})
