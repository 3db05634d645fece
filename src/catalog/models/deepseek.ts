import { TOOLS, type CatalogRow } from '../row.ts'
import { page, recording, report, type Sources } from '../source.ts'

const READ = '2026-11-27'
const PRICING = page(
  'https://api-docs.deepseek.com/quick_start/pricing',
  READ,
  'context 1M, output at most 384K, JSON output',
)
const VISIBLE = recording('test/recorded/deepseek', READ, 'it thinks by default, in reasoning_content')
const SOURCES: Sources = {
  context: PRICING,
  output: PRICING,
  reasoning: VISIBLE,
  refused: page(
    'https://api-docs.deepseek.com/guides/thinking_mode',
    READ,
    'temperature and penalties have no effect, and cause no error',
  ),
  formats: report(
    'https://github.com/UKGovernmentBEIS/inspect_ai/issues/4916',
    READ,
    'deepseek-v4-flash answers json_schema with 400 and takes json_object',
  ),
}

// https://api-docs.deepseek.com/quick_start/pricing. Its prices differ by the hour: the catalogue holds the highest.
export const deepseekModels: readonly CatalogRow[] = [
  {
    model: 'deepseek-v4-pro',
    name: 'DeepSeek V4 Pro',
    released: '2026-04-24',
    context: 1_000_000,
    output: 384_000,
    facts: { responseFormats: ['json_object'] },
    capabilities: TOOLS,
    sources: SOURCES,
  },
  {
    model: 'deepseek-v4-flash',
    name: 'DeepSeek V4 Flash',
    released: '2026-04-24',
    context: 1_000_000,
    output: 384_000,
    facts: { responseFormats: ['json_object'] },
    capabilities: TOOLS,
    sources: SOURCES,
  },
]
