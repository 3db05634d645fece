import { TOOLS, type CatalogRow } from '../row.ts'

// https://api-docs.deepseek.com/quick_start/pricing. Its prices differ by the hour: the catalogue holds the highest.
export const deepseekModels: readonly CatalogRow[] = [
  {
    model: 'deepseek-v4-pro',
    name: 'DeepSeek V4 Pro',
    released: '2026-04-24',
    context: 1_000_000,
    output: 384_000,
    capabilities: TOOLS,
  },
  {
    model: 'deepseek-v4-flash',
    name: 'DeepSeek V4 Flash',
    released: '2026-04-24',
    context: 1_000_000,
    output: 384_000,
    capabilities: TOOLS,
  },
]
