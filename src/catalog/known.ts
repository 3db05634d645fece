import { UNKNOWN_IMAGE_TOKENS } from '../core/model.ts'
import { readDatedName } from './datedIds.ts'
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
        ...(row.wire && { wire: row.wire }),
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

/** Finds a known model by its id or an alias; a dated snapshot without a row is known as its model. */
export function knownModel(name: string): KnownModel | undefined {
  return byName.get(name) ?? snapshot(name, (base) => byName.get(base))
}

/** Finds a known model by the provider's row and the exact name it has there, as `knownModel` does. */
export function knownModelAt(provider: string, upstreamModel: string): KnownModel | undefined {
  const at = (name: string): KnownModel | undefined => byTarget.get(`${provider} ${name}`)
  return at(upstreamModel) ?? snapshot(upstreamModel, at)
}

function snapshot(name: string, modelOf: (base: string) => KnownModel | undefined): KnownModel | undefined {
  for (const { provider, bareNames, dated } of CATALOG_SECTIONS) {
    const read = dated && readDatedName(name, dated)
    const model = read && modelOf(read.base)
    if (read === undefined || model?.provider !== provider) continue
    const upstreamModel = model.upstreamModel + read.name.slice(read.base.length)
    return {
      ...model,
      id: catalogId(provider, upstreamModel),
      upstreamModel,
      displayName: `${model.displayName} (${read.date})`,
      created: Date.parse(read.date) / 1000,
      aliases: bareNames ? [upstreamModel] : [],
      snapshotOf: model.id,
    }
  }
  return undefined
}
