import type { Act } from './act.ts'
import type { CallDetailView, CallView } from './call.ts'
import type { CreatedKeyView, KeyDetailView, KeyView, RotatedKeyView } from './key.ts'
import type { ModelView } from './model.ts'
import type { ListView } from './page.ts'
import type { ProviderView } from './provider.ts'
import type { ReleaseView } from './release.ts'
import type { ReceiptView } from './receipt.ts'
import type { TransferView } from './transfer.ts'
import type { AdminTokenView, CreatedAdminTokenView } from './adminToken.ts'
import type { AuditEntryView } from './audit.ts'
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
  createWorkspace(body: unknown, act?: Act): Promise<WorkspaceView>
  workspaces(query: Query): Promise<ListView<WorkspaceView>>
  workspace(id: string): Promise<WorkspaceView>
  updateWorkspace(id: string, body: unknown, act?: Act): Promise<WorkspaceView>

  createKey(workspaceId: string, body: unknown, act?: Act): Promise<CreatedKeyView>
  keys(workspaceId: string, query: Query): Promise<ListView<KeyView>>
  key(id: string): Promise<KeyDetailView>
  updateKey(id: string, body: unknown, act?: Act): Promise<KeyView>
  /** Revoking twice changes nothing. */
  revokeKey(id: string, act?: Act): Promise<void>
  /**
   * A new key with the same limits and counters; the old one ends at once or after the overlap. Throws
   * `already_rotated` for a key that has a successor.
   */
  rotateKey(id: string, body: unknown, act?: Act): Promise<RotatedKeyView>

  /** A named admin token, shown this once. */
  createAdminToken(body: unknown, act?: Act): Promise<CreatedAdminTokenView>
  adminTokens(query: Query): Promise<ListView<AdminTokenView>>
  /** Revoking twice changes nothing. */
  revokeAdminToken(id: string, act?: Act): Promise<AdminTokenView>
  /** Who did what, newest first. */
  audit(query: Query): Promise<ListView<AuditEntryView>>
  auditEntry(id: string): Promise<AuditEntryView>

  credit(workspaceId: string, body: unknown, act?: Act): Promise<TransferView>
  ledger(workspaceId: string, query: Query): Promise<ListView<TransferView>>
  usage(query: Query): Promise<UsageListView>
  requests(query: Query): Promise<ListView<ReceiptView>>
  /** Calls with a status of 400 and more, those that were refused without a receipt among them. */
  failedRequests(query: Query): Promise<ListView<CallView>>
  /** A receipt, or why the call was refused. */
  request(id: string): Promise<CallDetailView>

  models(): Promise<ListView<ModelView>>
  providers(): Promise<ListView<ProviderView>>
  /** Uses again what is blocked of a provider, in the process that is asked. */
  releaseProvider(id: string, body: unknown, act?: Act): Promise<ReleaseView>
}
