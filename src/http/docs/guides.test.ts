import { afterAll, beforeAll, expect, test } from 'bun:test'
import { readdirSync } from 'node:fs'
import { type AdminWorld, createAdminWorld } from '../../../test/support/adminWorld.ts'
import { DESCRIPTIONS, GUIDE_GROUPS, guideNames, readGuide } from './guides.ts'

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

test('every guide has a description of its own, which is on its page, in the list of guides and in llms.txt', async () => {
  const listed = GUIDE_GROUPS.flatMap(({ names }) => names)
  expect([...DESCRIPTIONS.keys()].sort()).toEqual([...listed].sort())
  const [list, llms] = [await pageOf('/docs/guides'), await pageOf('/llms.txt')]
  for (const [name, description] of DESCRIPTIONS) {
    expect(description).toMatch(/^[A-Z].{20,90}\.$/)
    expect(list).toContain(description)
    expect(llms).toContain(`(http://gateway.example.com/docs/${name}.md): ${description}`)
    expect(await pageOf(`/docs/${name}`)).toContain(`<meta name="description" content="${description}">`)
  }
})

const READER = { Host: 'gateway.example.com' }
const pageOf = async (path: string) => (await world.call('GET', path, undefined, READER)).text()

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
  expect(page).toMatch(/<div class="fitted from-\d+" role="group" aria-label="Table 1"><table>/)
  expect(page).toContain('<td data-label="Default">')
  expect(await pageOf('/docs/start')).toContain('<figcaption>tollgate.yaml</figcaption>')
  expect(page).toMatch(/<details class="outline">.*<a href="#flags-and-variables">/s)
  expect(page).toContain('<link rel="alternate" type="text/markdown" href="/docs/configuration.md">')
  expect(page).toContain('<a href="/docs/billing#how-much-is-held">')
  expect(page.match(/<script[^>]*>/g)).toEqual(['<script src="/site.js" defer>'])
  expect(page.replaceAll(/<link rel="alternate"[^>]*>/g, '')).not.toContain('.md"')
  expect(await pageOf('/docs/errors')).toContain('<a href="/docs/errors/model_not_found">')
})

test('every document is Markdown at its address with .md, and every link of it leads to this server', async () => {
  const broken: string[] = []
  let links = 0
  for (const name of guideNames()) {
    const response = await world.call('GET', `/docs/${name}.md`)
    expect([name, response.headers.get('content-type')]).toEqual([name, 'text/markdown; charset=utf-8'])
    const markdown = await response.text()
    expect(markdown).toStartWith('# ')
    for (const [, href = ''] of withoutCode(markdown).matchAll(/\]\(([^)\s]*)\)/g)) {
      if (/^(?:https?:|#)/.test(href)) continue
      links++
      const { status, headers } = await world.call('HEAD', href.split('#')[0] ?? '')
      if (status !== 200) broken.push(`${name}: ${href}`)
      const isDocument = href.startsWith('/docs/')
      if (isDocument && headers.get('content-type') !== 'text/markdown; charset=utf-8')
        broken.push(`${name}: ${href}`)
    }
  }
  expect(broken).toEqual([])
  expect(links).toBeGreaterThan(300)
})

test('in Markdown a block of code stays as it is, and a link to a file of the source is its text', async () => {
  const markdown = await pageOf('/docs/contributing.md')
  const [block = 'none'] = /```diff[\s\S]*?```/.exec((await readGuide('contributing'))?.markdown ?? '') ?? []
  expect(markdown).toContain(block)
  expect(await pageOf('/docs/architecture.md')).toContain('are in docs/decisions, the terms')
})

test('llms.txt has a title, a summary, and sections that list every document', async () => {
  const text = await pageOf('/llms.txt')
  expect(text).toStartWith('# Tollgate\n\n> ')
  const sections = text.split('\n## ').slice(1)
  expect(sections.map((section) => section.split('\n')[0])).toEqual([
    ...GUIDE_GROUPS.map(({ title }) => title),
    'Optional',
  ])
  for (const section of sections)
    for (const line of section.split('\n').slice(2).filter(Boolean))
      expect(line).toMatch(/^- \[[^\]]+\]\(http:\/\/gateway\.example\.com\/docs\/[\w/-]+\.md\): .+$/)
  for (const name of guideNames()) expect(text).toContain(`/docs/${name}.md)`)
})

test('the search index has every heading with an anchor that is there, and every endpoint', async () => {
  const index: { path: string; title: string; parts: string[][] }[] = await world.ask(
    'GET',
    '/docs/search.json',
  )
  expect(index.map(({ path }) => path).sort()).toEqual(
    ['/docs', ...guideNames().map((name) => `/docs/${name}`)].sort(),
  )
  for (const { path, parts } of index) {
    const page = await pageOf(path)
    for (const [anchor] of parts)
      expect([path, anchor, page.includes(`id="${anchor}"`)]).toEqual([path, anchor, true])
    if (path !== '/docs') expect([path, parts.length]).toEqual([path, page.match(/<h[23] id/g)?.length ?? 0])
  }
  const deploy = index.find(({ path }) => path === '/docs/deploy')
  for (const word of ['kubernetes', 'helm', 'shutdown_delay', '503'])
    expect([word, deploy?.parts.some((part) => part.join(' ').toLowerCase().includes(word))]).toEqual([
      word,
      true,
    ])
  const text = JSON.stringify(index)
  expect(text).toContain('["errors","Errors",')
  expect(text).toContain('["create_chat_completion","POST /v1/chat/completions","')
  expect(text).not.toMatch(/&(?:lt|gt|quot|amp|#39);|<\/\w+>/)
  expect(Bun.gzipSync(text).byteLength).toBeLessThan(120_000)
})

function withoutCode(markdown: string): string {
  return markdown.replaceAll(/^ *(`{3,})[\s\S]*?^ *\1$/gm, '').replaceAll(/`[^`\n]*`/g, '')
}
