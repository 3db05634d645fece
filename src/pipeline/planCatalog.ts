import type { Model } from '../core/model.ts'
import type { Route } from '../upstream/route.ts'
import type { ModelLookup, PlanCatalog } from './plan.ts'

/** The catalogue of one configuration: built once, never changed, swapped whole on reload. */
export function createPlanCatalog(
  models: readonly Model[],
  routesOf: (model: Model) => readonly Route[],
): PlanCatalog {
  const byName = new Map<string, Model>()
  for (const model of models) for (const alias of model.aliases) byName.set(alias, model)
  for (const model of models) byName.set(model.id, model)
  const routes = new Map(models.map((model) => [model, routesOf(model)]))

  return {
    find: (name, at) => lookUp(byName.get(name), at),
    models: (at) => models.filter((model) => !isRetired(model, at)),
    routes: (model) => routes.get(model) ?? [],
  }
}

function lookUp(model: Model | undefined, at: number): ModelLookup {
  if (!model) return { kind: 'unknown' }
  if (isRetired(model, at)) return { kind: 'retired', successor: model.retirement?.successor }
  return { kind: 'found', model }
}

function isRetired({ retirement }: Model, at: number): boolean {
  return retirement !== undefined && retirement.at <= at
}
