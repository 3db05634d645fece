import type { Model } from '../core/model.ts'

/** What the catalogue answers to a model name. */
export type ModelLookup =
  /** `alias`: the name, when it is not the model's id. */
  | { readonly kind: 'found'; readonly model: Model; readonly alias: string | undefined }
  | { readonly kind: 'unknown' }
  | { readonly kind: 'retired'; readonly successor: string | undefined }

/** The models of this installation. */
export interface Catalog {
  /** In the order of the configuration, retired ones included. */
  readonly models: readonly Model[]
  /** Finds a model by id or alias. @param at milliseconds since the epoch: decides who is retired */
  find(name: string, at: number): ModelLookup
  /** The models that are served at that moment, in the order of the configuration. */
  served(at: number): readonly Model[]
}

/** Indexes models whose names the configuration has checked to be free of doubt. */
export function resolveCatalog(models: readonly Model[]): Catalog {
  const byName = new Map<string, Model>()
  for (const model of models) for (const alias of model.aliases) byName.set(alias, model)
  // An id outranks an alias.
  for (const model of models) byName.set(model.id, model)

  return {
    models,
    find(name, at) {
      const model = byName.get(name)
      if (model === undefined) return { kind: 'unknown' }
      if (isRetired(model, at)) return { kind: 'retired', successor: model.retirement?.successor }
      return { kind: 'found', model, alias: name === model.id ? undefined : name }
    },
    served: (at) => models.filter((model) => !isRetired(model, at)),
  }
}

/** Whether the model is no longer served. */
export function isRetired(model: Model, at: number): boolean {
  return model.retirement !== undefined && model.retirement.at <= at
}

/** Whether workspace and key both allow the model, by its id or an alias; null allows all. */
export function isAllowed(
  model: Model,
  workspaceModels: readonly string[] | null,
  keyModels: readonly string[] | null,
): boolean {
  return allows(workspaceModels, model) && allows(keyModels, model)
}

function allows(list: readonly string[] | null, model: Model): boolean {
  return list === null || list.includes(model.id) || model.aliases.some((alias) => list.includes(alias))
}
