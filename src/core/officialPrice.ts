import type { OfficialPrice } from './model.ts'

/**
 * The official price in force at a moment: the last announced change that has begun.
 * @param at milliseconds since the epoch
 */
export function officialPriceAt(official: OfficialPrice, at: number): OfficialPrice {
  const begun = official.later?.findLast((change) => change.validFrom <= at)
  return begun ? { input: begun.input, output: begun.output, source: official.source } : official
}
