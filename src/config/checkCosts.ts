import type { PriceSchedule, UnitPrices } from '../core/price.ts'
import type { ModelContext } from './modelContext.ts'
import type { TargetEntry } from './schema.ts'
import { quotedName } from './values.ts'

/** Warns where we ask for less than a target's own `cost`, now or later: every answer from there loses money. */
export function checkCosts({ entry, path, now, gone, report }: ModelContext, prices: PriceSchedule): void {
  if (gone) return
  const units = prices
    .filter((_, index) => (prices[index + 1]?.validFrom ?? Infinity) > now)
    .flatMap((price): UnitPrices[] => [price, ...(price.tiers ?? [])])
  entry.targets?.forEach(({ provider, cost }, index) => {
    const classes =
      cost === undefined ? [] : CLASSES.filter((name) => units.some((unit) => unit[name] < cost[name]))
    if (classes.length === 0) return
    const at = entry.our_price === undefined ? [...path, 'targets', index, 'cost'] : [...path, 'our_price']
    report.warning(
      at,
      `charges less for ${classes.join(' and ')} than the target ${quotedName(provider)} costs: each answer loses money`,
    )
  })
}

const CLASSES = ['input', 'output'] as const satisfies readonly (keyof NonNullable<TargetEntry['cost']>)[]
