import { z } from 'zod'
import { GatewayError, refuse } from '../../core/error.ts'
import type { Model } from '../../core/model.ts'
import { printableStart } from '../../core/printable.ts'

const LIMIT_DEFAULT = 20
/** A larger `limit` counts as this. */
export const LIMIT_MAX = 1_000

/** Anthropic's pages of a list. */
export const ModelPageQuery = z.object({
  limit: z
    .int()
    .min(1)
    .optional()
    .meta({
      description: `With \`anthropic-version\`: how many models. Default ${LIMIT_DEFAULT}, at most ${LIMIT_MAX}.`,
    }),
  after_id: z
    .string()
    .optional()
    .meta({ description: 'With `anthropic-version`: the page right after this model.' }),
  before_id: z
    .string()
    .optional()
    .meta({ description: 'With `anthropic-version`: the page right before this model.' }),
})

export interface ModelPage {
  readonly models: readonly Model[]
  /** In the direction in which the caller goes. */
  readonly hasMore: boolean
}

/**
 * The page that a query asks for, of models from the newest to the oldest. Throws a 400 that names the parameter at fault.
 *
 * @param query without `?`
 */
export function modelPageOf(models: readonly Model[], query: string): ModelPage {
  const params = new URLSearchParams(query)
  const limit = limitOf(params.get('limit'))
  const sorted = models.toSorted((a, b) => b.created - a.created)
  const after = placeOf(sorted, 'after_id', params)
  const before = placeOf(sorted, 'before_id', params)
  if (after !== undefined && before !== undefined)
    throw refused('before_id', 'Send `after_id` or `before_id`, not both.')
  const start = before === undefined ? (after ?? -1) + 1 : Math.max(0, before - limit)
  const end = before ?? start + limit
  return {
    models: sorted.slice(start, end),
    hasMore: before === undefined ? end < sorted.length : start > 0,
  }
}

function limitOf(value: string | null): number {
  if (value === null) return LIMIT_DEFAULT
  const limit = /^\d+$/.test(value) ? Number(value) : 0
  if (limit < 1) throw refused('limit', `\`limit\` must be a whole number from 1 to ${LIMIT_MAX}.`)
  return Math.min(limit, LIMIT_MAX)
}

/** Undefined where the query has no such id. */
function placeOf(
  models: readonly Model[],
  param: 'after_id' | 'before_id',
  params: URLSearchParams,
): number | undefined {
  const id = params.get(param)
  if (id === null) return undefined
  const place = models.findIndex((model) => model.id === id)
  if (place < 0) throw refused(param, `\`${param}\` names no model of this list: "${printableStart(id)}".`)
  return place
}

function refused(param: string, message: string): GatewayError {
  return new GatewayError(refuse('invalid_request', message, { param }))
}
