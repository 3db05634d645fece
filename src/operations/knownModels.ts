import { GatewayError, refuse } from '../core/error.ts'
import type { Model } from '../core/model.ts'
import { didYouMean } from '../core/didYouMean.ts'
import { printableStart } from '../core/printable.ts'

/**
 * Refuses a list of models in which one is new and in no catalogue: every call that is restricted to it
 * would be refused. What is in the list already may stay when its model is gone.
 * @param before the list that is to be replaced; null: all models
 */
export function checkModels(
  list: readonly string[] | null | undefined,
  before: readonly string[] | null,
  catalogue: () => readonly Model[],
): void {
  const added = (list ?? []).filter((id) => before?.includes(id) !== true)
  if (added.length === 0) return
  const known = new Set(catalogue().flatMap(({ id, aliases }) => [id, ...aliases]))
  const position = (list ?? []).findIndex((id) => added.includes(id) && !known.has(id))
  const unknown = list?.[position]
  if (unknown === undefined) return
  const param = `models[${position}]`
  const message = `${param}: there is no model "${printableStart(unknown)}"${didYouMean(unknown, known)}.`
  throw new GatewayError(refuse('invalid_request', message, { param }))
}

/** The id of the model that a filter names by id or alias; a model that is gone is known by what it has left. */
export function modelIdOf(name: string, catalogue: readonly Model[]): string {
  return catalogue.find(({ id, aliases }) => id === name || aliases.includes(name))?.id ?? name
}

/** Refuses a filter that found nothing because there never was such a model. */
export function refuseUnknownModel(name: string | undefined, catalogue: readonly Model[]): void {
  if (name === undefined || catalogue.some(({ id }) => id === name)) return
  const known = catalogue.flatMap(({ id, aliases }) => [id, ...aliases])
  const message = `model: there is no model "${printableStart(name)}"${didYouMean(name, known)}, and no request names it.`
  throw new GatewayError(refuse('invalid_request', message, { param: 'model' }))
}
