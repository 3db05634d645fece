import { TOOLS, type CatalogRow } from '../row.ts'

// https://inference-docs.cerebras.ai/models/overview
export const cerebrasModels: readonly CatalogRow[] = [
  {
    model: 'gpt-oss-120b',
    name: 'GPT OSS 120B (Cerebras)',
    released: '2025-08-05',
    context: 131_072,
    output: 40_960,
    capabilities: TOOLS,
  },
]
