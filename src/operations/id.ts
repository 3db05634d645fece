import { GatewayError, refuse } from '../core/error.ts'
import {
  ADMIN_TOKEN_PREFIX,
  type AdminTokenId,
  type AuditId,
  isIdLike,
  KEY_PREFIX,
  type KeyId,
  type RequestId,
  type WorkspaceId,
} from '../core/id.ts'
import { printableStart } from '../core/printable.ts'

/** Characters of what was given that a message repeats. */
export const SHOWN_LENGTH_MAX = 80

/** Reads an id from outside; whether it names anything is for the store to say. */
export function workspaceIdOf(text: string): WorkspaceId {
  if (!isIdLike(text)) throw unknownId('workspace', text)
  return text as WorkspaceId
}

export function keyIdOf(text: string): KeyId {
  if (!isIdLike(text)) throw unknownId('key', text)
  return text as KeyId
}

export function requestIdOf(text: string): RequestId {
  if (!isIdLike(text)) throw unknownId('request', text)
  return text as RequestId
}

export function adminTokenIdOf(text: string): AdminTokenId {
  if (!isIdLike(text)) throw unknownId('admin token', text)
  return text as AdminTokenId
}

export function auditIdOf(text: string): AuditId {
  if (!isIdLike(text)) throw unknownId('audit entry', text)
  return text as AuditId
}

type Named = 'workspace' | 'key' | 'request' | 'admin token' | 'audit entry' | 'provider'

/** The refusal of an id that names nothing. */
export function unknownId(what: Named, id: string): GatewayError {
  // Whoever shows the message to others would show the secret.
  if (id.startsWith(KEY_PREFIX)) {
    return new GatewayError(
      refuse('not_found', `That looks like the secret of a key, not like the id of ${article(what)}.`),
    )
  }
  if (id.startsWith(ADMIN_TOKEN_PREFIX)) {
    return new GatewayError(
      refuse('not_found', `That looks like an admin token itself, not like the id of ${article(what)}.`),
    )
  }
  return new GatewayError(
    refuse('not_found', `There is no ${what} "${printableStart(id, SHOWN_LENGTH_MAX)}".`),
  )
}

function article(what: Named): string {
  return `${what.startsWith('a') ? 'an' : 'a'} ${what}`
}
