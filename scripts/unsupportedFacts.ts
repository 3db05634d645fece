import { catalogId, CATALOG_SECTIONS, type CatalogSection } from '../src/catalog/rows.ts'
import { FACTS } from '../src/catalog/source.ts'
import { collectPrices } from './officialPriceFile.ts'

/** Facts of the catalogue, counted, and a line for each row with facts that nothing supports. */
export interface FactCount {
  readonly rows: number
  readonly facts: number
  readonly supported: number
  readonly unsupported: readonly string[]
}

/** Prices count as facts: their source is the price package, or the page that the row names. */
export function countFacts(sections: readonly CatalogSection[] = CATALOG_SECTIONS): FactCount {
  const unsupported: string[] = []
  let [rows, facts, missing] = [0, 0, 0]
  for (const { provider, rows: own } of sections)
    for (const { model, wire, imageTokens, facts: { refusesPrefill, systemInPlace } = {}, sources } of own) {
      rows += 1
      facts += 1
      for (const fact of FACTS) {
        if (fact === 'images' && imageTokens === undefined) continue
        if (fact === 'wire' && wire === undefined) continue
        if (fact === 'turns' && !refusesPrefill && !systemInPlace) continue
        facts += 1
        const source = sources[fact]
        if (source !== undefined && source.kind !== 'none') continue
        missing += 1
        unsupported.push(`${catalogId(provider, model)}: ${fact}: ${source?.why ?? 'has no source'}`)
      }
    }
  const { unpriced } = collectPrices(sections)
  return {
    rows,
    facts,
    supported: facts - missing - unpriced.length,
    unsupported: [...unsupported, ...unpriced],
  }
}
