import { unreachable } from '../core/assert.ts'
import {
  CONNECTIONS,
  type Store,
  type StoreAccess,
  type StoreHealthListener,
  type StoreMeter,
} from '../core/ports/store.ts'

/** Where the books are kept: `database` of the configuration. */
export type StoreSettings =
  | { readonly engine: 'sqlite'; readonly path: string; readonly durability: 'default' | 'strict' }
  | {
      readonly engine: 'postgres'
      readonly url: string
      /** Of this process, at most. Default: `CONNECTIONS.default`. */
      readonly connections?: number
    }

export interface StoreDependencies {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** Default: `change`. */
  readonly access?: StoreAccess
  /**
   * Opened for one piece of work, as by a command: on Postgres on few connections, without listening for what others
   * change. Default: false.
   */
  readonly isBrief?: boolean
  /** Reports what an operator should look at, in a sentence. Default: nobody hears it. */
  readonly warn?: (sentence: string) => void
  readonly onHealth?: StoreHealthListener
  /** What the work of a database server costs. Postgres only. */
  readonly meter?: StoreMeter
}

/**
 * Opens the engine that the settings name, and brings its schema up to date unless it is only to be read. Only that
 * engine's client is loaded.
 */
export async function openStore(settings: StoreSettings, deps: StoreDependencies): Promise<Store> {
  switch (settings.engine) {
    case 'sqlite': {
      const { openSqliteStore } = await import('./sqlite/openSqliteStore.ts')
      return openSqliteStore({ path: settings.path, durability: settings.durability, ...deps })
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./postgres/openPostgresStore.ts')
      const { url, connections = CONNECTIONS.default } = settings
      return openPostgresStore({
        url,
        connections: deps.isBrief ? CONNECTIONS.brief : connections,
        listens: !deps.isBrief,
        ...(deps.access && { access: deps.access }),
        warn: deps.warn,
        onHealth: deps.onHealth,
        meter: deps.meter,
      })
    }
    default:
      return unreachable(settings)
  }
}
