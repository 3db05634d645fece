import type { KnownModel } from '../catalog/knownModel.ts'
import type { ModelContext } from './modelContext.ts'

/** A setting that a model of one's own needs, and the catalogue states for a known one. */
export type Needed = 'targets' | 'our_price' | 'official_price' | 'context_length' | 'max_output_tokens'

/** What neither the file nor the catalogue states of a model; a setting that could not be read does not lack. */
export function lackingOf(
  { entry, path, known, gone, report }: ModelContext,
  catalogued: KnownModel | undefined,
): Needed[] {
  if (gone) return []
  const { our_price: ours, official_price: official } = entry
  const lacking: Needed[] = []
  const isRead = (setting: Needed) => report.isRead([...path, setting])
  if (entry.targets === undefined && known === undefined) lacking.push('targets')
  const isListed = catalogued?.officialPrices !== undefined || (official !== undefined && official !== 'auto')
  // An official price that cannot be read may be all that `our_price` lacks.
  if (!isListed && isRead('official_price')) {
    if (official === 'auto' || (ours !== undefined && 'markup' in ours)) lacking.push('official_price')
    else if (ours === undefined) lacking.push('our_price')
  }
  if (entry.context_length === undefined && catalogued === undefined) lacking.push('context_length')
  if (entry.max_output_tokens === undefined && catalogued === undefined) lacking.push('max_output_tokens')
  return lacking.filter(isRead)
}
