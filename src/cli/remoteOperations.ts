import { ERRORS, type ErrorCode, GatewayError, refuse } from '../core/error.ts'
import { isJsonObject, parseJson } from '../core/json.ts'
import type { Operations, Query } from '../operations/operations.ts'
import { CommandFailure, UsageError } from './usageError.ts'

const TIMEOUT_MS = 60_000

/** The operations of a remote installation, through its admin API. */
export function createRemoteOperations(
  url: string,
  adminToken: string,
  fetch: (request: Request) => Promise<Response>,
): Operations {
  const base = baseOf(url)

  async function call(
    method: string,
    path: readonly string[],
    more: { query?: Query; body?: unknown; idempotencyKey?: string | undefined } = {},
  ): Promise<unknown> {
    const target = new URL(`${base}/${path.map(encodeURIComponent).join('/')}`)
    for (const [name, value] of Object.entries(more.query ?? {})) {
      if (value !== undefined) target.searchParams.set(name, value)
    }
    const headers: Record<string, string> = { Authorization: `Bearer ${adminToken}` }
    if (more.body !== undefined) headers['Content-Type'] = 'application/json'
    if (more.idempotencyKey !== undefined) headers['Idempotency-Key'] = more.idempotencyKey
    const request = new Request(target.href, {
      method,
      headers,
      ...(more.body === undefined ? {} : { body: JSON.stringify(more.body) }),
      // The token goes to the named place and nowhere else.
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    })
    const [response, text] = await send(request, fetch)
    if (response.status === 204) return undefined
    const answer = parseJson(text)
    if (response.ok && isJsonObject(answer)) return answer
    throw failure(response.status, answer, target.origin)
  }

  // The remote is Tollgate itself: its answers have the shapes of the same interface.
  const answer = <Result>(result: Promise<unknown>) => result as Promise<Result>
  return {
    createWorkspace: (body) => answer(call('POST', ['workspaces'], { body })),
    workspaces: (query) => answer(call('GET', ['workspaces'], { query })),
    workspace: (id) => answer(call('GET', ['workspaces', id])),
    updateWorkspace: (id, body) => answer(call('PATCH', ['workspaces', id], { body })),
    createKey: (workspaceId, body) => answer(call('POST', ['workspaces', workspaceId, 'keys'], { body })),
    keys: (workspaceId, query) => answer(call('GET', ['workspaces', workspaceId, 'keys'], { query })),
    key: (id) => answer(call('GET', ['keys', id])),
    updateKey: (id, body) => answer(call('PATCH', ['keys', id], { body })),
    revokeKey: (id) => answer(call('DELETE', ['keys', id])),
    rotateKey: (id, body) => answer(call('POST', ['keys', id, 'rotate'], { body })),
    credit: (workspaceId, body, idempotencyKey) =>
      answer(call('POST', ['workspaces', workspaceId, 'credits'], { body, idempotencyKey })),
    ledger: (workspaceId, query) => answer(call('GET', ['workspaces', workspaceId, 'ledger'], { query })),
    usage: (query) => answer(call('GET', ['usage'], { query })),
    requests: (query) => answer(call('GET', ['requests'], { query })),
    receipt: (id) => answer(call('GET', ['requests', id])),
    models: () => answer(call('GET', ['models'])),
    providers: () => answer(call('GET', ['providers'])),
  }
}

function baseOf(url: string): string {
  const parsed = URL.canParse(url) ? new URL(url) : undefined
  if (!parsed || (parsed.protocol !== 'http:' && parsed.protocol !== 'https:')) {
    throw new UsageError(`--url must be an http or https address, not "${url}"`)
  }
  return `${parsed.origin}${parsed.pathname.replace(/\/+$/, '')}/api/v1/admin`
}

async function send(
  request: Request,
  fetch: (request: Request) => Promise<Response>,
): Promise<[Response, string]> {
  try {
    const response = await fetch(request)
    return [response, await response.text()]
  } catch (cause) {
    const { origin } = new URL(request.url)
    throw new CommandFailure(`cannot reach ${origin}: ${reasonOf(cause)}`, { cause })
  }
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : String(cause)
}

function failure(status: number, answer: unknown, origin: string): Error {
  const error = isJsonObject(answer) ? answer.error : undefined
  if (isJsonObject(error) && typeof error.message === 'string' && isErrorCode(error.code)) {
    const param = typeof error.param === 'string' ? { param: error.param } : {}
    return new GatewayError(refuse(error.code, error.message, param))
  }
  return new CommandFailure(`${origin} answered ${status}, which is no answer of an admin API`)
}

function isErrorCode(code: unknown): code is ErrorCode {
  return typeof code === 'string' && Object.hasOwn(ERRORS, code)
}
