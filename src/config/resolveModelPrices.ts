import type { KnownModel } from '../catalog/knownModel.ts'
import type { OfficialPrice } from '../core/model.ts'
import { ZERO } from '../core/money.ts'
import type { PriceSchedule } from '../core/price.ts'
import type { ModelContext } from './modelContext.ts'
import { markUp, officialPriceOf, resolveSchedule } from './resolvePrices.ts'

/** The official price: the file's, or the catalogue's. */
export function resolveOfficial(
  { entry, now }: ModelContext,
  catalogued: KnownModel | undefined,
  ownedBy: string,
): OfficialPrice | undefined {
  const given = entry.official_price
  if (given !== undefined && given !== 'auto')
    return { input: given.input, output: given.output, source: (given.source ?? ownedBy).toLowerCase() }
  return catalogued?.officialPrices && officialPriceOf(catalogued.officialPrices, catalogued.provider, now)
}

const FREE: PriceSchedule = [{ input: ZERO, output: ZERO }]

/** Our price: the file's, or reckoned from the official one, or that one itself; undefined where that is missing. */
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
  return gone ? FREE : undefined
}
