import { ERRORS, type ErrorCode, GatewayError, refuse } from '../core/error.ts'
import { isJsonObject, parseJson } from '../core/json.ts'
import type { Operations, Query } from '../operations/operations.ts'
import { type Fetch, exchange } from './exchange.ts'
import { CommandFailure, UsageError } from './usageError.ts'

/** The operations of a remote installation, through its admin API. */
export function createRemoteOperations(
  url: string,
  adminToken: string,
  fetch: Fetch,
  sleep: (ms: number) => Promise<void> = Bun.sleep,
): Operations {
  const base = baseOf(url)

  async function call(
    method: 'GET' | 'POST' | 'PATCH' | 'DELETE',
    path: readonly string[],
    more: { query?: Query; body?: unknown; idempotencyKey?: string | undefined } = {},
  ): Promise<unknown> {
    const target = new URL(`${base}/${path.map(encodeURIComponent).join('/')}`)
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
      remedy = 'Repeat the command: that does no harm.'
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
    throw failure(status, answer, target.origin)
  }

  // The remote is Tollgate itself: its answers have the shapes of the same interface.
  const answer = <Result>(result: Promise<unknown>) => result as Promise<Result>
  return {
    createWorkspace: (body, act) => answer(call('POST', ['workspaces'], { body, ...act })),
    workspaces: (query) => answer(call('GET', ['workspaces'], { query })),
    workspace: (id) => answer(call('GET', ['workspaces', id])),
    updateWorkspace: (id, body) => answer(call('PATCH', ['workspaces', id], { body })),
    createKey: (workspaceId, body, act) =>
      answer(call('POST', ['workspaces', workspaceId, 'keys'], { body, ...act })),
    keys: (workspaceId, query) => answer(call('GET', ['workspaces', workspaceId, 'keys'], { query })),
    key: (id) => answer(call('GET', ['keys', id])),
    updateKey: (id, body) => answer(call('PATCH', ['keys', id], { body })),
    revokeKey: (id) => answer(call('DELETE', ['keys', id])),
    rotateKey: (id, body, act) => answer(call('POST', ['keys', id, 'rotate'], { body, ...act })),
    credit: (workspaceId, body, act) =>
      answer(call('POST', ['workspaces', workspaceId, 'credits'], { body, ...act })),
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
