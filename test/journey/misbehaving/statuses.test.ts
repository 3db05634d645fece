import type { ErrorCode } from '../../../src/core/error.ts'
import { respond, type Act } from '../../support/scriptedProvider.ts'
import { PROVIDERS_HEADERS, PROVIDERS_WORDS, testMisbehaviours } from './misbehaviour.ts'

/** Every error status of a provider (docs/routing.md#when-a-call-fails), in the provider's own leaky words. */
interface StatusCase {
  readonly status: number
  readonly code: ErrorCode
  readonly attempts: readonly string[]
  readonly param?: string
  /** What it asks for, and what the caller is told. */
  readonly retryAfter?: readonly [asked: string | undefined, told: string]
}

const STATUSES: readonly StatusCase[] = [
  { status: 400, code: 'invalid_request', attempts: ['bad_request'] },
  { status: 401, code: 'upstream_error', attempts: ['credential'] },
  { status: 402, code: 'upstream_error', attempts: ['billing'] },
  { status: 403, code: 'upstream_error', attempts: ['credential'] },
  { status: 404, code: 'upstream_error', attempts: ['not_found'] },
  { status: 405, code: 'upstream_error', attempts: ['not_found'] },
  { status: 408, code: 'upstream_error', attempts: ['server', 'server'] },
  { status: 409, code: 'upstream_error', attempts: ['server', 'server'] },
  { status: 413, code: 'invalid_request', attempts: ['oversized'] },
  { status: 422, code: 'invalid_request', attempts: ['bad_request'] },
  { status: 424, code: 'upstream_error', attempts: ['server', 'server'] },
  {
    status: 429,
    code: 'service_unavailable',
    attempts: ['rate_limited'],
    retryAfter: ['7', '7'],
  },
  { status: 498, code: 'upstream_error', attempts: ['credential'] },
  { status: 500, code: 'upstream_error', attempts: ['server', 'server'] },
  { status: 502, code: 'upstream_error', attempts: ['server', 'server'] },
  {
    status: 503,
    code: 'service_unavailable',
    attempts: ['overloaded', 'overloaded'],
    retryAfter: [undefined, '5'],
  },
  {
    status: 529,
    code: 'service_unavailable',
    attempts: ['overloaded', 'overloaded'],
    retryAfter: [undefined, '5'],
  },
]

testMisbehaviours(
  STATUSES.map(({ status, retryAfter, ...rest }) => ({
    provider: `answers ${status}`,
    act: failing(status, retryAfter?.[0]),
    keptAlive: 1,
    ...(retryAfter && { retryAfter: retryAfter[1] }),
    ...rest,
  })),
)

function failing(status: number, retryAfter: string | undefined): Act {
  return respond({
    status,
    headers: { ...PROVIDERS_HEADERS, ...(retryAfter !== undefined && { 'retry-after': retryAfter }) },
    body: { error: { message: PROVIDERS_WORDS, type: 'scripted', code: null, param: null } },
  })
}
