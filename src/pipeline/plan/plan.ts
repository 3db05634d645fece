import { isAllowed } from '../../catalog/catalog.ts'
import { type Refusal, refuse } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { printableStart } from '../../core/printable.ts'
import type { PromptSize } from '../../core/promptSize.ts'
import type { RequestTraits } from '../../core/traits.ts'
import type { Route } from '../../upstream/route.ts'
import type { CallersNames } from '../../wire/wire.ts'
import type { Caller } from '../authenticate/caller.ts'
import type { TokenCounter } from '../deps.ts'
import type { DispatchLog } from '../dispatch/answer.ts'
import type { Memory } from '../memory.ts'
import type { PlanCatalog } from './planCatalog.ts'
import { applyPreferences } from './preferences.ts'

/** What to do with a request: where it may be answered. */
export interface Plan<Request extends RequestTraits = RequestTraits> {
  readonly request: Request
  readonly prompt: Prompt
  /** Absent: its endpoint keeps nothing. */
  readonly memory?: Memory | undefined
  /** How the caller names the parts of its request. Absent: by the canonical names. */
  readonly names?: CallersNames | undefined
  /** What the caller asked for, behind any alias. */
  readonly model: Model
  /** Every place that may answer: those of the asked model first, then those of the fallbacks the caller named. */
  readonly routes: readonly Route[]
}

/** What a request costs beside its answer, counted in what the prices of its models are for: tokens, usually. */
export interface Prompt {
  /** Decides the hold: an estimate that rather errs upwards. */
  readonly size: PromptSize
  /** The gateway's own count, by which the caller is charged where the provider reported none. */
  count(model: Model, tokens: Pick<TokenCounter, 'count'>, sent: SentPrompt): Promise<number>
  /** What the log of conversations shows of it. */
  messages(): readonly unknown[]
}

/** What of a prompt has been sent. */
export type SentPrompt = Pick<DispatchLog, 'sentBytes' | 'dropped' | 'sentTo'>

export type PlanVerdict<Request extends RequestTraits = RequestTraits> =
  | { readonly ok: true; readonly plan: Plan<Request> }
  | { readonly ok: false; readonly refusal: Refusal }

/** Whose request is planned, with which catalogue and when; milliseconds since the epoch. */
export interface Planning {
  readonly caller: Caller
  readonly catalog: PlanCatalog
  readonly at: number
}

/**
 * Pure: a decoded request, of whatever endpoint, and the catalogue give the routes to try, or a 404 or 403, or a 400 where the
 * caller's own preferences leave none.
 */
export function planRoutes<Request extends RequestTraits>(
  request: Request,
  prompt: Prompt,
  { caller, catalog, at }: Planning,
): PlanVerdict<Request> {
  const first = findModel(request.model, caller, catalog, at, 'model')
  if (!first.ok) return first
  const { model } = first
  const { routing } = request
  if (!routing) return { ok: true, plan: { request, prompt, model, routes: catalog.routes(model) } }
  const models = [model]
  for (const [position, name] of (routing.models ?? []).entries()) {
    const next = findModel(name, caller, catalog, at, `models[${position}]`)
    if (!next.ok) return next
    if (!models.includes(next.model)) models.push(next.model)
  }
  const choices = { providers: catalog.providers, at, promptSize: prompt.size }
  const allowed = applyPreferences(models.flatMap(catalog.routes), routing, choices)
  return allowed.ok ? { ok: true, plan: { request, prompt, model, routes: allowed.routes } } : allowed
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
