/** Asks for a page of a list. Lists are newest first. */
export interface PageRequest {
  readonly limit: number
  /** The last id of the page before. */
  readonly cursor?: string
}

export interface Page<Item> {
  readonly items: readonly Item[]
  /** Undefined when this page is the last. */
  readonly nextCursor: string | undefined
}

/** The cursor is not of this list: it was copied in part, or is another list's. */
export class UnknownCursor extends Error {
  override readonly name = 'UnknownCursor'
}
