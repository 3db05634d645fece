import type { RequestId } from '../core/id.ts'
import type { Actor } from '../core/ports/audit.ts'

/** How a change is asked for. */
export interface Act {
  /** A repetition under the same key gives the first answer again, and changes nothing. */
  readonly idempotencyKey?: string | undefined
  /** What it is asked with; an answer that holds a secret is kept encrypted under it. Absent: beside the database. */
  readonly credential?: string
  /** Who asks, for the audit log. Absent: Tollgate itself. */
  readonly by?: Acting
}

/** Who asks for a change, and from where. */
export interface Acting {
  readonly actor: Actor
  readonly address: string | null
  readonly requestId: RequestId | null
}
