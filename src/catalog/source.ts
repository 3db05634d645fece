/** Where a fact of a row was read. */
export type Source =
  /** A page, at best the vendor's own. */
  | { readonly kind: 'page'; readonly at: string; readonly read: string; readonly says: string }
  /** A published list: a package and its version. */
  | { readonly kind: 'list'; readonly at: string; readonly says: string }
  /** Recorded calls: who keeps them, or the folder of this repository that has their shape. */
  | { readonly kind: 'recording'; readonly at: string; readonly read: string; readonly says: string }
  /** An account of a call and its answer that was published. */
  | { readonly kind: 'report'; readonly at: string; readonly read: string; readonly says: string }
  /** Nothing supports the fact. */
  | { readonly kind: 'none'; readonly why: string }

/**
 * Facts that change what a call costs, what is held for it, or what is sent; the price has its source in
 * `officialPrices.json`. `reasoning`: when it reasons out of sight, and how it is asked to. `refused`: the request fields
 * that it does not take. `formats`: the response formats that it takes. `images`: what one image costs. `turns`: whose words it takes where in a
 * conversation. `wire`: that it is asked in another wire format than its provider's other models.
 */
export const FACTS = [
  'context',
  'output',
  'reasoning',
  'refused',
  'formats',
  'images',
  'turns',
  'wire',
] as const

export type Fact = (typeof FACTS)[number]

/** A source for each fact; for `images`, `turns` and `wire` where the row states something of them. */
export type Sources = Readonly<
  Record<Exclude<Fact, 'images' | 'turns' | 'wire'>, Source> & {
    images?: Source
    turns?: Source
    wire?: Source
  }
>

/** @param read ISO date on which it was read */
export function page(at: string, read: string, says: string): Source {
  return { kind: 'page', at, read, says }
}

/** @param at the package and its version */
export function list(at: string, says: string): Source {
  return { kind: 'list', at, says }
}

/** @param read ISO date on which the recordings were searched */
export function recording(at: string, read: string, says: string): Source {
  return { kind: 'recording', at, read, says }
}

/** @param read ISO date on which it was read */
export function report(at: string, read: string, says: string): Source {
  return { kind: 'report', at, read, says }
}

export function unsupported(why: string): Source {
  return { kind: 'none', why }
}
