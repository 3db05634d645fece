import { beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { OpenApiDocument } from '../../src/http/openapi.ts'
import { createAdminWorld } from '../support/adminWorld.ts'
import { type Block, blocksOf } from './blocks.ts'
import { expectDocumented } from './openApi.ts'
import { Reader } from './reader.ts'

export const ROOT = join(import.meta.dir, '../..')
/** A page with many commands on a slow machine. */
const PAGE_LIMIT_MS = 240_000

/** CONTRIBUTING.md has a test of its own: its samples change the source. */
const PAGES = [
  'README.md',
  'SECURITY.md',
  'ARCHITECTURE.md',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md'))
    .map((path) => `docs/${path}`)
    .toSorted(),
]
const read = (page: string) => blocksOf(readFileSync(join(ROOT, page), 'utf8'))

/** What becomes of a block, by its language. */
const LANGUAGES = new Set('sh console yaml json ts python sql ini nginx text mermaid'.split(' '))

/** All documents that have blocks, and their blocks. */
export const PAGES_WITH_BLOCKS = PAGES.map((page) => [page, read(page)] as const).filter(
  ([, blocks]) => blocks.length > 0,
)

/** Those whose commands take long: a file of tests has them, another has all others. */
const LONG_PAGES = new Set(['docs/start.md', 'docs/cli.md'])

let document: OpenApiDocument

/** Tests, for each page, that every block of it works as pasted. */
export function testPages(which: 'long' | 'others'): void {
  beforeAll(async () => {
    const world = await createAdminWorld()
    document = await world.ask('GET', '/openapi.json')
    await world.close()
  })

  const pages = PAGES_WITH_BLOCKS.filter(([page]) => LONG_PAGES.has(page) === (which === 'long'))
  describe('every block of a document works as pasted', () => {
    test.concurrent.each(pages)(
      '%s',
      async (_, blocks) => {
        const starts = blocks.some(({ note }) => note === 'keeps running')
        const calls = blocks.some(
          ({ language, text, note }) =>
            language === 'sh' && note === undefined && /\$TOLLGATE\b|:4100/.test(text),
        )
        await using reader = await Reader.start({ gateway: calls && !starts })
        for (const block of blocks) await follow(block, reader)
      },
      PAGE_LIMIT_MS,
    )
  })
}

async function follow(block: Block, reader: Reader): Promise<void> {
  expect([block.line, block.language, LANGUAGES.has(block.language)]).toEqual([
    block.line,
    block.language,
    true,
  ])
  if (block.note?.startsWith('not run: ')) return
  const { language, text, about } = block
  if (about !== '' && language !== 'json') {
    await reader.save(about, text)
    if (language === 'ts') await reader.paste(`bun run ${about}`)
    if (language === 'python') await reader.paste(`python3 -m py_compile ${about}`)
    return
  }
  switch (language) {
    case 'sh':
      await (block.note === 'keeps running' ? reader.run(text) : reader.paste(text))
      return
    case 'console':
      return reader.compare(block)
    case 'yaml':
      return reader.check(text)
    case 'json':
      return parseAs(about, text)
    case 'ts':
      await reader.save('sample.ts', text)
      await reader.paste(`bun run sample.ts`)
      return
    case 'text':
    case 'mermaid':
      return
    default:
      // Whatever no test here can run says so, with the reason.
      expect([block.line, language, 'needs a note "not run: why"']).toEqual([block.line, language, ''])
  }
}

/** JSON that names a schema of the API has its fields, and no others. */
function parseAs(schema: string, text: string): void {
  const value: unknown = JSON.parse(text)
  if (schema === '') return
  expect(Object.keys(document.components.schemas)).toContain(schema)
  expectDocumented(document, { $ref: `#/components/schemas/${schema}` }, value)
}
