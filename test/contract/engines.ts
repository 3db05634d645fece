import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Store } from '../../src/core/ports/store.ts'
import { openStore, type StoreSettings } from '../../src/store/open.ts'
import { mustSkip, sharedPostgres } from '../support/postgres.ts'

/** A kind of database that must keep every sentence of the contract. */
export interface Engine {
  readonly name: StoreSettings['engine']
  /** No such database can be had here: its sentences are skipped, aloud. */
  readonly skipped: boolean
  /** A new, empty database. */
  create(): Promise<TestDatabase>
}

export interface TestDatabase {
  readonly settings: StoreSettings
  /** Opens the store on it, as another process would. */
  open(): Promise<Store>
  /** Removes it; every store on it must be closed. */
  remove(): Promise<void>
}

export const ENGINES: readonly Engine[] = [
  {
    name: 'sqlite',
    skipped: false,
    async create() {
      const folder = await mkdtemp(join(tmpdir(), 'tollgate-contract-'))
      const path = join(folder, 'tollgate.db')
      return databaseOf({ engine: 'sqlite', path, durability: 'default' }, () =>
        rm(folder, { recursive: true }),
      )
    },
  },
  {
    name: 'postgres',
    skipped: mustSkip('the contract of the store on Postgres'),
    async create() {
      const url = await (await sharedPostgres()).createDatabase()
      return databaseOf({ engine: 'postgres', url }, async () => {})
    },
  },
]

function databaseOf(settings: StoreSettings, remove: () => Promise<void>): TestDatabase {
  return { settings, open: () => openStore(settings, { now: Date.now }), remove }
}
