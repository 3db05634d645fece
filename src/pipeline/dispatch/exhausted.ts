import { GatewayError, type Refusal, refuse } from '../../core/error.ts'
import type { FailureKind, UpstreamFailure } from '../../core/failure.ts'
import { refusalOf } from '../../core/refusalOf.ts'
import type { Availability } from '../../upstream/router.ts'
import type { UnsupportedField } from '../../wire/wire.ts'

/** What a 503 suggests to wait when nobody knows. */
const RETRY_AFTER_SECONDS_DEFAULT = 5
export const RETRY_AFTER_SECONDS_MAX = 3600

/** While every credential is refused or unpaid, no provider is called: the caller gets the same error as before. */
const REFUSED: UpstreamFailure = { kind: 'credential', detail: 'every credential is refused or unpaid' }

/** Such a request is too large for one target only, while the others may still answer it. */
const TOO_LARGE: ReadonlySet<FailureKind> = new Set(['too_large', 'oversized', 'over_limit'])

/** The error when no target is left: the most hopeful of the failures (docs/api.md#errors). */
export function exhausted(
  failures: readonly UpstreamFailure[],
  { waitMs, refused }: Availability,
): GatewayError {
  const waiting = failures.filter(({ kind }) => kind === 'rate_limited' || kind === 'overloaded')
  const last = failures.findLast(({ kind }) => !TOO_LARGE.has(kind)) ?? failures.at(-1)
  if (last && waiting.length === 0) {
    return new GatewayError(refusalOf(last))
  }
  if (waiting.length === 0 && refused) return new GatewayError(refusalOf(REFUSED))
  const asked = waiting.flatMap(({ retryAfterMs }) => retryAfterMs ?? [])
  const ms = waitMs > 0 ? waitMs : asked.length > 0 ? Math.min(...asked) : 0
  const seconds = Math.ceil(ms / 1000) || RETRY_AFTER_SECONDS_DEFAULT
  return new GatewayError(
    refuse('service_unavailable', 'No provider can take this request at the moment. Retry later.', {
      retryAfterSeconds: Math.min(seconds, RETRY_AFTER_SECONDS_MAX),
    }),
  )
}

/** The refusal of a request that no target can take, by the field that the first one cannot. */
export function inexpressible({ message, param, part }: UnsupportedField): Refusal {
  return refuse('invalid_request', message, { param, ...(part !== undefined && { part }) })
}
