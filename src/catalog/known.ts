import { demoModel } from './demo.ts'
import type { KnownModel } from './knownModel.ts'

/** Every model that needs only its id in the configuration. */
export const KNOWN_MODELS: readonly KnownModel[] = [demoModel]

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
