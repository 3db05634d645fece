import type { RouteConfig } from '@hono/zod-openapi'
import type { ErrorCode } from '../../core/error.ts'
import type { DataPlaneEndpoint } from '../dataPlane/endpoint.ts'
import { RATE_HEADERS } from '../dataPlane/headers.ts'
import { ErrorBody, SHOULD_RETRY_HEADER, refusalsIn } from './errorSchema.ts'

/** What every endpoint under `/v1` can be refused with. */
const ALWAYS: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]

/** A WebSocket is asked for with GET. */
const OF_METHOD: Readonly<Record<DataPlaneEndpoint['method'], readonly ErrorCode[]>> = {
  GET: ['upgrade_required'],
  POST: [],
  DELETE: [],
}

/** The paths under `/v1` as the OpenAPI document describes them: each endpoint, then what browsers ask first. */
export function dataPlaneRoutes(endpoints: readonly DataPlaneEndpoint[]): RouteConfig[] {
  const paths = new Map(endpoints.map((endpoint) => [endpoint.path, endpoint]))
  return [...endpoints.map(describe), ...[...paths.values()].map(preflight)]
}

function describe({ method, path, description }: DataPlaneEndpoint): RouteConfig {
  const { operationId, summary, details, tag, request, responses } = description
  const { refusals = [], error = ErrorBody } = description
  return {
    method: method === 'GET' ? 'get' : method === 'POST' ? 'post' : 'delete',
    path,
    operationId,
    summary,
    ...(details !== undefined && { description: details }),
    tags: [tag],
    security: [{ apiKey: [] }, { apiKeyHeader: [] }],
    ...(request && { request }),
    responses: {
      ...responses,
      ...refusalsIn(error, [...ALWAYS, ...OF_METHOD[method], ...refusals], headersOf),
    },
  }
}

/** Only what has a good key is counted. */
function headersOf(status: number): Record<string, object> {
  return { ...(status !== 401 && RATE_HEADERS), ...SHOULD_RETRY_HEADER }
}

/** Described with a tag of its own, so that the reference page leaves it out. */
function preflight({ path, description }: DataPlaneEndpoint): RouteConfig {
  const { request, error = ErrorBody } = description
  return {
    method: 'options',
    path,
    operationId: `preflight${path.replaceAll(/\W+/g, '_').replace(/_$/, '')}`,
    summary: 'Answer a CORS preflight',
    tags: ['Preflight'],
    security: [],
    ...(request?.params && { request: { params: request.params } }),
    responses: {
      204: { description: 'For an allowed `Origin`, with the CORS headers.' },
      403: { description: 'For any other `Origin`, without them.' },
      ...refusalsIn(error, [...ALWAYS, 'method_not_allowed']),
    },
  }
}
