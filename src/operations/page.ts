import { z } from 'zod'
import type { Page, PageRequest } from '../core/ports/directory.ts'
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

export function listView<Item, View>(page: Page<Item>, view: (item: Item) => View): ListView<View> {
  return { data: page.items.map(view), next_cursor: page.nextCursor ?? null }
}
