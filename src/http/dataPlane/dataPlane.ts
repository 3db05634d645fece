import { ERRORS, GatewayError, errorBody, refuse, type Refusal } from '../../core/error.ts'
import { UpstreamError } from '../../core/failure.ts'
import { printableStart } from '../../core/printable.ts'
import { admitWithoutHold } from '../../pipeline/admit/admit.ts'
import type { Caller } from '../../pipeline/authenticate/caller.ts'
import type { Credentials, Incoming } from '../../pipeline/authenticate/incoming.ts'
import type { PipelineDeps } from '../../pipeline/deps.ts'
import type { RefusalKeeper } from '../../pipeline/refusalKeeper.ts'
import type { Exchange } from '../../pipeline/reply.ts'
import { CLIENT_LEFT_STATUS } from '../../pipeline/settle/outcome.ts'
import { corsHeaders, preflight } from '../cors.ts'
import { bodyBytesOf, readBody } from '../requestBody.ts'
import { refusalOf } from '../respond.ts'
import { STREAM_HEADERS, streamResponse } from '../streamResponse.ts'
import { type BodyCall, type DataPlaneEndpoint, type EndpointFormat, formatFor } from './endpoint.ts'
import { forAnthropic } from './forAnthropic.ts'
import { whyNotHere } from './notHere.ts'
import { createRoutes, type RoutedPath } from './routes.ts'

export interface DataPlaneDeps {
  readonly pipeline: PipelineDeps
  readonly endpoints: readonly DataPlaneEndpoint[]
  readonly maxBodyBytes: () => number
  readonly corsOrigins: () => readonly string[]
  /** Set while the process drains: new requests get 503. */
  readonly draining: () => boolean
  /** Receives every error that is a bug or an outage of the gateway. */
  readonly reportError: (error: unknown, requestId: string) => void
  /** Receives every answer's status, and its endpoint: one of few names, whatever paths callers think of. */
  readonly onAnswer: (endpoint: string, status: number) => void
  /** Keeps refusals, so that they can be explained. */
  readonly refusals: Pick<RefusalKeeper, 'refused'>
}

/** Everything under `/v1`: what the contract promises to callers with a key. */
export interface DataPlane {
  /** Paths of calls that cost money: nearly every request is for one of them. */
  readonly pricedPaths: readonly string[]
  /** @param path decoded no further than the URL has it; @param query without `?` */
  handle(request: Request, path: string, query: string, connection: Connection): Promise<Response>
}

/** The caller's connection: its idle timeout, and where it comes from. */
export interface Connection {
  /** A call is under way: it is idle as long as its provider needs; the timeouts of the call end it. */
  forAnswer(): void
  /** The answer is out: the timeout is that of any connection that rests. */
  rest(): void
  /** The address at its other end, a proxy's where there is one; null when that is not known any more. */
  address(): string | null
}

/** Waits longer than this are not worth an SDK's automatic retry. */
const RETRY_WORTHWHILE_SECONDS = 60

interface Call {
  readonly request: Request
  readonly path: string
  readonly query: string
  readonly exchange: Exchange
  readonly connection: Connection
}

export function createDataPlane(deps: DataPlaneDeps): DataPlane {
  const { pipeline, endpoints } = deps
  const { ids } = pipeline
  const find = createRoutes(endpoints)

  async function handle(
    request: Request,
    path: string,
    query: string,
    connection: Connection,
  ): Promise<Response> {
    const origin = request.headers.get('origin')
    const cors = origin === null ? undefined : corsHeaders(origin, deps.corsOrigins())
    if (request.method === 'OPTIONS' && origin !== null) {
      return preflight(cors, request.headers.get('access-control-request-headers'), ids.request())
    }
    const routed = find(path)
    const usual = routed?.endpoints[0]
    const format = formatFor(usual ?? UNKNOWN_PATH, request.headers)
    const exchange: Exchange = {
      id: ids.request(usual?.idPrefix),
      idHeader: format.idHeader,
      rate: undefined,
      headers: origin === null ? {} : { vary: 'Origin', ...cors },
      caller: undefined,
      model: undefined,
      holds: false,
    }
    let response: Response
    let left = false
    try {
      response = await answer(routed, { request, path, query, exchange, connection })
    } catch (error) {
      left = request.signal.aborted
      const expected = error instanceof GatewayError || (left && error instanceof UpstreamError)
      if (!expected) deps.reportError(error, exchange.id)
      connection.rest()
      const refusal = refusalOf(error)
      if (!left) deps.refusals.refused(exchange, refusal, connection.address)
      response = errorResponse(refusal, exchange, format.encodeError)
    }
    deps.onAnswer(usual?.path ?? 'unknown', left ? CLIENT_LEFT_STATUS : response.status)
    return response
  }

  async function answer(routed: RoutedPath | undefined, call: Call): Promise<Response> {
    if (deps.draining()) throw new GatewayError(DRAINING)
    const endpoint = routed?.endpoints.find(({ method }) => takes(method, call.request.method))
    const answering = endpoint && formatFor(endpoint, call.request.headers).answer
    if (answering && answering.kind !== 'counted') return bodyAnswer(answering.call, call)
    // Requests that hold nothing count against the limits too, even with an unknown path or a wrong method.
    const caller = await admit(call)
    if (wantsWebSocket(call.request)) throw new GatewayError(NO_WEBSOCKETS)
    const notHere = whyNotHere(call.request.method, call.path)
    if (notHere) throw new GatewayError(notHere)
    if (!routed) throw noEndpoint(call.path)
    if (!answering) throw methodNotAllowed(routed, call.request.method)
    const { query, exchange } = call
    const described = { caller, params: routed.params, query, exchange, deps: pipeline }
    const body = JSON.stringify(await answering.describe(described))
    return wholeResponse({ contentType: 'application/json', body }, exchange)
  }

  async function admit({ request, exchange }: Call): Promise<Caller> {
    const caller = await pipeline.authenticator.authenticate(credentialsOf(request))
    exchange.caller = caller
    await admitWithoutHold(pipeline, caller, exchange, pipeline.now())
    return caller
  }

  async function bodyAnswer(answerTo: BodyCall, call: Call): Promise<Response> {
    const { exchange, connection } = call
    const reply = await answerTo(exchange, incomingOf(call), pipeline)
    if (reply.kind === 'stream') return streamResponse(reply.body, headersOf(exchange), connection.rest)
    connection.rest()
    return wholeResponse(reply, exchange)
  }

  function incomingOf({ request, path, exchange, connection }: Call): Incoming {
    const idempotencyKey = request.headers.get('idempotency-key')
    return {
      credentials: credentialsOf(request),
      headers: request.headers,
      idempotencyKey,
      bodyBytes: bodyBytesOf(request),
      async body({ take, hasRoom }) {
        const body = await readBody(request, {
          bytesMax: deps.maxBodyBytes(),
          take,
          hasRoom,
          hashed: idempotencyKey === null ? undefined : purposeOf(path),
          ownTurn: pipeline.ownTurn,
        })
        // They hold as well where a window refuses the request first.
        if (!body.ok) Object.assign(exchange.headers, body.refusal.headers)
        connection.forAnswer()
        return body
      },
      signal: request.signal,
    }
  }

  const pricedPaths = endpoints.filter(({ answer }) => answer.kind === 'priced').map(({ path }) => path)
  return { pricedPaths, handle }
}

function credentialsOf({ headers }: Request): Credentials {
  return { authorization: headers.get('authorization'), apiKey: headers.get('x-api-key') }
}

/** How an unknown path is refused: every client gets the words of its format. */
const UNKNOWN_PATH: EndpointFormat & Pick<DataPlaneEndpoint, 'otherFormats'> = {
  encodeError: errorBody,
  answer: { kind: 'counted', describe: () => null },
  otherFormats: [forAnthropic(() => null)],
}

/** Clients add the version themselves to a base URL that has it already. */
const TWICE = /^\/v1\/v1\//

function noEndpoint(path: string): GatewayError {
  const hint = TWICE.test(path) ? ' Take `/v1` off the base URL.' : ''
  return new GatewayError(refuse('not_found', `There is no endpoint ${printableStart(path)}.${hint}`))
}

/** Answers that were kept by versions with one such endpoint were kept without a name for it. */
const WITHOUT_PURPOSE = '/v1/chat/completions'

/** The same Idempotency-Key at another endpoint is for another request. */
function purposeOf(path: string): string {
  return path === WITHOUT_PURPOSE ? '' : `${path}\n`
}

/** HEAD is GET without a body (RFC 9110, section 9.3.2). */
function takes(method: string, asked: string): boolean {
  return asked === method || (asked === 'HEAD' && method === 'GET')
}

function methodNotAllowed({ endpoints }: RoutedPath, asked: string): GatewayError {
  const methods = endpoints.map(({ method }) => method)
  const allow = methods.flatMap((method) => (method === 'GET' ? [method, 'HEAD'] : [method])).join(', ')
  const message = `${asked} is not allowed here; use ${methods.join(' or ')}.`
  return new GatewayError(refuse('method_not_allowed', message, { headers: { allow } }))
}

/** Codex asks for one first; this status lets it go on without at once. Other upgrades are offers, which may be ignored. */
function wantsWebSocket({ headers }: Request): boolean {
  return headers.get('upgrade')?.toLowerCase() === 'websocket'
}

const NO_WEBSOCKETS = refuse(
  'upgrade_required',
  'This server has no WebSockets. Send an ordinary request, with "stream": true for a stream.',
  { headers: { upgrade: 'HTTP/1.1', connection: 'upgrade' } },
)

const DRAINING = refuse('service_unavailable', 'This server is shutting down. Retry now.', {
  retryAfterSeconds: 1,
})

function wholeResponse(
  { contentType, body }: { contentType: string; body: string },
  exchange: Exchange,
): Response {
  const headers = headersOf(exchange)
  headers['content-type'] = contentType
  headers['x-content-type-options'] = 'nosniff'
  // The kept answer of a stream.
  if (contentType.startsWith('text/event-stream')) Object.assign(headers, STREAM_HEADERS)
  return new Response(body, { headers })
}

function errorResponse(
  refusal: Refusal,
  exchange: Exchange,
  encode: EndpointFormat['encodeError'],
): Response {
  const headers = headersOf(exchange)
  headers['content-type'] = 'application/json'
  headers['x-content-type-options'] = 'nosniff'
  Object.assign(headers, refusal.headers)
  const wait = refusal.retryAfterSeconds
  if (wait !== undefined) headers['retry-after'] = String(wait)
  const again = shouldRetry(refusal)
  if (again !== undefined) headers['x-should-retry'] = String(again)
  return new Response(JSON.stringify(encode(refusal, exchange.id)), {
    status: ERRORS[refusal.code].status,
    headers,
  })
}

/**
 * Whether SDKs should retry: by the status alone they would repeat a 409, and no 402 that only waits for other calls.
 * Undefined where the status says enough.
 */
function shouldRetry({ code, retryAfterSeconds: wait }: Refusal): boolean | undefined {
  if (wait !== undefined) return wait <= RETRY_WORTHWHILE_SECONDS
  return ERRORS[code].retryable ? undefined : false
}

function headersOf({ id, idHeader, rate, headers }: Exchange): Record<string, string> {
  headers['x-request-id'] = id
  if (idHeader !== undefined) headers[idHeader] = id
  if (rate) {
    headers['x-ratelimit-limit'] = String(rate.limit)
    headers['x-ratelimit-remaining'] = String(rate.remaining)
    headers['x-ratelimit-reset'] = String(Math.ceil(rate.resetAt / 1000))
  }
  return headers
}
