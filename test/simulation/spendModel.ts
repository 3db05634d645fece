import type { Admission, AdmissionVerdict } from '../../src/core/ports/till.ts'

/** The monthly spend limits that calls were let through with. */
export interface SpendModel {
  admitted(admission: Admission, verdict: AdmissionVerdict): void
  /** The most that calls of a key in a month were ever allowed; undefined: one of them had no limit. */
  limitOf(place: string): bigint | undefined
  /** Whether the request's key had a limit when it was admitted. */
  isLimited(request: string): boolean
}

export function createSpendModel(): SpendModel {
  const most = new Map<string, bigint | null>()
  const limited = new Set<string>()
  return {
    admitted({ id, at, keyId, limits: { keyMonthlySpend }, hold }, { kind }) {
      if (!hold || kind !== 'admitted') return
      if (keyMonthlySpend !== null) limited.add(id)
      const place = `${keyId} ${new Date(at).toISOString().slice(0, 7)}`
      const known = most.get(place)
      if (known === null) return
      const higher = known === undefined || (keyMonthlySpend !== null && keyMonthlySpend > known)
      if (keyMonthlySpend === null || higher) most.set(place, keyMonthlySpend)
    },
    limitOf: (place) => most.get(place) ?? undefined,
    isLimited: (request) => limited.has(request),
  }
}
