import type { Logger } from 'pino'
import type { Settings } from '../config/settings.ts'
import type { Store } from '../core/ports/store.ts'
import type { DataPlaneEndpoint } from '../http/dataPlane/endpoint.ts'
import type { ProviderView } from '../operations/provider.ts'
import type { Platform } from '../platform.ts'
import type { Tokenizer } from '../tokens/tokenizer.ts'

/** A running gateway. */
export interface Gateway {
  readonly url: string
  readonly port: number
  /** Of `server.metrics_address`; undefined without one. */
  readonly metricsUrl: string | undefined
  readonly store: Store
  /** Calls that have a hold now. */
  readonly openCalls: number
  /** How providers, targets and credentials fare now. */
  providersHealth(): readonly ProviderView[]
  /** Uses another configuration for new requests; address and database stay as they are. */
  reload(settings: Settings): void
  /**
   * After the shutdown delay, refuses new requests and lets those in flight finish, and what is not settled yet be
   * settled, up to the drain limit.
   * Then ends the calls that are left, with an error and at no cost, and lets go of everything. The log names these calls,
   * and what the store has not taken.
   */
  stop(): Promise<void>
  /** How long a stop takes calls and waits for those in flight, in milliseconds. */
  readonly drainMs: number
  /** Ends delay and drain of a stop, now or when they come. */
  hurry(): void
}

export interface GatewayOptions {
  readonly settings: Settings
  readonly log: Logger
  readonly platform: Platform
  /** What is served under `/v1`. Default: `DATA_PLANE_ENDPOINTS`; tests add to it. */
  readonly endpoints?: readonly DataPlaneEndpoint[]
  /** Called once, before the first request is answered that is for neither health nor metrics. */
  readonly onFirstRequest?: () => void
  /** Closed with the gateway. Default: a tokenizer in a thread of its own. */
  readonly tokenizer?: Tokenizer
}
