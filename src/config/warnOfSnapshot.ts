import type { KnownModel } from '../catalog/knownModel.ts'
import type { ModelContext } from './modelContext.ts'
import { quotedName } from './values.ts'

/** Says whose prices apply to a dated snapshot: it can cost another price than its model, and the catalogue does not know. */
export function warnOfSnapshot(
  { entry, path, gone, report }: ModelContext,
  catalogued: KnownModel | undefined,
): void {
  const { our_price: ours, official_price: official } = entry
  const isPriced = (ours !== undefined && 'prices' in ours) || (official !== undefined && official !== 'auto')
  if (catalogued?.snapshotOf === undefined || gone || isPriced) return
  report.warning(
    [...path, 'id'],
    `${quotedName(catalogued.upstreamModel)} is known as a snapshot of "${catalogued.snapshotOf}": its prices and limits apply; set our_price if it costs another price`,
  )
}
