import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { skipFor } from '../support/runEvents.ts'
import { startWorld, type World } from '../support/world.ts'
import { NO_CHROMIUM, openChromium } from './chromium.ts'

describe.skipIf(skipFor(NO_CHROMIUM))('the script of the pages', () => {
  let world: World
  let browser: Browser
  let context: BrowserContext
  let page: Page
  let indexRequests = 0

  beforeAll(async () => {
    ;[world, browser] = await Promise.all([startWorld(), openChromium()])
    context = await browser.newContext({ permissions: ['clipboard-read', 'clipboard-write'] })
    page = await context.newPage()
    page.on('request', (request) => (indexRequests += request.url().endsWith('/docs/search.json') ? 1 : 0))
  })
  beforeEach(async () => {
    await page.goto('about:blank')
    indexRequests = 0
    await page.goto(`${world.url}/docs/start`)
  })
  afterAll(async () => {
    await browser.close()
    await world.stop()
  })

  const box = () => page.getByRole('combobox', { name: 'Search the documentation' })
  const options = () => page.getByRole('option')
  const announced = () => page.locator('p[role=status].hidden')
  const selected = () => page.locator('[role=option][aria-selected=true]')

  test('a slash goes to the search box, arrows choose, and Enter opens the part of the page', async () => {
    await page.keyboard.press('/')
    await page.keyboard.insertText('hold')
    await options().nth(1).waitFor()
    expect(await box().getAttribute('aria-expanded')).toBe('true')
    expect(await selected().getAttribute('id')).toBe('found-0')
    await page.keyboard.press('ArrowDown')
    expect(await selected().getAttribute('id')).toBe('found-1')
    expect(await box().getAttribute('aria-activedescendant')).toBe('found-1')
    await page.keyboard.press('ArrowUp')
    const href = await selected().getAttribute('href')
    expect(href).toMatch(/^\/docs\/[\w-]+#[\w-]+$/)
    await page.keyboard.press('Enter')
    await page.waitForURL(world.url + href)
  })

  test('Escape closes the results, then leaves the box', async () => {
    await box().fill('hold')
    await options().first().waitFor()
    await page.keyboard.press('Escape')
    expect(await options().first().isVisible()).toBe(false)
    expect(await box().getAttribute('aria-expanded')).toBe('false')
    await page.keyboard.press('Escape')
    expect(await box().evaluate((input) => input === input.ownerDocument.activeElement)).toBe(false)
  })

  test('all words must be found, an endpoint by its path too, and no result is said to be none', async () => {
    await box().fill('POST /v1/messages')
    await options().first().waitFor()
    expect(await options().first().getAttribute('href')).toBe('/docs#create_message')
    await box().fill('hold zebra')
    await page.getByText('No results for “hold zebra”.').first().waitFor()
    expect(await options().count()).toBe(0)
    expect(await announced().textContent()).toBe('No results for “hold zebra”.')
  })

  test('what is typed is text, never markup', async () => {
    await box().fill('<img src=x>')
    await page.getByText('No results for “<img src=x>”.').first().waitFor()
    expect(await page.locator('.search img').count()).toBe(0)
  })

  test('the index is loaded with the first use, once; after a failure it is loaded again', async () => {
    expect(indexRequests).toBe(0)
    await page.route('**/docs/search.json', (route) => route.abort())
    await box().fill('hold')
    await page.getByText('The search index could not be loaded.').first().waitFor()
    await page.unroute('**/docs/search.json')
    await box().fill('holds')
    await options().first().waitFor()
    const until = indexRequests
    await box().fill('limits')
    await page.getByRole('option', { name: 'Limits' }).first().waitFor()
    expect(indexRequests).toBe(until)
  })

  test('a button copies a block of code, and says so', async () => {
    const block = page.locator('figure.code').first()
    const code = (await block.locator('code').textContent()) ?? ''
    await block.getByRole('button', { name: 'Copy this code' }).click()
    await block.getByText('Copied').waitFor()
    expect(await announced().textContent()).toBe('Copied')
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(code.trimEnd())
  })

  test('a button copies the id of a model, and the base URL', async () => {
    await page.goto(world.url)
    await page.getByRole('button', { name: 'Copy acme/chat-1' }).click()
    await page.getByText('Copied').first().waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe('acme/chat-1')
    await page.getByRole('button', { name: `Copy ${world.url}/v1` }).click()
    await page.getByText('Copied').nth(1).waitFor()
    expect(await page.evaluate<string>('navigator.clipboard.readText()')).toBe(`${world.url}/v1`)
  })

  test('without scripts there is neither a box nor a button', async () => {
    const plain = await (await browser.newContext({ javaScriptEnabled: false })).newPage()
    for (const path of ['/docs/start', '/docs']) {
      await plain.goto(world.url + path)
      expect(await plain.locator('input, button, .search:visible').count()).toBe(0)
    }
    await plain.goto(world.url)
    expect(await plain.locator('.copy').count()).toBe(0)
  })
})
