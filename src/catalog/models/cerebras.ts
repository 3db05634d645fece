import { LISTED_CONTEXT } from '../publishedLists.ts'
import { TOOLS, type CatalogRow } from '../row.ts'
import { page, recording, unsupported, type Sources } from '../source.ts'

const READ = '2026-11-27'
const SOURCES: Sources = {
  context: LISTED_CONTEXT,
  output: unsupported('published lists have 32,768; the vendor’s page could not be read'),
  reasoning: recording('test/recorded/cerebras', READ, 'it shows its reasoning'),
  refused: page(
    'https://hexdocs.pm/req_llm/cerebras.html',
    READ,
    'what is answered with 400 is the same for all models: quirks',
  ),
  formats: page(
    'https://www.getmaxim.ai/bifrost/model-library/compare/cerebras/gpt-oss-120b',
    READ,
    'a response schema is taken',
  ),
}

// https://inference-docs.cerebras.ai/models/overview
export const cerebrasModels: readonly CatalogRow[] = [
  {
    model: 'gpt-oss-120b',
    name: 'GPT OSS 120B (Cerebras)',
    released: '2025-08-05',
    context: 131_072,
    output: 40_960,
    capabilities: TOOLS,
    sources: SOURCES,
  },
]
