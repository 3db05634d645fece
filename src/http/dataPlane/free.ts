import type { RouteConfig } from '@hono/zod-openapi'
import type { ErrorCode } from '../../core/error.ts'
import type { RequestTraits } from '../../core/traits.ts'
import { type FreeEndpoint, freeCall } from '../../pipeline/freeCall.ts'
import type { DataPlaneEndpoint } from './endpoint.ts'

/** What a call with a body that costs nothing can be refused with, beside what every endpoint can. */
const REFUSALS: readonly ErrorCode[] = [
  'invalid_request',
  'request_too_large',
  'model_not_found',
  'model_not_accessible',
]

/** An endpoint that answers `POST` with JSON, and costs nothing. */
export function free<Request extends RequestTraits>(
  endpoint: Pick<DataPlaneEndpoint, 'path' | 'idPrefix' | 'encodeError' | 'idHeader'> & {
    readonly description: Omit<DataPlaneEndpoint['description'], 'request'> & {
      readonly body: NonNullable<NonNullable<RouteConfig['request']>['body']>
    }
    readonly free: FreeEndpoint<Request>
  },
): DataPlaneEndpoint {
  const { description, free, ...rest } = endpoint
  const { body, ...described } = description
  return {
    ...rest,
    method: 'POST',
    description: { ...described, request: { body }, refusals: [...REFUSALS, ...(described.refusals ?? [])] },
    answer: { kind: 'free', call: (exchange, incoming, deps) => freeCall(free, exchange, incoming, deps) },
  }
}
