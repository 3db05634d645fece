import { GatewayError } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Model } from '../../core/model.ts'
import type { Caller } from '../authenticate/caller.ts'
import { findModel, mayUse } from './plan.ts'
import type { PlanCatalog } from './planCatalog.ts'

/** The models that the caller may use, in the order of the configuration. */
export function usableModels(caller: Caller, catalog: PlanCatalog, at: number): readonly Model[] {
  return catalog.served(at).filter((model) => mayUse(caller, model))
}

/** `GET /v1/models`: the models that the caller may use. */
export function listModels(caller: Caller, catalog: PlanCatalog, at: number): JsonObject {
  return { object: 'list', data: usableModels(caller, catalog, at).map(describeModel) }
}

/** `GET /v1/models/{model_id}`: one model by id or alias. Throws 404 or 403. */
export function retrieveModel(name: string, caller: Caller, catalog: PlanCatalog, at: number): Model {
  const found = findModel(name, caller, catalog, at, 'model')
  if (!found.ok) throw new GatewayError(found.refusal)
  return found.model
}

/** A model as `GET /v1/models` lists it. */
export function describeModel(model: Model): JsonObject {
  return { id: model.id, object: 'model', created: model.created, owned_by: model.ownedBy }
}

/** `Deprecation` (RFC 9745) and `Sunset` (RFC 8594) of a model that will go; empty for any other. */
export function deprecationHeaders({ deprecation }: Model): Record<string, string> {
  if (!deprecation) return {}
  const headers: Record<string, string> = { deprecation: `@${Math.floor(deprecation.at / 1000)}` }
  if (deprecation.sunset !== undefined) headers.sunset = new Date(deprecation.sunset).toUTCString()
  return headers
}
