import type { CreatedKeyView, KeyDetailView, KeyView, RotatedKeyView } from './key.ts'
import type { ModelView } from './model.ts'
import type { ListView } from './page.ts'
import type { ProviderView } from './provider.ts'
import type { ReceiptDetailView, ReceiptView } from './receipt.ts'
import type { TransferView } from './transfer.ts'
import type { UsageListView } from './usage.ts'
import type { WorkspaceView } from './workspace.ts'

/** Query parameters as they came; undefined is absent. */
export type Query = Readonly<Record<string, string | undefined>>

/**
 * What an operator can do, once for every interface: the admin API and the command line, beside the
 * database or far from it. Bodies and queries are taken as they came and checked here; answers are
 * what the admin API sends. Refusals are `GatewayError`s: `invalid_request` names the field at fault,
 * `not_found` names what is unknown.
 */
export interface Operations {
  createWorkspace(body: unknown): Promise<WorkspaceView>
  workspaces(query: Query): Promise<ListView<WorkspaceView>>
  workspace(id: string): Promise<WorkspaceView>
  updateWorkspace(id: string, body: unknown): Promise<WorkspaceView>

  createKey(workspaceId: string, body: unknown): Promise<CreatedKeyView>
  keys(workspaceId: string, query: Query): Promise<ListView<KeyView>>
  key(id: string): Promise<KeyDetailView>
  updateKey(id: string, body: unknown): Promise<KeyView>
  /** Revoking twice changes nothing. */
  revokeKey(id: string): Promise<void>
  /** A new key with the same limits; the old one ends at once or after the overlap. */
  rotateKey(id: string, body: unknown): Promise<RotatedKeyView>

  /** With an idempotency key, a repetition gives the first transfer again. */
  credit(workspaceId: string, body: unknown, idempotencyKey?: string): Promise<TransferView>
  ledger(workspaceId: string, query: Query): Promise<ListView<TransferView>>
  usage(query: Query): Promise<UsageListView>
  requests(query: Query): Promise<ListView<ReceiptView>>
  receipt(id: string): Promise<ReceiptDetailView>

  models(): Promise<ListView<ModelView>>
  providers(): Promise<ListView<ProviderView>>
}
