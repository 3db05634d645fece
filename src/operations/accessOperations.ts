import { GatewayError, refuse } from '../core/error.ts'
import { ADMIN_TOKEN_PREFIX, type AdminTokenId } from '../core/id.ts'
import type { AdminToken } from '../core/ports/adminTokens.ts'
import type { ActorKind } from '../core/ports/audit.ts'
import { printableStart } from '../core/printable.ts'
import {
  type AdminTokenView,
  type CreatedAdminTokenView,
  NewAdminTokenBody,
  adminTokenView,
} from './adminToken.ts'
import { AuditQuery, auditEntryView, auditQuestion } from './audit.ts'
import { decodeInput, decodeQuery } from './decode.ts'
import { adminTokenIdOf, auditIdOf, SHOWN_LENGTH_MAX, unknownId, workspaceIdOf } from './id.ts'
import { hintOf } from './hint.ts'
import type { OperationDeps } from './deps.ts'
import { onceOf, repeatedAnswer } from './once.ts'
import type { Operations } from './operations.ts'
import { PageQuery, pageRequest, readList } from './page.ts'
import { recording } from './recording.ts'

/** Kinds of actors that `actor` names, having no name of their own. */
const NAMELESS = new Set<string>(['configuration', 'gateway', 'unknown'] satisfies ActorKind[])

type AccessOperations = Pick<
  Operations,
  'createAdminToken' | 'adminTokens' | 'revokeAdminToken' | 'audit' | 'auditEntry'
>

/** Who may change something, and who did. */
export function accessOperations(deps: OperationDeps): AccessOperations {
  const { store, ids, clock, hash } = deps
  /** A mistyped name must not look like a clean log. */
  async function requireActor(actor: string): Promise<void> {
    if (NAMELESS.has(actor)) return
    const { items } = await store.audit.entries({ actor, limit: 1 })
    if (items.length > 0 || (await store.adminTokens.named(actor))) return
    if (await store.adminTokens.token(actor as AdminTokenId)) return
    const message = `actor: no one with the name "${printableStart(actor, SHOWN_LENGTH_MAX)}" has changed anything, and no admin token has that name or id.`
    throw new GatewayError(refuse('invalid_request', message, { param: 'actor' }))
  }

  return {
    async createAdminToken(body, act = {}) {
      const { name } = decodeInput(NewAdminTokenBody, body)
      const token = ids.adminSecret()
      const id = ids.adminToken()
      const viewOf = (made: AdminToken): CreatedAdminTokenView => ({ ...adminTokenView(made), token })
      const once = onceOf<AdminToken>(
        { kind: 'create_token', input: { name }, subject: id, holdsSecret: true, viewOf },
        act,
        deps,
      )
      const { record, done } = recording<AdminToken>(act, deps, (after) => ({
        action: 'token.create',
        workspaceId: null,
        subject: after.id,
        after: adminTokenView(after),
      }))
      const verdict = await store.adminTokens.create(
        { id, name, hint: hintOf(token, ADMIN_TOKEN_PREFIX), secretHash: hash(token), createdAt: clock() },
        once,
        record,
      )
      switch (verdict.kind) {
        case 'made':
          done()
          return viewOf(verdict.made)
        case 'name_taken': {
          const message = `name: the admin token "${verdict.by}" has this name. Revoke it first, or take another name.`
          throw new GatewayError(refuse('invalid_request', message, { param: 'name' }))
        }
        default:
          return repeatedAnswer(verdict, 'admin token', act) as CreatedAdminTokenView
      }
    },

    async adminTokens(query) {
      const page = pageRequest(decodeQuery(PageQuery, query))
      return readList(store.adminTokens.tokens(page), adminTokenView)
    },

    async revokeAdminToken(id, act = {}): Promise<AdminTokenView> {
      const { record, done } = recording<AdminToken>(act, deps, (after, before) => ({
        action: 'token.revoke',
        workspaceId: null,
        subject: after.id,
        before: before && adminTokenView(before),
        after: adminTokenView(after),
      }))
      const token = await store.adminTokens.revoke(adminTokenIdOf(id), clock(), record)
      if (!token) throw unknownId('admin token', id)
      done()
      return adminTokenView(token)
    },

    async audit(query) {
      const question = auditQuestion(decodeQuery(AuditQuery, query))
      const { workspaceId } = question
      if (workspaceId !== undefined && !(await store.directory.workspace(workspaceIdOf(workspaceId))))
        throw unknownId('workspace', workspaceId)
      const list = await readList(store.audit.entries(question), auditEntryView)
      const { actor, cursor } = question
      if (actor !== undefined && cursor === undefined && list.data.length === 0) await requireActor(actor)
      return list
    },

    async auditEntry(id) {
      const entry = await store.audit.entry(auditIdOf(id))
      if (!entry) throw unknownId('audit entry', id)
      return auditEntryView(entry)
    },
  }
}
