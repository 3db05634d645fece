import { expect, test } from 'bun:test'
import { packageModel } from '../../scripts/officialPriceFile.ts'
import { countFacts } from '../../scripts/unsupportedFacts.ts'
import packageFile from '../../package.json'
import * as openaiPages from 'gpt-tokenizer/models.gen'
import { OPENAI_PAGES, PRICE_PACKAGE } from './publishedLists.ts'
import { CATALOG_SECTIONS } from './rows.ts'
import type { Source } from './source.ts'

const ROWS = CATALOG_SECTIONS.flatMap((section) => section.rows.map((row) => ({ ...section, row })))
const SOURCES: readonly Source[] = ROWS.flatMap(({ row }) => Object.values(row.sources))

test('a page and a report have an address, and the day on which they were read', () => {
  for (const source of SOURCES) {
    if (source.kind === 'page' || source.kind === 'report') expect(source.at).toMatch(/^https:\/\/\S+$/)
    if ('read' in source) expect(source.read).toMatch(/^2026-\d\d-\d\d$/)
    expect(('says' in source ? source.says : source.kind === 'none' && source.why) || '').not.toBe('')
  }
})

test('a list that is installed is cited in the version that is installed', () => {
  const installed = new Map(Object.entries({ ...packageFile.dependencies, ...packageFile.devDependencies }))
  for (const source of SOURCES) {
    if (source.kind !== 'list') continue
    const [, name = '', version] = /^(@?[^@]+)@(.+)$/.exec(source.at) ?? []
    expect(version).toBe(installed.get(name) ?? version)
  }
})

test('what an image costs has a source in every row that states it', () => {
  expect(countFacts().unsupported.filter((line) => line.endsWith('has no source'))).toEqual([])
})

test('what is cited from the price package is in it', () => {
  for (const { pricedBy, row } of ROWS) {
    const { context } = row.sources
    if (context.kind !== 'list' || context.at !== PRICE_PACKAGE) continue
    const listed = packageModel(pricedBy, row.pricedAs ?? row.model)?.context_window
    expect({ model: row.model, context: listed }).toEqual({ model: row.model, context: row.context })
  }
})

test('what is cited from OpenAI’s pages is in their copy', () => {
  const pages = new Map(Object.entries(openaiPages as unknown as Record<string, OpenaiPage>))
  const cites = (source: Source): boolean => source.kind === 'list' && source.at === OPENAI_PAGES
  for (const { row } of ROWS) {
    const { context, output, reasoning, formats, wire } = row.sources
    if (!cites(context)) continue
    expect({ model: row.model, ...readPage(pages.get(row.model)) }).toMatchObject({
      model: row.model,
      context: row.context,
      ...(cites(output) && { output: row.output }),
      ...(cites(reasoning) && { reasons: row.hiddenReasoning !== undefined }),
      ...(cites(formats) && { schemas: row.facts?.responseFormats === undefined }),
      ...(wire && cites(wire) && { responds: row.wire === 'openai-responses' }),
    })
  }
})

interface OpenaiPage {
  readonly context_window?: number
  readonly max_output_tokens?: number
  readonly reasoning_tokens?: boolean
  readonly supported_features?: readonly string[]
  readonly supported_endpoints?: readonly string[]
}

function readPage(page: OpenaiPage | undefined) {
  return {
    context: page?.context_window,
    output: page?.max_output_tokens,
    reasons: page?.reasoning_tokens,
    schemas: page?.supported_features?.includes('structured_outputs'),
    responds: page?.supported_endpoints?.includes('responses'),
  }
}
