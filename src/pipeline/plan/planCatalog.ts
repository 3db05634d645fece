import type { Catalog } from '../../catalog/catalog.ts'
import type { Model } from '../../core/model.ts'
import type { Route } from '../../upstream/route.ts'

/** The catalogue as `plan` needs it: of one configuration, never changed, swapped whole on reload. */
export interface PlanCatalog extends Pick<Catalog, 'find' | 'served'> {
  /** Where a model is served, in the order of the configuration. */
  readonly routes: (model: Model) => readonly Route[]
  /** Every provider name of the configuration. */
  readonly providers: ReadonlySet<string>
}

/** Builds every route once, not per request. */
export function createPlanCatalog(
  catalog: Catalog,
  routesOf: (model: Model) => readonly Route[],
  providers: ReadonlySet<string>,
): PlanCatalog {
  const routes = new Map(catalog.models.map((model) => [model, routesOf(model)]))
  return {
    find: catalog.find,
    served: catalog.served,
    routes: (model) => routes.get(model) ?? [],
    providers,
  }
}
