import type { Admission, AdmissionVerdict, Extension, ExtensionVerdict } from '../../src/core/ports/till.ts'

/** The monthly spend limit that each key was last let through with, by key and month. */
export interface SpendModel {
  admitted(admission: Admission, verdict: AdmissionVerdict): void
  extended(extension: Extension, verdict: ExtensionVerdict): void
  limitOf(place: string): bigint | null | undefined
}

export function createSpendModel(): SpendModel {
  const limits = new Map<string, bigint | null>()
  const months = new Map<string, string>()
  return {
    admitted({ id, at, keyId, limits: { keyMonthlySpend }, hold }, { kind }) {
      if (!hold || kind !== 'admitted') return
      const place = `${keyId} ${new Date(at).toISOString().slice(0, 7)}`
      months.set(id, place)
      limits.set(place, keyMonthlySpend)
    },
    extended({ id, keyMonthlySpend }, { kind }) {
      const place = months.get(id)
      if (kind === 'extended' && place !== undefined) limits.set(place, keyMonthlySpend)
    },
    limitOf: (place) => limits.get(place),
  }
}
