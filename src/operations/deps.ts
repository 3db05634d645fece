import type { IdSource, WorkspaceId } from '../core/id.ts'
import type { Model } from '../core/model.ts'
import type { AuditEntry } from '../core/ports/audit.ts'
import type { Store } from '../core/ports/store.ts'
import type { BlockState } from './block.ts'
import type { ProviderView } from './provider.ts'

/** What operations on this installation need. */
export interface OperationDeps {
  readonly store: Pick<Store, 'directory' | 'books' | 'refusals' | 'adminTokens' | 'audit'>
  /** Milliseconds since the epoch. */
  readonly clock: () => number
  readonly ids: IdSource
  /** Called with each change when it is stored. */
  readonly onChange?: (entry: AuditEntry) => void
  /** SHA-256, lowercase hexadecimal. */
  readonly hash: (secret: string) => string
  /** The current catalogue, retired models included. */
  readonly models: () => readonly Model[]
  readonly providersHealth: () => readonly ProviderView[] | Promise<readonly ProviderView[]>
  /** Tokens and keys of the configuration, which no name and no note may hold; absent where there is no configuration. */
  readonly secrets?: () => readonly string[]
  /** What is blocked in this process; absent where no gateway runs in it. */
  readonly blocked?: (filter: BlockFilter) => Blocked
}

/** What is blocked at a moment. */
export interface Blocked {
  readonly blocks: readonly BlockState[]
  /** Uses all of it again. */
  lift(): void
}

/** Of a provider, or of one of its targets or one workspace. */
export interface BlockFilter {
  readonly provider: string
  readonly upstreamModel: string | undefined
  readonly workspaceId: WorkspaceId | undefined
}
