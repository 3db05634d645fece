import { z } from 'zod'
import { GatewayError, refuse } from '../core/error.ts'
import { type Page, type PageRequest, UnknownCursor } from '../core/ports/page.ts'
import { given } from './given.ts'

export const PAGE_LIMIT_DEFAULT = 20
export const PAGE_LIMIT_MAX = 100

/** The query parameters of every list. */
export const pageFields = {
  limit: z
    .string()
    .regex(/^0*[1-9]\d*$/, 'must be a whole number from 1')
    .transform((text) => Math.min(Number(text), PAGE_LIMIT_MAX))
    .optional()
    .meta({
      type: 'integer',
      description: `Entries per page, 1 to ${PAGE_LIMIT_MAX}; a larger number is taken as ${PAGE_LIMIT_MAX}. Default ${PAGE_LIMIT_DEFAULT}.`,
    }),
  cursor: z
    .string()
    .regex(/^[\w.:-]{1,128}$/, 'is not a cursor of this list')
    .optional()
    .meta({ description: '`next_cursor` of the page before.' }),
}

export const PageQuery = z.strictObject(pageFields)

export function pageRequest(query: z.output<typeof PageQuery>): PageRequest {
  return { limit: query.limit ?? PAGE_LIMIT_DEFAULT, ...given({ cursor: query.cursor }) }
}

/** A list as every interface shows it. */
export interface ListView<View> {
  readonly data: readonly View[]
  /** Null on the last page. */
  readonly next_cursor: string | null
}

/** Throws `invalid_request` for a cursor that is none of the list's. */
export async function readList<Item, View>(
  asked: Promise<Page<Item>>,
  view: (item: Item) => View,
): Promise<ListView<View>> {
  try {
    return listView(await asked, view)
  } catch (cause) {
    if (!(cause instanceof UnknownCursor)) throw cause
    const message = 'cursor: is not a cursor of this list. Take `next_cursor` of the page before, as a whole.'
    throw new GatewayError(refuse('invalid_request', message, { param: 'cursor' }), { cause })
  }
}

function listView<Item, View>(page: Page<Item>, view: (item: Item) => View): ListView<View> {
  return { data: page.items.map(view), next_cursor: page.nextCursor ?? null }
}
