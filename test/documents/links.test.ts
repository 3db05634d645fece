import { expect, test } from 'bun:test'
import { Glob } from 'bun'
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { anchorsOf } from './anchors.ts'

const ROOT = new URL('../../', import.meta.url).pathname
const PAGES = ['*.md', 'docs/**/*.md', 'test/**/*.md', 'src/**/*.md', 'bench/**/*.md'].flatMap((pattern) =>
  [...new Glob(pattern).scanSync(ROOT)].toSorted(),
)

test('every link within the documents leads somewhere, and none out of the repository', () => {
  expect(PAGES.length).toBeGreaterThan(30)
  const wrong: string[] = []
  for (const page of PAGES) {
    const whole = readFileSync(ROOT + page, 'utf8')
    const text = whole.replaceAll(/```[\s\S]*?```|`[^`\n]*`/g, '')
    for (const [, link = ''] of text.matchAll(/\]\(([^)\s]+)\)/g)) {
      // A URL; or a path of the gateway that serves the page.
      if (/^[a-z]+:|^\//.test(link)) continue
      const [file = '', anchor] = link.split('#')
      const path = file === '' ? ROOT + page : join(ROOT, dirname(page), file)
      if (!path.startsWith(ROOT) || !existsSync(path)) wrong.push(`${page}: ${link} leads nowhere`)
      else if (anchor !== undefined && !anchorsOf(path).has(anchor))
        wrong.push(`${page}: ${link}: there is no such heading`)
    }
    if (whole.includes('../shared')) wrong.push(`${page} names a folder outside of the repository`)
  }
  expect(wrong).toEqual([])
})
