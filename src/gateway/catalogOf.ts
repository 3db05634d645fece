import { resolveCatalog } from '../catalog/catalog.ts'
import type { Settings } from '../config/settings.ts'
import { assert } from '../core/assert.ts'
import type { Model } from '../core/model.ts'
import { createPlanCatalog, type PlanCatalog } from '../pipeline/plan/planCatalog.ts'
import { quirksIn, type Route } from '../upstream/route.ts'
import { wireFormat } from '../wire/formats.ts'
import type { Clients } from './clients.ts'

/** The models of a configuration, each with its routes: every target with its provider, its wire format and its client. */
export function catalogOf({ models, providers }: Settings, clients: Clients): PlanCatalog {
  const names = new Set(providers.keys())
  return createPlanCatalog(resolveCatalog(models), (model) => routesOf(model, providers, clients), names)
}

function routesOf(model: Model, providers: Settings['providers'], { http, demo }: Clients): Route[] {
  return model.targets.map((target) => {
    const provider = providers.get(target.provider)
    assert(provider !== undefined, 'a checked configuration names only providers it has')
    const format = wireFormat(target.wire ?? provider.provider.wire)
    return {
      model,
      target,
      provider,
      format,
      quirks: quirksIn(format, provider.provider),
      http: provider.provider.baseUrl.startsWith('demo:') ? demo : http,
    }
  })
}
