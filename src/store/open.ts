import { unreachable } from '../core/assert.ts'
import type { Store, StoreAccess } from '../core/ports/store.ts'

/** Where the books are kept: `database` of the configuration. */
export type StoreSettings =
  | { readonly engine: 'sqlite'; readonly path: string; readonly durability: 'default' | 'strict' }
  | { readonly engine: 'postgres'; readonly url: string }

export interface StoreDependencies {
  /** Milliseconds since the epoch. */
  readonly now: () => number
  readonly access?: StoreAccess
}

/**
 * Opens the engine that the settings name, and brings its schema up to date unless it is only to be read. Only that
 * engine's client is loaded.
 */
export async function openStore(
  settings: StoreSettings,
  { now, access = 'change' }: StoreDependencies,
): Promise<Store> {
  switch (settings.engine) {
    case 'sqlite': {
      const { openSqliteStore } = await import('./sqlite/openSqliteStore.ts')
      return openSqliteStore({ path: settings.path, durability: settings.durability, now, access })
    }
    case 'postgres': {
      const { openPostgresStore } = await import('./postgres/openPostgresStore.ts')
      return openPostgresStore({ url: settings.url, access })
    }
    default:
      return unreachable(settings)
  }
}
