import { z } from 'zod'
import { GatewayError, refuse } from '../core/error.ts'
import { bearerToken } from './admin/authorize.ts'
import type { AppDeps } from './deps.ts'
import type { Endpoint } from './endpoint.ts'
import { answers, refusals } from './docs/errorSchema.ts'
import { json } from './respond.ts'

const Alive = z.object({ status: z.literal('ok'), version: z.string() }).meta({ id: 'Alive' })

const Readiness = z
  .object({
    status: z.enum(['ready', 'unavailable']),
    checks: z.record(z.string(), z.string()).meta({ description: 'Empty for outsiders.' }),
  })
  .meta({ id: 'Readiness' })

/** They tell how much is sold to whom's models, and how the process is doing. */
function metricsRefused(carriesToken: boolean, needsToken: boolean): GatewayError {
  const message = needsToken
    ? 'The metrics are for requests with server.metrics_token as "Authorization: Bearer …".'
    : 'The metrics are for this machine only (localhost, without a proxy). If server.metrics_token is set, they are for requests with this token.'
  const headers = { 'WWW-Authenticate': 'Bearer realm="tollgate metrics"' }
  return new GatewayError(refuse(carriesToken ? 'invalid_api_key' : 'missing_api_key', message, { headers }))
}

const READY_RETRY_AFTER_SECONDS = 1
const NOT_STORED = { 'Cache-Control': 'no-store' }

/** For load balancers and Prometheus. */
export function machineEndpoints(deps: AppDeps): Endpoint[] {
  const common = { tags: ['Operation'], security: [], method: 'get' as const }
  return [
    {
      route: {
        ...common,
        path: '/healthz',
        operationId: 'healthz',
        summary: 'Whether the process lives',
        responses: answers(200, 'It does.', Alive),
      },
      handle: () => json({ status: 'ok', version: deps.version }, 200, NOT_STORED),
    },
    {
      route: {
        ...common,
        path: '/api/hello',
        operationId: 'hello',
        summary: 'Whether a gateway is here: Claude Code asks with HEAD, without a key, before all else',
        responses: { 200: { description: 'It is.' } },
      },
      handle: () => new Response(null, { headers: NOT_STORED }),
    },
    {
      route: {
        ...common,
        path: '/readyz',
        operationId: 'readyz',
        summary: 'Whether the process can serve: the store could commit a moment ago',
        responses: {
          ...answers(200, 'It can.', Readiness),
          ...answers(503, 'It cannot; `checks` says why.', Readiness),
        },
      },
      handle: async ({ insider }) => {
        const { ready, checks: found } = await deps.health()
        const checks = insider ? found : {}
        if (ready) return json({ status: 'ready', checks }, 200, NOT_STORED)
        const headers = { ...NOT_STORED, 'Retry-After': String(READY_RETRY_AFTER_SECONDS) }
        return json({ status: 'unavailable', checks }, 503, headers)
      },
    },
    {
      route: {
        ...common,
        path: '/metrics',
        operationId: 'metrics',
        summary: 'Metrics for Prometheus',
        responses: {
          200: { description: 'Prometheus text.', content: { 'text/plain': { schema: { type: 'string' } } } },
          ...refusals('missing_api_key', 'invalid_api_key', 'internal_error'),
        },
      },
      handle: async ({ insider, request }) => {
        if (!insider)
          throw metricsRefused(bearerToken(request) !== undefined, deps.metricsToken() !== undefined)
        const { contentType, body } = await deps.metrics()
        return new Response(body, { headers: { 'Content-Type': contentType, ...NOT_STORED } })
      },
    },
  ]
}
