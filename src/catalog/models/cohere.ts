import { TOOLS, type CatalogRow } from '../row.ts'
import { list, page, unsupported, type Source } from '../source.ts'

const READ = '2026-11-27'
const limits = (model: string): { context: Source; output: Source } => {
  const source = page(
    `https://wavespeed.ai/zh-CN/llm/cohere/${model}`,
    READ,
    'context window 128,000, most output 4,000',
  )
  return { context: source, output: source }
}
const COMMAND_A = page('https://developer.puter.com/ai/cohere/', READ, 'a context length of 256K')
const COMMAND_R = page(
  'https://docs.oracle.com/en-us/iaas/Content/generative-ai/cohere-command-r-08-2024.htm',
  READ,
  'a conversation history of 128,000 tokens',
)
const NO_OUTPUT = unsupported('no page with the most output could be read')
const SOURCES = {
  reasoning: page(
    'https://docs.cohere.com/v2/changelog/2025-08-21-command-a-reasoning.md',
    READ,
    'Command A Reasoning of August 2025 is the first model that reasons',
  ),
  refused: list('cohere-ai@8.1.0', 'the vendor’s client has one chat request for all models'),
  formats: page(
    'https://docs.cohere.com/v1/docs/structured-outputs',
    READ,
    'JSON and JSON schemas with Command A, R and R+',
  ),
}

// https://docs.cohere.com/docs/models
export const cohereModels: readonly CatalogRow[] = [
  {
    model: 'command-a-03-2025',
    name: 'Command A',
    released: '2025-03-13',
    context: 256_000,
    output: 8_000,
    capabilities: TOOLS,
    pricedAs: 'command-a',
    sources: { ...SOURCES, context: COMMAND_A, output: NO_OUTPUT },
  },
  {
    model: 'command-r-plus-08-2024',
    name: 'Command R+',
    released: '2024-08-30',
    context: 128_000,
    output: 4_000,
    capabilities: TOOLS,
    pricedAs: 'command-r-plus',
    sources: { ...SOURCES, ...limits('command-r-plus-08-2024') },
  },
  {
    model: 'command-r-08-2024',
    name: 'Command R',
    released: '2024-08-30',
    context: 128_000,
    output: 4_000,
    capabilities: TOOLS,
    pricedAs: 'command-r',
    sources: { ...SOURCES, context: COMMAND_R, output: NO_OUTPUT },
  },
  {
    model: 'command-r7b-12-2024',
    name: 'Command R7B',
    released: '2024-12-02',
    context: 128_000,
    output: 4_000,
    capabilities: TOOLS,
    pricedAs: 'command-r7b',
    sources: { ...SOURCES, ...limits('command-r7b-12-2024') },
  },
]
