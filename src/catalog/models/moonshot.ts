import { LISTED_CONTEXT, LISTED_LIMITS } from '../publishedLists.ts'
import { SAMPLING, VISION, type CatalogRow } from '../row.ts'
import { page, recording, report, type Sources } from '../source.ts'

const READ = '2026-11-27'
const SOURCES: Sources = {
  context: LISTED_CONTEXT,
  output: LISTED_LIMITS,
  reasoning: recording('test/recorded/moonshot', READ, 'it thinks by default, in reasoning_content'),
  refused: report(
    'https://github.com/HKUDS/nanobot/pull/4962',
    READ,
    'after the vendor’s guide the temperature is 1 with thinking and 0.6 without, and another value is an error: do not send it',
  ),
  formats: report(
    'https://github.com/vercel/ai/issues/12871',
    READ,
    'json_schema works with kimi-k2.6 and kimi-k2.7-code; with kimi-k2.5, too, where the schema has no `$schema` (vercel/ai#16472)',
  ),
}
const K2_7_OUTPUT = page(
  'https://docs.openclaw.ai/providers/moonshot',
  READ,
  'most output 262,144; always reasons',
)

// https://platform.moonshot.ai/docs/pricing/chat
export const moonshotModels: readonly CatalogRow[] = [
  {
    model: 'kimi-k2.7-code',
    name: 'Kimi K2.7 Code',
    released: '2026-06-12',
    context: 262_144,
    output: 262_144,
    capabilities: VISION,
    unsupported: SAMPLING,
    sources: { ...SOURCES, output: K2_7_OUTPUT },
  },
  {
    model: 'kimi-k2.6',
    name: 'Kimi K2.6',
    released: '2026-04-21',
    context: 262_144,
    output: 262_144,
    capabilities: VISION,
    unsupported: SAMPLING,
    sources: SOURCES,
  },
  {
    model: 'kimi-k2.5',
    name: 'Kimi K2.5',
    released: '2026-01-27',
    context: 262_144,
    output: 262_144,
    facts: { schemaWithoutDialect: true },
    capabilities: VISION,
    unsupported: SAMPLING,
    sources: SOURCES,
  },
]
