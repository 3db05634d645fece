import { type App, createApp } from '../http/app.ts'
import { type DataPlane, createDataPlane } from '../http/dataPlane/dataPlane.ts'
import type { DataPlaneEndpoint } from '../http/dataPlane/endpoint.ts'
import { DATA_PLANE_ENDPOINTS } from '../http/dataPlane/endpoints.ts'
import type { Proxies } from '../http/insider.ts'
import { startMetricsServer } from '../http/metricsServer.ts'
import { type HttpServer, startServer } from '../http/server.ts'
import { tokensOf } from '../config/secretsOf.ts'
import { version } from '../program.ts'
import type { GatewayOptions } from './gateway.ts'
import type { Parts } from './parts.ts'

/** What listens. */
export interface Servers {
  readonly main: HttpServer
  /** Of `server.metrics_address`; undefined without one. */
  readonly metrics: HttpServer | undefined
}

/** Lets go of all parts, and throws, when an address cannot be had. */
export async function startServers(
  parts: Parts,
  { endpoints = DATA_PLANE_ENDPOINTS, onFirstRequest }: Pick<GatewayOptions, 'endpoints' | 'onFirstRequest'>,
): Promise<Servers> {
  const { configuration, observers, platform } = parts
  const { host, port, metricsAddress } = configuration.settings.server
  const reportError = observers.faults.error
  const proxies: Proxies = {
    trusted: () => configuration.trustedProxies,
    onUntrusted: observers.onUntrustedProxy,
  }
  const app = appOf(parts, endpoints, proxies)
  const dataPlane = dataPlaneOf(parts, endpoints)
  const requestId = platform.ids.request
  const main = await listen(
    () =>
      startServer({
        host,
        port,
        app,
        dataPlane,
        proxies,
        requestId,
        reportError,
        ...(onFirstRequest && { onFirstRequest }),
      }),
    parts.letGo,
  )
  const metrics =
    metricsAddress &&
    (await listen(
      () => startMetricsServer({ ...metricsAddress, app, reportError }),
      async () => {
        await main.close()
        await parts.letGo()
      },
    ))
  return { main, metrics }
}

/** Frees everything when the server cannot listen. */
async function listen(start: () => HttpServer, letGo: () => Promise<void>): Promise<HttpServer> {
  try {
    return start()
  } catch (error) {
    await letGo()
    throw error
  }
}

function appOf(parts: Parts, dataPlane: readonly DataPlaneEndpoint[], proxies: Proxies): App {
  const { configuration, observers, platform } = parts
  const { router } = parts.pipeline
  return createApp({
    dataPlane,
    store: parts.store,
    clock: platform.now,
    ids: platform.ids,
    hash: platform.hash,
    models: () => configuration.settings.models,
    providersHealth: parts.providersHealth,
    blocked({ workspaceId, ...filter }) {
      const blocks = router.blocks({ ...filter, scope: workspaceId })
      return { blocks, lift: () => router.lift(blocks) }
    },
    door: parts.door,
    onChange: observers.audit.changed,
    secrets: () => tokensOf(configuration.settings),
    metricsToken: () => configuration.settings.server.metricsToken,
    proxies,
    health: parts.health,
    metrics: observers.metrics.render,
    version,
    reportError: observers.faults.error,
  })
}

function dataPlaneOf(
  { pipeline, configuration, drain, observers, refusals }: Parts,
  endpoints: readonly DataPlaneEndpoint[],
): DataPlane {
  return createDataPlane({
    pipeline,
    endpoints,
    maxBodyBytes: () => configuration.settings.server.maxBodyBytes,
    corsOrigins: () => configuration.settings.server.corsOrigins,
    draining: () => drain.begun,
    reportError: observers.faults.error,
    onAnswer: observers.metrics.answered,
    refusals,
  })
}
