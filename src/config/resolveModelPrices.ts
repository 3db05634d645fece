import type { KnownModel } from '../catalog/knownModel.ts'
import type { OfficialPrice } from '../core/model.ts'
import { ZERO } from '../core/money.ts'
import type { PriceSchedule } from '../core/price.ts'
import { missing } from './missing.ts'
import type { ModelContext } from './modelContext.ts'
import { markUp, officialPriceOf, resolveSchedule } from './resolvePrices.ts'

/** The official price: the file's, or the catalogue's. */
export function resolveOfficial(
  { entry, path, now, report }: ModelContext,
  catalogued: KnownModel | undefined,
  ownedBy: string,
): OfficialPrice | undefined {
  const given = entry.official_price
  if (given !== undefined && given !== 'auto')
    return { input: given.input, output: given.output, source: (given.source ?? ownedBy).toLowerCase() }
  if (catalogued?.officialPrices) return officialPriceOf(catalogued.officialPrices, catalogued.provider, now)
  if (given === 'auto')
    report.problem([...path, 'official_price'], 'cannot be `auto`: the price catalogue has no such model')
  return undefined
}

const FREE: PriceSchedule = [{ input: ZERO, output: ZERO }]

/** Our price: the file's, or reckoned from the official one, or that one itself. */
export function resolveOurPrice(
  { entry, path, gone, report }: ModelContext,
  catalogued: KnownModel | undefined,
): PriceSchedule | undefined {
  const at = [...path, 'our_price']
  const { our_price: ours, official_price: official } = entry
  if (ours && 'prices' in ours) return resolveSchedule(ours.prices, at, report)
  const listed: PriceSchedule | undefined =
    official === undefined || official === 'auto'
      ? catalogued?.officialPrices
      : [{ input: official.input, output: official.output }]
  if (listed) return ours ? markUp(listed, ours.markup) : listed
  if (gone) return FREE
  report.problem(
    at,
    ours
      ? 'needs an official price, and the catalogue has none for this model: set `our_price` or `official_price`'
      : missing(entry.id),
  )
  return undefined
}
