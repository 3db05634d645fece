import { LISTED_CONTEXT, LISTED_LIMITS } from '../publishedLists.ts'
import { VISION, type CatalogRow } from '../row.ts'
import { list, page, recording, type Sources } from '../source.ts'

/** Pixtral's 64 × 64 patches and a break after each row; later encoders (mistral-common) make fewer. */
const IMAGE = 64 * 65

const READ = '2026-11-27'
const SOURCES: Sources = {
  context: LISTED_CONTEXT,
  output: LISTED_LIMITS,
  reasoning: recording('test/recorded/mistral', READ, 'what it thinks is a part of the message'),
  refused: list('@mistralai/mistralai@2.7.0', 'the vendor’s client has one chat request for all models'),
  formats: page(
    'https://docs.mistral.ai/resources/release-note/2025-01-28-custom-structured-outputs-for-all-models',
    READ,
    'JSON schemas with all models',
  ),
  images: page(
    'https://github.com/mistralai/mistral-common',
    '2026-11-23',
    'patches of an image, and a break after each row',
  ),
}

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
    sources: SOURCES,
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
    sources: SOURCES,
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
    sources: { ...SOURCES, context: LISTED_LIMITS },
  },
  {
    model: 'mistral-small-2603',
    name: 'Mistral Small 4',
    released: '2026-03-16',
    context: 256_000,
    output: 256_000,
    imageTokens: IMAGE,
    capabilities: VISION,
    sources: { ...SOURCES, context: LISTED_LIMITS },
  },
]
