import { VISION, type CatalogRow } from '../row.ts'

/** Pixtral's 64 × 64 patches and a break after each row; later encoders (mistral-common) make fewer. */
const IMAGE = 64 * 65

// https://docs.mistral.ai/getting-started/models
export const mistralModels: readonly CatalogRow[] = [
  {
    model: 'mistral-large-2512',
    name: 'Mistral Large 3',
    released: '2025-12-02',
    context: 262_144,
    output: 262_144,
    imageTokens: IMAGE,
    capabilities: VISION,
  },
  {
    model: 'mistral-medium-2604',
    name: 'Mistral Medium 3.5',
    released: '2026-04-29',
    context: 262_144,
    output: 262_144,
    imageTokens: IMAGE,
    capabilities: VISION,
    pricedAs: 'mistral-medium-3-5',
  },
  {
    model: 'mistral-medium-2508',
    name: 'Mistral Medium 3.1',
    released: '2025-08-12',
    context: 262_144,
    output: 262_144,
    imageTokens: IMAGE,
    capabilities: VISION,
    pricedAs: 'mistral-medium-3-1',
  },
  {
    model: 'mistral-small-2603',
    name: 'Mistral Small 4',
    released: '2026-03-16',
    context: 256_000,
    output: 256_000,
    imageTokens: IMAGE,
    capabilities: VISION,
  },
]
