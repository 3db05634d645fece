import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import type { ErrorCode } from '../../core/error.ts'
import type { RequestTraits } from '../../core/traits.ts'
import type { PricedEndpoint } from '../../pipeline/priced.ts'
import { pricedCall } from '../../pipeline/pricedCall.ts'
import type { DataPlaneEndpoint } from './endpoint.ts'

/** What every call that costs money can be refused with, beside what every endpoint can. */
const REFUSALS: readonly ErrorCode[] = [
  'invalid_request',
  'request_too_large',
  'model_not_found',
  'model_not_accessible',
  'insufficient_balance',
  'spend_limit_exceeded',
  'idempotency_conflict',
  'upstream_error',
]

const IDEMPOTENCY_KEY = z.string().max(255).optional().meta({
  description:
    'Makes a repetition safe: it gets the kept response, costs nothing, and no provider is called. 1 to 255 characters; kept for 24 hours. It counts for the whole workspace.',
})

/** An endpoint that answers `POST` with a call that costs money. */
export function priced<Request extends RequestTraits, Whole>(
  endpoint: Pick<DataPlaneEndpoint, 'path' | 'idPrefix' | 'encodeError' | 'idHeader'> & {
    /** `refusals`: beside those of every such call. */
    readonly description: Omit<DataPlaneEndpoint['description'], 'request'> & {
      readonly body: NonNullable<NonNullable<RouteConfig['request']>['body']>
    }
    readonly priced: PricedEndpoint<Request, Whole>
  },
): DataPlaneEndpoint {
  const { path, idPrefix, encodeError, idHeader, description, priced } = endpoint
  const { body, ...rest } = description
  return {
    method: 'POST',
    path,
    idPrefix,
    encodeError,
    ...(idHeader !== undefined && { idHeader }),
    description: {
      ...rest,
      request: { headers: z.object({ 'Idempotency-Key': IDEMPOTENCY_KEY }), body },
      refusals: [...REFUSALS, ...(rest.refusals ?? [])],
    },
    answer: {
      kind: 'priced',
      call: (exchange, incoming, deps) => pricedCall(priced, exchange, incoming, deps),
    },
  }
}
