import { TOOLS, type CatalogRow } from '../row.ts'

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
  },
  {
    model: 'command-r-plus-08-2024',
    name: 'Command R+',
    released: '2024-08-30',
    context: 128_000,
    output: 4_000,
    capabilities: TOOLS,
    pricedAs: 'command-r-plus',
  },
  {
    model: 'command-r-08-2024',
    name: 'Command R',
    released: '2024-08-30',
    context: 128_000,
    output: 4_000,
    capabilities: TOOLS,
    pricedAs: 'command-r',
  },
  {
    model: 'command-r7b-12-2024',
    name: 'Command R7B',
    released: '2024-12-02',
    context: 128_000,
    output: 4_000,
    capabilities: TOOLS,
    pricedAs: 'command-r7b',
  },
]
