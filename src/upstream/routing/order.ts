import type { RoutingPreferences } from '../../core/traits.ts'
import type { RoutingStrategy, Target } from '../../core/model.ts'
import type { Standing } from './cooldown.ts'
import { raceTime, stickyUnit } from './sticky.ts'

/** Targets this close to the fastest one count as equally fast, so that a cache may decide between them. */
export const AS_FAST_AS = 1.25

/** One target of a model as the order sees it. */
export interface Candidate {
  readonly target: Target
  /** A hash of its name. */
  readonly hash: number
  readonly standing: Standing
  /** What `by` measures, lower is better; undefined: not measured lately. */
  readonly measure: number | undefined
  /** A call that will measure it is under way. */
  readonly busy: boolean
}

/** How to order: the model's strategy, or what the caller asked for in its place. */
export type OrderBy = RoutingStrategy

/** Which strategy a request is ordered by. */
export function orderByOf(strategy: RoutingStrategy, sort: RoutingPreferences['sort']): OrderBy {
  if (sort === undefined) return strategy
  return sort === 'price' ? 'cheapest' : 'fastest'
}

/**
 * The order in which a model's targets are tried, as indexes.
 *
 * @param key the request's sticky key, hashed: equal keys choose alike among targets of equal rank
 * @param preferred provider names to try first, in this order
 * @param onlyFirst no fallbacks: the first choice alone, however it fares
 */
export function orderTargets(
  candidates: readonly Candidate[],
  options: {
    readonly by: OrderBy
    readonly key: number | undefined
    readonly random: () => number
    readonly preferred?: readonly string[]
    readonly onlyFirst?: boolean
  },
): number[] {
  const { by, key, random, preferred, onlyFirst = false } = options
  const entries = candidates.map((candidate, index): Entry => {
    const unit = key === undefined ? 1 - random() : stickyUnit(key, candidate.hash)
    return { index, candidate, race: raceTime(unit, candidate.target.weight) }
  })
  entries.sort(byStrategy(by, entries, key !== undefined))
  // Sorts are stable: each keeps the order before it among equals.
  if (preferred) entries.sort((a, b) => placeIn(preferred, a) - placeIn(preferred, b))
  if (onlyFirst) return entries.slice(0, 1).map(({ index }) => index)
  entries.sort((a, b) => STANDING_RANK[a.candidate.standing] - STANDING_RANK[b.candidate.standing])
  return entries.map(({ index }) => index)
}

interface Entry {
  readonly index: number
  readonly candidate: Candidate
  readonly race: number
}

const STANDING_RANK: Record<Standing, number> = { ready: 0, last_choice: 1, parked: 2 }

function byStrategy(by: OrderBy, entries: readonly Entry[], sticky: boolean): (a: Entry, b: Entry) => number {
  const amongEquals = (a: Entry, b: Entry): number => (sticky ? a.race - b.race : a.index - b.index)
  switch (by) {
    case 'priority':
      return (a, b) => a.candidate.target.priority - b.candidate.target.priority || a.index - b.index
    case 'weighted':
      return (a, b) => a.race - b.race
    case 'cheapest':
      return (a, b) => compareCost(a.candidate.target, b.candidate.target) || amongEquals(a, b)
    case 'fastest': {
      const best = Math.min(...entries.map(({ candidate }) => candidate.measure ?? Number.POSITIVE_INFINITY))
      const rank = ({ candidate }: Entry): number => measureRank(candidate, best)
      return (a, b) => rank(a) - rank(b) || amongEquals(a, b)
    }
  }
}

function compareCost({ cost: a }: Target, { cost: b }: Target): number {
  if (!a || !b) return Number(!a) - Number(!b)
  const difference = a.input + a.output - (b.input + b.output)
  return difference < 0n ? -1 : Number(difference > 0n)
}

/** What was never measured comes first, so that it is, but with one call at a time. */
function measureRank({ measure, busy }: Candidate, best: number): number {
  if (measure === undefined) return busy ? Number.MAX_VALUE : -1
  return measure <= best * AS_FAST_AS ? best : measure
}

function placeIn(preferred: readonly string[], { candidate }: Entry): number {
  const place = preferred.indexOf(candidate.target.provider)
  return place === -1 ? preferred.length : place
}
