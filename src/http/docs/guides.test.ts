import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { type AdminWorld, createAdminWorld } from '../../../test/support/adminWorld.ts'
import { GUIDE_GROUPS, readGuide } from './guides.ts'

const ROOT = new URL('../../../', import.meta.url)

/** Every document of the repository for people, by its name under `/docs/`. */
const NAMES = [
  ...readdirSync(new URL('docs/', ROOT), { recursive: true, encoding: 'utf8' }),
  ...readdirSync(ROOT).map((file) => file.toLowerCase()),
]
  .filter((path) => path.endsWith('.md'))
  .map((path) => path.replace(/(?:\/README)?\.md$/, ''))

let world: AdminWorld
beforeAll(async () => {
  world = await createAdminWorld()
})
afterAll(() => world.close())

test('every guide is listed once, and every listed one exists', async () => {
  const listed = GUIDE_GROUPS.flatMap(({ names }) => names)
  expect(new Set(listed).size).toBe(listed.length)
  for (const name of listed) expect(await readGuide(name)).toBeDefined()
  const guides = readdirSync(new URL('docs/', ROOT))
    .filter((file) => file.endsWith('.md'))
    .map((file) => file.replace('.md', ''))
  expect(guides.filter((name) => !listed.includes(name))).toEqual([])
})

const pageOf = async (path: string) => (await world.call('GET', path)).text()

test('every link of every served page leads to a page of this server, and to an anchor that is there', async () => {
  const pages = new Map<string, string>()
  for (const path of ['/', '/docs', '/docs/guides', ...NAMES.map((name) => `/docs/${name}`)])
    pages.set(path, await pageOf(path))
  const broken: string[] = []
  let links = 0
  for (const [path, page] of pages) {
    for (const [, href = ''] of page.matchAll(/<a [^>]*?href="([^"]*)"/g)) {
      if (/^https?:/.test(href)) continue
      links++
      const [target = '', anchor] = href.split('#')
      const to = target === '' ? path : (target.split('?')[0] ?? '')
      if (!pages.has(to)) {
        const { status } = await world.call('GET', to)
        if (status !== 200) broken.push(`${path}: ${href}`)
      }
      if (anchor !== undefined && anchor !== '' && !pages.get(to)?.includes(`id="${anchor}"`))
        broken.push(`${path}: ${href}`)
    }
  }
  expect(broken).toEqual([])
  expect(links).toBeGreaterThan(500)
})

test('a page of a guide shows its tables, headings and code, and nothing from elsewhere', async () => {
  const page = await pageOf('/docs/configuration')
  expect(page).toContain('<h2 id="flags-and-variables">')
  expect(page).toContain('<div class="scroll" role="group" aria-label="Table 1" tabindex="0"><table>')
  expect(page).toContain('<a href="/docs/billing#how-much-is-held">')
  expect(page).not.toContain('<script')
  expect(page).not.toContain('.md"')
  expect(await pageOf('/docs/errors')).toContain('<a href="/docs/errors/model_not_found">')
})
