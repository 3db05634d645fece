import { isAllowed } from '../../catalog/catalog.ts'
import type { ChatRequest } from '../../core/chat/request.ts'
import { type Refusal, refuse } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { printableStart } from '../../core/printable.ts'
import type { PromptSize } from '../../core/promptSize.ts'
import type { Route } from '../../upstream/route.ts'
import type { Caller } from '../authenticate/caller.ts'
import type { PlanCatalog } from './planCatalog.ts'
import { applyPreferences } from './preferences.ts'

/** What to do with a request: where it may be answered. */
export interface Plan {
  readonly request: ChatRequest
  /** Our estimate of the prompt, for holds. */
  readonly promptSize: PromptSize
  /** What the caller asked for, behind any alias. */
  readonly model: Model
  /** Every place that may answer: those of the asked model first, then those of the fallbacks the caller named. */
  readonly routes: readonly Route[]
}

export type PlanVerdict =
  | { readonly ok: true; readonly plan: Plan }
  | { readonly ok: false; readonly refusal: Refusal }

/**
 * Pure: a decoded request and the catalogue give the routes to try, or a 404 or 403, or a 400 where the
 * caller's own preferences leave none.
 */
export function planChat(
  request: ChatRequest,
  caller: Caller,
  catalog: PlanCatalog,
  at: number,
  promptSize: PromptSize,
): PlanVerdict {
  const first = findModel(request.model, caller, catalog, at, 'model')
  if (!first.ok) return first
  const { model } = first
  const { routing } = request
  if (!routing) return { ok: true, plan: { request, promptSize, model, routes: catalog.routes(model) } }
  const models = [model]
  for (const [position, name] of (routing.models ?? []).entries()) {
    const next = findModel(name, caller, catalog, at, `models[${position}]`)
    if (!next.ok) return next
    if (!models.includes(next.model)) models.push(next.model)
  }
  const choices = { providers: catalog.providers, at, promptSize }
  const allowed = applyPreferences(models.flatMap(catalog.routes), routing, choices)
  return allowed.ok ? { ok: true, plan: { request, promptSize, model, routes: allowed.routes } } : allowed
}

/** Finds a model that the caller may use: else 404 or 403, with `param` naming where it was asked for. */
export function findModel(
  name: string,
  caller: Caller,
  catalog: PlanCatalog,
  at: number,
  param: string,
): { ok: true; model: Model } | { ok: false; refusal: Refusal } {
  const found = catalog.find(name, at)
  switch (found.kind) {
    case 'unknown':
      return {
        ok: false,
        refusal: refuse('model_not_found', `The model "${printableStart(name)}" does not exist.`, { param }),
      }
    case 'retired': {
      const advice = found.successor === undefined ? '' : ` Use "${found.successor}" instead.`
      return {
        ok: false,
        refusal: refuse('model_not_found', `The model "${name}" has been retired.${advice}`, { param }),
      }
    }
    case 'found':
      if (mayUse(caller, found.model)) return { ok: true, model: found.model }
      return {
        ok: false,
        refusal: refuse('model_not_accessible', `This key may not use the model "${name}".`, { param }),
      }
  }
}

/** Whether workspace and key both allow the model. */
export function mayUse({ workspace, key }: Caller, model: Model): boolean {
  return isAllowed(model, workspace.models, key.models)
}
