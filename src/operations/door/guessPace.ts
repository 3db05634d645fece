import { isIP } from 'node:net'
import { RecentMap } from '../../core/recent.ts'

/** Wrong tokens that may come from one place at once. */
export const WRONG_TOKENS_MAX = 10
/** After this long one more is looked at, in milliseconds. */
export const FORGIVEN_AFTER_MS = 6_000
/** Places remembered at once; the one that is quiet for longest goes first. */
const PLACES_MAX = 10_000
/** Whoever has one address of version 6 has this part of all of them. */
const PREFIX_GROUPS = 4

/** How fast tokens may be tried, by place: so many at once, and then one every few seconds. */
export interface GuessPace {
  /** Milliseconds until a token of this place is looked at; 0: now, and it counts as a wrong one. */
  take(place: string): number
  /** It was a right one. */
  giveBack(place: string): void
}

export function createGuessPace(now: () => number): GuessPace {
  /** When the place will have been forgiven everything. */
  const forgivenAt = new RecentMap<string, number>(PLACES_MAX)

  return {
    take(place) {
      const at = now()
      const known = forgivenAt.get(place) ?? at
      // A clock that is set back locks nobody out for as long.
      const until = Math.min(Math.max(at, known), at + WRONG_TOKENS_MAX * FORGIVEN_AFTER_MS)
      const wait = until - at - (WRONG_TOKENS_MAX - 1) * FORGIVEN_AFTER_MS
      if (wait > 0) {
        forgivenAt.set(place, until)
        return wait
      }
      forgivenAt.set(place, until + FORGIVEN_AFTER_MS)
      return 0
    },
    giveBack(place) {
      const until = forgivenAt.get(place)
      if (until !== undefined) forgivenAt.set(place, until - FORGIVEN_AFTER_MS)
    },
  }
}

/** The place of an address: itself, or of version 6 the network that one customer has. */
export function networkOf(address: string | null): string {
  if (address === null) return 'unknown'
  if (isIP(address) !== 6) return address
  const [head = '', tail] = (address.split('%')[0] ?? '').toLowerCase().split('::')
  const first = head === '' ? [] : head.split(':')
  const last = tail === undefined || tail === '' ? [] : tail.split(':')
  const zeros = tail === undefined ? 0 : Math.max(0, 2 * PREFIX_GROUPS - first.length - last.length)
  const groups = [...first, ...Array<string>(zeros).fill('0'), ...last]
  const network = groups.slice(0, PREFIX_GROUPS).map((group) => Number.parseInt(group, 16).toString(16))
  return `${network.join(':')}::/64`
}
