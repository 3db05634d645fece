import type { Model } from '../core/model.ts'
import type { ConfiguredProvider } from '../providers/configured.ts'

/** A whole, checked configuration: what the file, the environment and the flags come to. */
export interface Settings {
  readonly server: ServerSettings
  readonly database: DatabaseSettings
  readonly providers: ReadonlyMap<string, ConfiguredProvider>
  readonly models: readonly Model[]
  readonly log: LogSettings
  /** What a call sets aside: what it probably needs, and more as it grows; or the most that it can cost. */
  readonly holds: 'needed' | 'full'
  readonly responses: ResponsesSettings
}

export interface ServerSettings {
  readonly host: string
  readonly port: number
  /** Undefined: the admin API refuses everything. */
  readonly adminToken: string | undefined
  /** Opens metrics and details to whoever carries it; undefined: to this machine. */
  readonly metricsToken: string | undefined
  /** An address of its own for metrics and health, for insiders alone. */
  readonly metricsAddress: { readonly host: string; readonly port: number } | undefined
  /** Addresses and subnets of proxies that are believed when they name whom they forward for. */
  readonly trustedProxies: readonly string[]
  /** Origins that browsers may call `/v1` from; `*` is refused. */
  readonly corsOrigins: readonly string[]
  /** A larger request body is 413. */
  readonly maxBodyBytes: number
  /** Bytes of request bodies in memory at once, of all callers and of one key; more is 503. */
  readonly bodiesInFlight: { readonly process: number; readonly workspace: number; readonly key: number }
  /** Bytes of providers' answers in memory that are not whole yet, by weight; a call beyond it is 503. */
  readonly answersInFlight: number
  /** How long new calls are still taken after SIGTERM, while `/readyz` is 503 already. */
  readonly shutdownDelayMs: number
  /** How long calls in flight may go on when no new ones are taken. */
  readonly drainMs: number
}

export type DatabaseSettings =
  | { readonly engine: 'sqlite'; readonly path: string; readonly durability: 'default' | 'strict' }
  | {
      readonly engine: 'postgres'
      readonly url: string
      /** Of this process, at most. */
      readonly connections: number
    }

export interface LogSettings {
  readonly level: 'debug' | 'info' | 'warn' | 'error' | 'silent'
  /** Log prompts and answers. Off unless switched on. */
  readonly prompts: boolean
}

/** The memory of Responses. */
export interface ResponsesSettings {
  /** How long a conversation is kept after its last use, in milliseconds; 0: nothing is kept. */
  readonly keepMs: number
}
