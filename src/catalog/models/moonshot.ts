import { SAMPLING, VISION, type CatalogRow } from '../row.ts'

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
  },
  {
    model: 'kimi-k2.6',
    name: 'Kimi K2.6',
    released: '2026-04-21',
    context: 262_144,
    output: 262_144,
    capabilities: VISION,
  },
  {
    model: 'kimi-k2.5',
    name: 'Kimi K2.5',
    released: '2026-01-27',
    context: 262_144,
    output: 262_144,
    capabilities: VISION,
    unsupported: SAMPLING,
  },
]
