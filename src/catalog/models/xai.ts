import { VISION, type CatalogRow } from '../row.ts'

// https://docs.x.ai/docs/models

/** What its reasoning models answer with 400. */
const REASONING = ['frequency_penalty', 'presence_penalty', 'stop']

export const xaiModels: readonly CatalogRow[] = [
  {
    model: 'grok-4.3',
    name: 'Grok 4.3',
    released: '2026-04-17',
    context: 1_000_000,
    output: 30_000,
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: REASONING,
  },
  {
    model: 'grok-4.20-0309-reasoning',
    name: 'Grok 4.20',
    released: '2026-03-09',
    context: 1_000_000,
    output: 30_000,
    hiddenReasoning: 'always',
    capabilities: VISION,
    unsupported: REASONING,
    pricedAs: 'grok-4.20',
  },
  {
    model: 'grok-4.20-0309-non-reasoning',
    name: 'Grok 4.20 (no reasoning)',
    released: '2026-03-09',
    context: 1_000_000,
    output: 30_000,
    capabilities: VISION,
    pricedAs: 'grok-4.20',
  },
]
