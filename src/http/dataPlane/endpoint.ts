import type { RouteConfig } from '@hono/zod-openapi'
import type { ZodType } from 'zod'
import type { ErrorCode, Refusal } from '../../core/error.ts'
import type { RequestIdPrefix } from '../../core/id.ts'
import type { Json } from '../../core/json.ts'
import type { Caller } from '../../pipeline/authenticate/caller.ts'
import type { Incoming } from '../../pipeline/authenticate/incoming.ts'
import type { PipelineDeps } from '../../pipeline/deps.ts'
import type { Exchange, Reply } from '../../pipeline/reply.ts'

/**
 * An endpoint under `/v1`, as one value. Its route, its description in `/openapi.json` and `/docs`, its name in the metrics,
 * the ids of its requests and the shape of its errors derive from it.
 */
export interface DataPlaneEndpoint extends EndpointFormat {
  readonly method: 'GET' | 'POST' | 'DELETE'
  /** Parameters are in braces. One at the end takes the rest of the path, slashes included. */
  readonly path: `/v1/${string}`
  readonly description: Description
  /** What the ids of its requests begin with. */
  readonly idPrefix: RequestIdPrefix
  /** For clients of other formats at the same address: the first that a request's headers ask for is used. Default: none. */
  readonly otherFormats?: readonly OtherFormat[]
}

/** How an endpoint answers the clients of one format. */
export interface EndpointFormat {
  /** The body of a refusal, in the format that its callers speak. */
  readonly encodeError: (refusal: Refusal, requestId: string) => object
  /** A header of its format that has the same value as `X-Request-ID`, in lower case. Default: none. */
  readonly idHeader?: string
  readonly answer: Answering
}

export interface OtherFormat extends EndpointFormat {
  readonly isAskedBy: (headers: Headers) => boolean
}

/** The format in which an endpoint answers a request. */
export function formatFor(
  endpoint: EndpointFormat & Pick<DataPlaneEndpoint, 'otherFormats'>,
  headers: Headers,
): EndpointFormat {
  return endpoint.otherFormats?.find(({ isAskedBy }) => isAskedBy(headers)) ?? endpoint
}

export interface Description {
  readonly operationId: string
  readonly summary: string
  readonly details?: string
  readonly tag: 'Models and completions' | 'Account'
  readonly request?: RouteConfig['request']
  /** Of a success. */
  readonly responses: RouteConfig['responses']
  /** What it may be refused with, beside what every endpoint may. */
  readonly refusals?: readonly ErrorCode[]
  /** The schema of what `encodeError` writes, in whichever of its formats. Default: the contract's. */
  readonly error?: ZodType
}

export type Answering =
  /** A call that costs money: `pricedCall` of its `PricedEndpoint`. */
  | { readonly kind: 'priced'; readonly call: BodyCall }
  /** A call with a body that is counted, holds nothing and costs nothing: `freeCall` of its `FreeEndpoint`. */
  | { readonly kind: 'free'; readonly call: BodyCall }
  /** JSON, without a body in the request. The request counts against the rate limits, and holds nothing. */
  | { readonly kind: 'counted'; readonly describe: (call: CountedCall) => Json | Promise<Json> }

/** Makes a reply of a request whose body has not been read yet. Throws `GatewayError`. */
export type BodyCall = (exchange: Exchange, incoming: Incoming, deps: PipelineDeps) => Promise<Reply>

/** A request that was authenticated and counted. */
export interface CountedCall {
  readonly caller: Caller
  /** Parameters of the path, decoded. */
  readonly params: Readonly<Record<string, string>>
  /** Without `?`. */
  readonly query: string
  readonly exchange: Exchange
  readonly deps: PipelineDeps
}
