import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import type { ErrorCode } from '../../core/error.ts'
import type { JsonObject } from '../../core/json.ts'
import {
  CreatedKeyView,
  KeyChangeBody,
  KeyDetailView,
  KeyView,
  NewKeyBody,
  RotatedKeyView,
  RotationBody,
} from '../../operations/key.ts'
import { AdminTokenView, CreatedAdminTokenView, NewAdminTokenBody } from '../../operations/adminToken.ts'
import { AuditEntryView, AuditQuery } from '../../operations/audit.ts'
import { ModelView } from '../../operations/model.ts'
import type { Operations } from '../../operations/operations.ts'
import type { Act } from '../../operations/act.ts'
import { CallDetailView, CallView } from '../../operations/call.ts'
import { PageQuery } from '../../operations/page.ts'
import { ProviderView } from '../../operations/provider.ts'
import { RequestsQuery } from '../../operations/receipt.ts'
import { ReleaseBody, ReleaseView } from '../../operations/release.ts'
import { CreditBody, TransferView } from '../../operations/transfer.ts'
import { UsageListView, UsageQuery } from '../../operations/usage.ts'
import { NewWorkspaceBody, WorkspaceChangeBody, WorkspaceView } from '../../operations/workspace.ts'
import { readJsonObject } from '../body.ts'
import { answers, refusals } from '../docs/errorSchema.ts'
import { type Call, type Endpoint, pathParam } from '../endpoint.ts'
import { json } from '../respond.ts'
import { bearerToken } from './authorize.ts'

export const ADMIN_PATH = '/api/v1/admin'

/** The admin API (docs/admin-api.md): each operation at its method and path. */
export function adminEndpoints(operations: Operations): Endpoint[] {
  const id = (call: Call) => pathParam(call, 'id')
  async function body(call: Call): Promise<JsonObject> {
    const given = await readJsonObject(call.request)
    // Its token may have been revoked while the body came.
    await call.stillAdmitted()
    return given
  }

  return [
    endpoint('post', '/workspaces', 'Create a workspace', {
      body: NewWorkspaceBody,
      answer: WorkspaceView,
      status: 201,
      handle: async (call) => operations.createWorkspace(await body(call), actOf(call)),
    }),
    endpoint('get', '/workspaces', 'List workspaces, newest first', {
      query: PageQuery,
      answer: listOf(WorkspaceView),
      handle: (call) => operations.workspaces(call.query),
    }),
    endpoint('get', '/workspaces/{id}', 'Show a workspace', {
      answer: WorkspaceView,
      handle: (call) => operations.workspace(id(call)),
    }),
    endpoint('patch', '/workspaces/{id}', 'Change a workspace', {
      body: WorkspaceChangeBody,
      answer: WorkspaceView,
      handle: async (call) => operations.updateWorkspace(id(call), await body(call), actOf(call)),
    }),
    endpoint('post', '/workspaces/{id}/keys', 'Create a key', {
      body: NewKeyBody,
      answer: CreatedKeyView,
      status: 201,
      handle: async (call) => operations.createKey(id(call), await body(call), actOf(call)),
    }),
    endpoint('get', '/workspaces/{id}/keys', "List a workspace's keys, newest first", {
      query: PageQuery,
      answer: listOf(KeyView),
      handle: (call) => operations.keys(id(call), call.query),
    }),
    endpoint('post', '/workspaces/{id}/credits', 'Add to the balance, or take from it', {
      body: CreditBody,
      answer: TransferView,
      status: 201,
      refuses: ['insufficient_balance'],
      handle: async (call) => operations.credit(id(call), await body(call), actOf(call)),
    }),
    endpoint('get', '/workspaces/{id}/ledger', "List a workspace's transfers, newest first", {
      query: PageQuery,
      answer: listOf(TransferView),
      handle: (call) => operations.ledger(id(call), call.query),
    }),
    endpoint('get', '/keys/{id}', 'Show a key and what it has used', {
      answer: KeyDetailView,
      handle: (call) => operations.key(id(call)),
    }),
    endpoint('patch', '/keys/{id}', 'Change a key', {
      body: KeyChangeBody,
      answer: KeyView,
      handle: async (call) => operations.updateKey(id(call), await body(call), actOf(call)),
    }),
    endpoint('delete', '/keys/{id}', 'Revoke a key', {
      status: 204,
      handle: (call) => operations.revokeKey(id(call), actOf(call)),
    }),
    endpoint('post', '/keys/{id}/rotate', 'Replace a key by a new one with the same limits', {
      body: RotationBody,
      answer: RotatedKeyView,
      status: 201,
      refuses: ['already_rotated'],
      handle: async (call) => operations.rotateKey(id(call), await body(call), actOf(call)),
    }),
    endpoint('get', '/usage', 'Sum up requests, tokens and charges', {
      query: UsageQuery,
      answer: UsageListView,
      refuses: ['not_found'],
      handle: (call) => operations.usage(call.query),
    }),
    endpoint('get', '/requests', 'List requests with their receipts, or those that failed, newest first', {
      query: RequestsQuery,
      answer: listOf(CallView),
      refuses: ['not_found'],
      handle: ({ query }) =>
        query['failed'] === 'true' ? operations.failedRequests(query) : operations.requests(query),
    }),
    endpoint('get', '/requests/{id}', 'Show the receipt of a request, or why it was refused', {
      answer: CallDetailView,
      handle: (call) => operations.request(id(call)),
    }),
    endpoint('post', '/tokens', 'Create an admin token', {
      body: NewAdminTokenBody,
      answer: CreatedAdminTokenView,
      status: 201,
      handle: async (call) => operations.createAdminToken(await body(call), actOf(call)),
    }),
    endpoint('get', '/tokens', 'List the admin tokens, newest first', {
      query: PageQuery,
      answer: listOf(AdminTokenView),
      handle: (call) => operations.adminTokens(call.query),
    }),
    endpoint('delete', '/tokens/{id}', 'Revoke an admin token', {
      answer: AdminTokenView,
      handle: (call) => operations.revokeAdminToken(id(call), actOf(call)),
    }),
    endpoint('get', '/audit', 'List who did what, newest first', {
      query: AuditQuery,
      answer: listOf(AuditEntryView),
      refuses: ['not_found'],
      handle: (call) => operations.audit(call.query),
    }),
    endpoint('get', '/audit/{id}', 'Show an entry of the audit log', {
      answer: AuditEntryView,
      handle: (call) => operations.auditEntry(id(call)),
    }),
    endpoint('get', '/models', 'Show the catalogue', {
      answer: listOf(ModelView),
      handle: () => operations.models(),
    }),
    endpoint('get', '/providers', 'Show the providers and their health', {
      answer: listOf(ProviderView),
      handle: () => operations.providers(),
    }),
    endpoint('post', '/providers/{id}/release', 'Use again what is blocked of a provider, in this process', {
      body: ReleaseBody,
      answer: ReleaseView,
      handle: async (call) => operations.releaseProvider(id(call), await body(call), actOf(call)),
    }),
  ]
}

/** Who asks for a change, with which token (it has been checked by then), and under which idempotency key. */
function actOf({ request, by }: Call): Act {
  const credential = bearerToken(request)
  return {
    idempotencyKey: request.headers.get('idempotency-key') ?? undefined,
    ...(credential !== undefined && { credential }),
    ...(by && { by }),
  }
}

interface Description {
  readonly body?: z.ZodType
  readonly query?: z.ZodObject
  readonly answer?: z.ZodType
  readonly status?: 201 | 204
  /** Beyond those of every admin call. */
  readonly refuses?: readonly ErrorCode[]
  readonly handle: (call: Call) => Promise<unknown>
}

const IdParam = z.object({ id: z.string() })

const IdempotencyHeader = z.object({
  'Idempotency-Key': z.string().max(255).optional().meta({
    description:
      'A repeated request with the same key and body gets the first response again and changes nothing. A response with a new secret is kept for ten minutes.',
  }),
})

function endpoint(
  method: 'get' | 'post' | 'patch' | 'delete',
  path: string,
  summary: string,
  description: Description,
): Endpoint {
  const { body, query, answer, status = 200, refuses = [] } = description
  const hasId = path.includes('{id}')
  const codes: ErrorCode[] = [
    'missing_api_key',
    'invalid_api_key',
    'rate_limit_exceeded',
    'invalid_request',
    ...refuses,
  ]
  if (hasId) codes.push('not_found')
  if (method === 'post') codes.push('idempotency_conflict')
  if (body) codes.push('request_too_large')
  codes.push('internal_error', 'service_unavailable')

  const route: RouteConfig = {
    method,
    path: `${ADMIN_PATH}${path}`,
    operationId: operationId(method, path),
    summary,
    tags: ['Admin'],
    security: [{ adminToken: [] }],
    request: {
      ...(hasId ? { params: IdParam } : {}),
      ...(query ? { query } : {}),
      ...(method === 'post' ? { headers: IdempotencyHeader } : {}),
      ...(body ? { body: { required: true, content: { 'application/json': { schema: body } } } } : {}),
    },
    responses: {
      ...(answer ? answers(status, 'Done.', answer) : { 204: { description: 'Done.' } }),
      ...refusals(...codes),
    },
  }

  return {
    route,
    handle: async (call) => {
      const result = await description.handle(call)
      return status === 204 ? new Response(null, { status }) : json(result, status, NOT_STORED)
    },
  }
}

// Balances and secrets do not belong in anybody's cache.
const NOT_STORED = { 'Cache-Control': 'no-store' }

/** `post /keys/{id}/rotate` → `admin_post_keys_id_rotate`: stable names for generated clients. */
function operationId(method: string, path: string): string {
  return `admin_${method}${path.replace(/[{}]/g, '').replaceAll('/', '_')}`
}

function listOf(view: z.ZodType): z.ZodType {
  return z.object({ data: z.array(view), next_cursor: z.string().nullable() })
}
