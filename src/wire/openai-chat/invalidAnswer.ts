import type { UpstreamFailure } from '../../core/failure.ts'

/** What came is no completion. Never leaves the codec. */
export class InvalidAnswer extends Error {
  override readonly name = 'InvalidAnswer'
}

export function invalidAnswer(detail: string): UpstreamFailure {
  return { kind: 'invalid_answer', detail: detail.slice(0, 500) }
}
