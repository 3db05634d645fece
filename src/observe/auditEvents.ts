import type { Logger } from 'pino'
import type { Actor, AuditEntry } from '../core/ports/audit.ts'
import type { Metrics } from './metrics.ts'

/** What the log and the metrics hear of operators. */
export interface AuditEvents {
  /** A change that is stored. */
  changed(entry: AuditEntry): void
  /** A wrong admin token; `first` is its entry, where it is the first of its place and minute. */
  refused(first: AuditEntry | undefined): void
  /** A token at its first use in an hour from an address. */
  used(actor: Actor, address: string | null): void
}

/** A line for each change, and at most one a minute for the wrong tokens of one place. */
export function createAuditEvents(log: Logger, metrics: Pick<Metrics, 'adminTokenRefused'>): AuditEvents {
  return {
    changed: (entry) => log.info(fieldsOf(entry), 'an operator changed something'),
    used: (actor, address) =>
      log.info({ actor, ...(address !== null && { address }) }, 'an admin token is in use'),
    refused(first) {
      metrics.adminTokenRefused()
      if (first)
        log.warn(fieldsOf(first), first.subject === null ? 'a wrong admin token' : 'a revoked admin token')
    },
  }
}

function fieldsOf({
  id,
  action,
  actor,
  address,
  requestId,
  workspaceId,
  subject,
  changes,
}: AuditEntry): object {
  return {
    audit: id,
    action,
    actor,
    ...(address !== null && { address }),
    ...(requestId !== null && { id: requestId }),
    ...(workspaceId !== null && { workspace_id: workspaceId }),
    ...(subject !== null && { subject }),
    ...(Object.keys(changes).length > 0 && { changes }),
  }
}
