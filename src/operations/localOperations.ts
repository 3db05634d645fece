import type { IdSource } from '../core/id.ts'
import type { Model } from '../core/model.ts'
import type { Store } from '../core/ports/store.ts'
import { accessOperations } from './accessOperations.ts'
import { bookOperations } from './bookOperations.ts'
import { keyOperations } from './keyOperations.ts'
import { sayInDoubt } from './inDoubt.ts'
import { modelView } from './model.ts'
import type { AuditEntry } from '../core/ports/audit.ts'
import type { Operations } from './operations.ts'
import type { ProviderView } from './provider.ts'
import { workspaceOperations } from './workspaceOperations.ts'

/** What operations on this installation need. */
export interface OperationDeps {
  readonly store: Pick<Store, 'directory' | 'books' | 'refusals' | 'adminTokens' | 'audit'>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly ids: IdSource
  /** Hears of each change when it is stored. */
  readonly onChange?: (entry: AuditEntry) => void
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: (secret: string) => string
  /** The catalogue in force, retired models included. */
  readonly models: () => readonly Model[]
  readonly providersHealth: () => readonly ProviderView[] | Promise<readonly ProviderView[]>
}

/** The operations on the store itself. */
export function createLocalOperations(deps: OperationDeps): Operations {
  return sayInDoubt({
    ...workspaceOperations(deps),
    ...keyOperations(deps),
    ...bookOperations(deps),
    ...accessOperations(deps),
    models: async () => {
      const at = deps.clock()
      return { data: deps.models().map((model) => modelView(model, at)), next_cursor: null }
    },
    providers: async () => ({ data: await deps.providersHealth(), next_cursor: null }),
  })
}
