import { BUDGET, BUDGET_OF_PRO, LEVELS, LEVELS_OF_PRO } from '../reasoning.ts'
import { VISION, type CatalogRow } from '../row.ts'

// https://ai.google.dev/gemini-api/docs/media-resolution: Gemini 3 takes 1,120 at its default resolution.
const IMAGE = 1_200
/** Gemini 2 takes 258 for each tile of 768 pixels, of up to 16. */
const IMAGE_IN_TILES = 16 * 258

// https://ai.google.dev/gemini-api/docs/models
export const googleModels: readonly CatalogRow[] = [
  {
    model: 'gemini-3.8-flash',
    name: 'Gemini 3.8 Flash',
    released: '2026-09-02',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'always',
    facts: { reasoning: LEVELS, requiresSignedCalls: true },
    capabilities: VISION,
  },
  {
    model: 'gemini-3.5-flash',
    name: 'Gemini 3.5 Flash',
    released: '2026-05-19',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'always',
    facts: { reasoning: LEVELS, requiresSignedCalls: true },
    capabilities: VISION,
  },
  {
    model: 'gemini-3.1-pro-preview',
    name: 'Gemini 3.1 Pro Preview',
    released: '2026-02-19',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'always',
    facts: { reasoning: LEVELS_OF_PRO, requiresSignedCalls: true },
    capabilities: VISION,
  },
  {
    model: 'gemini-3.1-flash-lite',
    name: 'Gemini 3.1 Flash-Lite',
    released: '2026-05-07',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'always',
    facts: { reasoning: LEVELS, requiresSignedCalls: true },
    capabilities: VISION,
  },
  {
    model: 'gemini-3-flash-preview',
    name: 'Gemini 3 Flash Preview',
    released: '2025-12-17',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE,
    hiddenReasoning: 'always',
    facts: { reasoning: LEVELS, requiresSignedCalls: true },
    capabilities: VISION,
  },
  {
    model: 'gemini-2.5-pro',
    name: 'Gemini 2.5 Pro',
    released: '2025-06-17',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE_IN_TILES,
    hiddenReasoning: 'always',
    facts: { reasoning: BUDGET_OF_PRO },
    capabilities: VISION,
  },
  {
    model: 'gemini-2.5-flash',
    name: 'Gemini 2.5 Flash',
    released: '2025-06-17',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE_IN_TILES,
    hiddenReasoning: 'always',
    facts: { reasoning: BUDGET },
    capabilities: VISION,
  },
  {
    model: 'gemini-2.5-flash-lite',
    name: 'Gemini 2.5 Flash-Lite',
    released: '2025-06-17',
    context: 1_048_576,
    output: 65_536,
    imageTokens: IMAGE_IN_TILES,
    hiddenReasoning: 'on_request',
    facts: { reasoning: BUDGET },
    capabilities: VISION,
  },
]
