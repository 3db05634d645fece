import type { Store } from '../core/ports/store.ts'
import { createLocalOperations } from '../operations/localOperations.ts'
import type { Operations } from '../operations/operations.ts'
import type { DataSettings } from './configuration.ts'
import type { CliDeps } from './deps.ts'
import { type Given, explainingNames } from './namedInstead.ts'
import { placeOf } from '../config/databasePlace.ts'

/** What works on the database of this installation. */
export interface LocalWork {
  readonly given: Given
  readonly deps: CliDeps
  readonly data: DataSettings
}

/** @param onDone receives where it was done, and whether that changed anything */
export async function withLocalOperations<Result>(
  local: LocalWork,
  work: (operations: Operations) => Promise<Result>,
  onDone: (place: string, changed: boolean) => void,
): Promise<Result> {
  return withOpenStore(local, async (store) => {
    let changed = false
    const operations = operationsOn(store, local, () => (changed = true))
    const result = await explainingNames(local.given, operations, () => work(operations))
    onDone(placeOf(local.data.database), changed)
    return result
  })
}

/** The database itself, and which one it is. */
export async function withLocalStore<Result>(
  local: LocalWork,
  work: (store: Store, place: string) => Promise<Result>,
): Promise<Result> {
  return withOpenStore(local, (store) =>
    explainingNames(local.given, operationsOn(store, local), () => work(store, placeOf(local.data.database))),
  )
}

async function withOpenStore<Result>(
  { given: { command }, deps, data }: LocalWork,
  work: (store: Store) => Promise<Result>,
): Promise<Result> {
  const store = await deps.openStore(data.database, command.changes ? 'change' : 'read')
  try {
    return await work(store)
  } finally {
    await store.close()
  }
}

function operationsOn(
  store: Store,
  { deps: { clock, ids, hash }, data: { models, secrets } }: LocalWork,
  onChange: () => void = () => undefined,
): Operations {
  return createLocalOperations({
    store,
    clock,
    ids,
    hash,
    onChange,
    models,
    secrets,
    providersHealth: () => [],
  })
}
