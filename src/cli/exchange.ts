import { CommandFailure } from './usageError.ts'

/** How long reading may take, a report for instance, in milliseconds. */
export const READ_TIMEOUT_MS = 60_000
/** How long a change may take before its answer counts as lost. */
export const CHANGE_TIMEOUT_MS = 20_000
/** How often a change is sent whose answer is lost, and the pauses before that. */
export const CHANGES_MAX = 3
const PAUSES_MS = [500, 2_000]

/** An answer beyond this is given up. A list has pages of some 100 KB; a report by key may have some megabytes. */
const MIB = 1024 * 1024
const ANSWER_BYTES_MAX = 32 * MIB

/** Failures before anything was sent: nobody answers at the address, or not who should. */
const NOT_SENT = new Set([
  'ECONNREFUSED',
  'ConnectionRefused',
  'FailedToOpenSocket',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
])
const NOT_TRUSTED = /CERT|SELF_SIGNED|TLS|SSL/
/** What proxies say in place of an answer that did not come. */
const ANSWERED_FOR_OTHERS = new Set([502, 503, 504])

export interface Outgoing {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
  /** What to do when a change was sent and no answer came, in a sentence; absent: it only reads. */
  readonly remedy?: string
}

export interface Received {
  readonly status: number
  readonly text: string
}

export type Fetch = (request: Request) => Promise<Response>

/**
 * Sends a request to an admin API. A change is repeated where its answer is lost: it carries its own Idempotency-Key, or
 * does no harm twice. Throws `CommandFailure` that says whether it may have been done.
 */
export async function exchange(
  outgoing: Outgoing,
  fetch: Fetch,
  sleep: (ms: number) => Promise<void>,
): Promise<Received> {
  const { url, remedy } = outgoing
  for (let sent = 1; ; sent++) {
    const outcome = await sendOnce(outgoing, fetch)
    if (outcome.kind === 'received') return outcome.received
    const { reason, cause } = outcome
    if (outcome.kind === 'not_sent' && sent === 1) {
      throw new CommandFailure(`cannot reach ${url.origin}: ${reason}`, { cause })
    }
    if (remedy === undefined) {
      throw new CommandFailure(`no response from ${url.origin}: ${reason}`, { cause })
    }
    if (sent >= CHANGES_MAX) {
      const message = `sent to ${url.origin}, but no response came (${reason}): the change may have been made. ${remedy}`
      throw new CommandFailure(message, { cause })
    }
    await sleep(PAUSES_MS[sent - 1] ?? 0)
  }
}

type Outcome =
  | { readonly kind: 'received'; readonly received: Received }
  | { readonly kind: 'not_sent' | 'lost'; readonly reason: string; readonly cause?: unknown }

async function sendOnce({ url, method, headers, body, remedy }: Outgoing, fetch: Fetch): Promise<Outcome> {
  const timeoutMs = remedy === undefined ? READ_TIMEOUT_MS : CHANGE_TIMEOUT_MS
  const request = new Request(url.href, {
    method,
    headers,
    ...(body === undefined ? {} : { body }),
    // The token goes to the named place and nowhere else.
    redirect: 'manual',
    signal: AbortSignal.timeout(timeoutMs),
  })
  try {
    const response = await fetch(request)
    const received = { status: response.status, text: await textOf(response) }
    const isProxys = ANSWERED_FOR_OTHERS.has(received.status) && !received.text.trimStart().startsWith('{')
    if (isProxys && remedy !== undefined)
      return { kind: 'lost', reason: `a proxy answered ${received.status}` }
    return { kind: 'received', received }
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause
    return { kind: wasSent(cause) ? 'lost' : 'not_sent', reason: reasonOf(cause, timeoutMs), cause }
  }
}

/** The whole body, up to a bound: whoever answers may not be an admin API at all. */
async function textOf(response: Response): Promise<string> {
  const pieces: Uint8Array[] = []
  let bytes = 0
  for await (const piece of response.body ?? []) {
    bytes += piece.byteLength
    if (bytes > ANSWER_BYTES_MAX) {
      throw new CommandFailure(
        `the response is larger than ${ANSWER_BYTES_MAX / MIB} MiB: ask for less in one request`,
      )
    }
    pieces.push(piece)
  }
  return Buffer.concat(pieces).toString('utf8')
}

function codeOf(cause: unknown): string {
  return cause instanceof Error && 'code' in cause ? String(cause.code) : ''
}

function wasSent(cause: unknown): boolean {
  const code = codeOf(cause)
  return !NOT_SENT.has(code) && !NOT_TRUSTED.test(code)
}

/** In our words where the runtime's would puzzle: "pass `verbose: true` in the second argument to fetch()". */
function reasonOf(cause: unknown, timeoutMs: number): string {
  if (cause instanceof Error && cause.name === 'TimeoutError') return `nothing for ${timeoutMs / 1000} s`
  switch (codeOf(cause)) {
    case 'ECONNREFUSED':
    case 'ConnectionRefused':
      return 'nothing listens there'
    case 'ENOTFOUND':
      return 'the host name does not exist'
    case 'ECONNRESET':
    case 'ConnectionClosed':
      return 'the connection was closed'
    default:
      return cause instanceof Error ? cause.message : String(cause)
  }
}
