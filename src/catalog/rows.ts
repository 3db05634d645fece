import { anthropicModels } from './models/anthropic.ts'
import { cerebrasModels } from './models/cerebras.ts'
import { cohereModels } from './models/cohere.ts'
import { deepseekModels } from './models/deepseek.ts'
import { googleModels } from './models/google.ts'
import { groqModels } from './models/groq.ts'
import { mistralModels } from './models/mistral.ts'
import { moonshotModels } from './models/moonshot.ts'
import { openaiModels } from './models/openai.ts'
import { xaiModels } from './models/xai.ts'
import type { DateForm } from './datedIds.ts'
import type { CatalogRow } from './row.ts'

/** All models of a provider, and what else is the same for them. */
export interface CatalogSection {
  /** The id of the provider's row. */
  readonly provider: string
  /** The price package's id of the provider; absent when the package does not know it: each row states its price. */
  readonly pricedBy?: string
  /** Its models answer to their bare name as well: it makes them, others only host. */
  readonly bareNames: boolean
  /** How the names of its snapshots end: they are known as the model before the date. Absent: it dates none. */
  readonly dated?: DateForm
  readonly rows: readonly CatalogRow[]
}

export const CATALOG_SECTIONS: readonly CatalogSection[] = [
  { provider: 'openai', pricedBy: 'openai', bareNames: true, dated: '-YYYY-MM-DD', rows: openaiModels },
  {
    provider: 'anthropic',
    pricedBy: 'anthropic',
    bareNames: true,
    dated: '-YYYYMMDD',
    rows: anthropicModels,
  },
  { provider: 'google', pricedBy: 'google', bareNames: true, rows: googleModels },
  { provider: 'mistral', pricedBy: 'mistral', bareNames: true, rows: mistralModels },
  { provider: 'cohere', pricedBy: 'cohere', bareNames: true, rows: cohereModels },
  { provider: 'deepseek', pricedBy: 'deepseek', bareNames: true, rows: deepseekModels },
  { provider: 'xai', pricedBy: 'x-ai', bareNames: true, rows: xaiModels },
  { provider: 'moonshot', pricedBy: 'moonshotai', bareNames: true, rows: moonshotModels },
  { provider: 'groq', pricedBy: 'groq', bareNames: false, rows: groqModels },
  { provider: 'cerebras', pricedBy: 'cerebras', bareNames: false, rows: cerebrasModels },
]

/** The canonical id of a model of the catalogue. */
export function catalogId(provider: string, model: string): string {
  return `${provider}/${model}`
}
