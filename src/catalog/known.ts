import { UNKNOWN_IMAGE_TOKENS } from '../core/model.ts'
import { demoModel } from './demo.ts'
import type { KnownModel } from './knownModel.ts'
import file from './officialPrices.json'
import { readSchedule, type OfficialPriceFile } from './officialPrices.ts'
import { catalogId, CATALOG_SECTIONS } from './rows.ts'

const official: OfficialPriceFile = file

/** Every model that needs only its id in the configuration. */
export const KNOWN_MODELS: readonly KnownModel[] = [
  demoModel,
  ...CATALOG_SECTIONS.flatMap(({ provider, bareNames, rows }) =>
    rows.map((row): KnownModel => {
      const id = catalogId(provider, row.model)
      const prices = official.models[id]
      return {
        id,
        provider,
        upstreamModel: row.model,
        displayName: row.name,
        created: row.released === undefined ? 0 : Date.parse(row.released) / 1000,
        contextLength: row.context,
        maxOutputTokens: row.output,
        imageTokens: row.imageTokens ?? UNKNOWN_IMAGE_TOKENS,
        ...(row.hiddenReasoning && { hiddenReasoning: row.hiddenReasoning }),
        capabilities: row.capabilities,
        aliases: bareNames ? [row.model] : [],
        unsupportedFields: row.unsupported ?? [],
        ...(row.unsupportedWhileReasoning && { unsupportedWhileReasoning: row.unsupportedWhileReasoning }),
        facts: row.facts ?? {},
        ...(prices === undefined ? {} : { officialPrices: readSchedule(prices) }),
      }
    }),
  ),
]

const byName = new Map<string, KnownModel>()
for (const model of KNOWN_MODELS) for (const name of [model.id, ...model.aliases]) byName.set(name, model)

const byTarget = new Map(KNOWN_MODELS.map((model) => [`${model.provider} ${model.upstreamModel}`, model]))

/** Finds a known model by its id or an alias. */
export function knownModel(name: string): KnownModel | undefined {
  return byName.get(name)
}

/** Finds a known model by the provider's row and the exact name it has there. */
export function knownModelAt(provider: string, upstreamModel: string): KnownModel | undefined {
  return byTarget.get(`${provider} ${upstreamModel}`)
}
