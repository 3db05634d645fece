import { printable, printableStart } from '../core/printable.ts'
import { z } from 'zod'
import { ERRORS, type ErrorCode, GatewayError, refuse } from '../core/error.ts'
import { isJsonObject, parseJson } from '../core/json.ts'
import { AdminTokenView, CreatedAdminTokenView } from '../operations/adminToken.ts'
import { AuditEntryView } from '../operations/audit.ts'
import { CallDetailView, CallView } from '../operations/call.ts'
import { CreatedKeyView, KeyDetailView, KeyView, RotatedKeyView } from '../operations/key.ts'
import { ModelView } from '../operations/model.ts'
import type { Operations, Query } from '../operations/operations.ts'
import type { Act } from '../operations/act.ts'
import type { ListView } from '../operations/page.ts'
import { ProviderView } from '../operations/provider.ts'
import { ReceiptView } from '../operations/receipt.ts'
import { ReleaseView } from '../operations/release.ts'
import { TransferView } from '../operations/transfer.ts'
import { UsageListView } from '../operations/usage.ts'
import { WorkspaceView } from '../operations/workspace.ts'
import { type Fetch, exchange } from './exchange.ts'
import { gatewayAddress } from './gatewayAddress.ts'
import { CommandFailure, UsageError } from './usageError.ts'

const API_PATH = '/api/v1/admin'
/** What a gateway answers where it has nothing; an unknown id is another thing, of the same code. */
const NOTHING_AT_PATH = 'There is nothing at this path.'

/** The operations of a remote installation, through its admin API. */
export function createRemoteOperations(
  url: string,
  adminToken: string,
  fetch: Fetch,
  sleep: (ms: number) => Promise<void> = Bun.sleep,
): Operations {
  const base = `${gatewayAddress(url)}${API_PATH}`

  async function call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: readonly string[],
    more: { query?: Query; body?: unknown; idempotencyKey?: string | undefined } = {},
  ): Promise<unknown> {
    const target = new URL(`${base}/${pathOf(path)}`)
    for (const [name, value] of Object.entries(more.query ?? {})) {
      if (value !== undefined) target.searchParams.set(name, value)
    }
    const headers: Record<string, string> = { Authorization: `Bearer ${adminToken}` }
    if (more.body !== undefined) headers['Content-Type'] = 'application/json'
    let remedy: string | undefined
    if (method === 'POST') {
      const key = more.idempotencyKey ?? crypto.randomUUID()
      headers['Idempotency-Key'] = key
      remedy = `Repeat the command with --idempotency-key ${key}: nothing is done twice.`
    } else if (method !== 'GET') {
      remedy = 'Repeat the command: it is safe.'
    }
    const { status, text } = await exchange(
      {
        url: target,
        method,
        headers,
        ...(more.body !== undefined && { body: JSON.stringify(more.body) }),
        ...(remedy !== undefined && { remedy }),
      },
      fetch,
      sleep,
    )
    if (status === 204) return undefined
    const answer = parseJson(text)
    if (status >= 200 && status < 300 && isJsonObject(answer)) return answer
    throw failure(status, answer, new URL(base), remedy)
  }

  /** The answer as it came, if it has the shape that this version reads. */
  async function read<View>(shape: z.ZodType<View>, asked: Promise<unknown>): Promise<View> {
    const answer = await asked
    const result = shape.safeParse(answer)
    // What is shown is what was sent, with fields that this version does not know.
    if (result.success) return answer as View
    const where = result.error.issues[0]?.path.map(String).join('.') ?? ''
    throw new CommandFailure(
      `${new URL(base).origin} sent a response that this version cannot read (at "${printable(where)}"): is it another version of tollgate?`,
    )
  }

  const post = (path: readonly string[], body: unknown, act: Act = {}): Promise<unknown> =>
    call('POST', path, { body, idempotencyKey: act.idempotencyKey })
  const get = (path: readonly string[], query: Query = {}): Promise<unknown> => call('GET', path, { query })

  return {
    createWorkspace: (body, act) => read(WorkspaceView, post(['workspaces'], body, act)),
    workspaces: (query) => read(listOf(WorkspaceView), get(['workspaces'], query)),
    workspace: (id) => read(WorkspaceView, get(['workspaces', id])),
    updateWorkspace: (id, body) => read(WorkspaceView, call('PATCH', ['workspaces', id], { body })),
    createKey: (workspaceId, body, act) =>
      read(CreatedKeyView, post(['workspaces', workspaceId, 'keys'], body, act)),
    keys: (workspaceId, query) => read(listOf(KeyView), get(['workspaces', workspaceId, 'keys'], query)),
    key: (id) => read(KeyDetailView, get(['keys', id])),
    updateKey: (id, body) => read(KeyView, call('PATCH', ['keys', id], { body })),
    revokeKey: (id) => read(z.undefined(), call('DELETE', ['keys', id])),
    rotateKey: (id, body, act) => read(RotatedKeyView, post(['keys', id, 'rotate'], body, act)),
    createAdminToken: (body, act) => read(CreatedAdminTokenView, post(['tokens'], body, act)),
    adminTokens: (query) => read(listOf(AdminTokenView), get(['tokens'], query)),
    revokeAdminToken: (id) => read(AdminTokenView, call('DELETE', ['tokens', id])),
    audit: (query) => read(listOf(AuditEntryView), get(['audit'], query)),
    auditEntry: (id) => read(AuditEntryView, get(['audit', id])),
    credit: (workspaceId, body, act) =>
      read(TransferView, post(['workspaces', workspaceId, 'credits'], body, act)),
    ledger: (workspaceId, query) =>
      read(listOf(TransferView), get(['workspaces', workspaceId, 'ledger'], query)),
    usage: (query) => read(UsageListView, get(['usage'], query)),
    requests: (query) => read(listOf(ReceiptView), get(['requests'], query)),
    failedRequests: (query) => read(listOf(CallView), get(['requests'], { ...query, failed: 'true' })),
    request: (id) => read(CallDetailView, get(['requests', id])),
    models: () => read(listOf(ModelView), get(['models'])),
    providers: () => read(listOf(ProviderView), get(['providers'])),
    releaseProvider: (id, body, act) => read(ReleaseView, post(['providers', id, 'release'], body, act)),
  }
}

function listOf<View>(view: z.ZodType<View>): z.ZodType<ListView<View>> {
  return z.object({ data: z.array(view), next_cursor: z.string().nullable() })
}

/** A path of ids: an empty one would ask for another thing, and dots would go up. */
function pathOf(segments: readonly string[]): string {
  const odd = segments.find((segment) => segment === '' || segment === '.' || segment === '..')
  if (odd !== undefined) throw new UsageError(`"${printableStart(odd)}" is not an id`)
  return segments.map(encodeURIComponent).join('/')
}

/**
 * @param base of the admin API there
 * @param remedy how a change is repeated, where that may help
 */
function failure(status: number, answer: unknown, base: URL, remedy: string | undefined): Error {
  const error = isJsonObject(answer) ? answer.error : undefined
  const shorter = withoutPath(base)
  if (isJsonObject(error) && typeof error.message === 'string' && isErrorCode(error.code)) {
    if (shorter !== undefined && error.message === NOTHING_AT_PATH)
      return new UsageError(`there is nothing at ${base.href}. ${shorter}`)
    const param = typeof error.param === 'string' ? { param: printable(error.param) } : {}
    const advice = remedy !== undefined && error.code === 'service_unavailable' ? ` ${remedy}` : ''
    return new GatewayError(refuse(error.code, printable(error.message) + advice, param))
  }
  const message = `${base.origin} answered ${status}, which is not a response of the admin API`
  return new CommandFailure(shorter === undefined ? message : `${message}. ${shorter}`)
}

/**
 * How the address is written without its path, where it has one. A path is right where a proxy puts the gateway below
 * it (`https://example.com/gateway`), and whether it does is known only when nothing answers there: so it is sent as it
 * was given, and what leads to the API itself, as other clients want it, is cut off in what is proposed.
 */
function withoutPath({ origin, pathname }: URL): string | undefined {
  const given = pathname.slice(0, -API_PATH.length)
  if (given === '') return undefined
  const proxys = /^(.*?)\/api\/v1(?:\/|$)/.exec(given)?.[1] ?? ''
  return `Give the address without a path, unless a proxy puts the gateway below one: --url ${origin}${proxys}`
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}
