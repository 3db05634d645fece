import { startBackground } from './background.ts'
import type { Gateway, GatewayOptions } from './gateway.ts'
import { createParts } from './parts.ts'
import { startServers } from './servers.ts'
import { stop } from './stop.ts'

export { AddressInUse, AddressUnavailable } from '../http/server.ts'

/** Puts all modules together, and listens. Throws when address or store cannot be had. */
export async function startGateway(options: GatewayOptions): Promise<Gateway> {
  const parts = await createParts(options)
  const servers = await startServers(parts, options)
  const jobs = startBackground(parts)
  const { store, pipeline, drain } = parts
  return {
    url: servers.main.url,
    port: servers.main.port,
    metricsUrl: servers.metrics?.url,
    store,
    get openCalls() {
      return pipeline.calls.size
    },
    providersHealth: parts.providersHealth,
    reload: parts.reload,
    stop: () => stop({ parts, servers, jobs }),
    get drainMs() {
      return drain.limitMs
    },
    hurry: drain.hurry,
  }
}
