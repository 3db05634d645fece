import { ERRORS, GatewayError, errorBody, refuse, type Refusal } from '../core/error.ts'
import { UpstreamError } from '../core/failure.ts'
import type { Json } from '../core/json.ts'
import { printableStart } from '../core/printable.ts'
import { requestIdOf, unknownId } from '../operations/id.ts'
import { receiptDetailView } from '../operations/receipt.ts'
import { describeCredits, describeKey } from '../pipeline/account.ts'
import { admitWithoutHold } from '../pipeline/admit/admit.ts'
import type { Caller } from '../pipeline/authenticate/caller.ts'
import { chatIn } from '../pipeline/chat/chat.ts'
import { pricedCall } from '../pipeline/pricedCall.ts'
import type { PipelineDeps } from '../pipeline/deps.ts'
import type { RefusalKeeper } from '../pipeline/refusalKeeper.ts'
import { deprecationHeaders, describeModel, listModels, retrieveModel } from '../pipeline/plan/models.ts'
import { CLIENT_LEFT_STATUS } from '../pipeline/settle/outcome.ts'
import type { Exchange } from '../pipeline/reply.ts'
import type { CallerCodec } from '../wire/wire.ts'
import { corsHeaders, preflight } from './cors.ts'
import { bodyBytesOf, readBody } from './requestBody.ts'
import { refusalOf } from './respond.ts'
import { streamResponse } from './streamResponse.ts'

export interface DataPlaneDeps {
  readonly pipeline: PipelineDeps
  /** The wire format that callers speak. */
  readonly server: CallerCodec
  readonly maxBodyBytes: () => number
  readonly corsOrigins: () => readonly string[]
  /** Set while the process drains: new requests get 503. */
  readonly draining: () => boolean
  /** Hears of every error that is a bug or an outage of ours. */
  readonly reportError: (error: unknown, requestId: string) => void
  /** Hears of every answer's status, and of its endpoint: one of few names, whatever paths callers think of. */
  readonly onAnswer: (endpoint: string, status: number) => void
  /** Keeps refusals, so that they can be explained. */
  readonly refusals: Pick<RefusalKeeper, 'refused'>
}

/** Everything under `/v1`: what the contract promises to callers with a key. */
export interface DataPlane {
  /** @param path decoded no further than the URL has it; @param query without `?` */
  handle(request: Request, path: string, query: string, connection: Connection): Promise<Response>
}

/** The caller's connection: how long the runtime bears with its silence, and where it comes from. */
export interface Connection {
  /** A call is under way: as long as its provider needs; our own timeouts end it. */
  forAnswer(): void
  /** The answer is out: no longer than with any connection that rests. */
  rest(): void
  /** The address at its other end, a proxy's where there is one; null when that is not known any more. */
  address(): string | null
}

/** Waits longer than this are not worth an SDK's automatic retry. */
const RETRY_WORTHWHILE_SECONDS = 60

interface Endpoint {
  readonly method: 'GET' | 'POST'
  readonly path: string
  answer(call: Call): Promise<Response>
}

interface Call {
  readonly request: Request
  readonly path: string
  readonly query: string
  readonly exchange: Exchange
  readonly connection: Connection
}

const CHAT_PATH = '/v1/chat/completions'
const MODELS_PATH = '/v1/models'

/** `endpoints`: every path that it answers, and by which method; HEAD goes with GET. */
export function createDataPlane(
  deps: DataPlaneDeps,
): DataPlane & { readonly endpoints: readonly { readonly method: string; readonly path: string }[] } {
  const { pipeline } = deps
  const chatEndpoint = chatIn(deps.server)
  const endpoints: readonly Endpoint[] = [
    { method: 'POST', path: CHAT_PATH, answer: chat },
    { method: 'GET', path: MODELS_PATH, answer: counted(models) },
    { method: 'GET', path: '/v1/key', answer: counted((caller) => describeKey(caller, pipeline)) },
    { method: 'GET', path: '/v1/credits', answer: counted((caller) => describeCredits(caller, pipeline)) },
    { method: 'GET', path: '/v1/generation', answer: counted(generation) },
  ]
  const oneModel: Endpoint = { method: 'GET', path: `${MODELS_PATH}/`, answer: counted(model) }

  async function handle(
    request: Request,
    path: string,
    query: string,
    connection: Connection,
  ): Promise<Response> {
    const origin = request.headers.get('origin')
    const cors = origin === null ? undefined : corsHeaders(origin, deps.corsOrigins())
    const { ids } = pipeline
    if (request.method === 'OPTIONS' && origin !== null) {
      return preflight(cors, request.headers.get('access-control-request-headers'), ids.request())
    }
    const exchange: Exchange = {
      id: path === CHAT_PATH ? ids.completion() : ids.request(),
      rate: undefined,
      headers: { ...cors },
      caller: undefined,
      model: undefined,
      holds: false,
    }
    let response: Response
    let left = false
    try {
      response = await route({ request, path, query, exchange, connection })
    } catch (error) {
      left = request.signal.aborted
      const expected = error instanceof GatewayError || (left && error instanceof UpstreamError)
      if (!expected) deps.reportError(error, exchange.id)
      connection.rest()
      const refusal = refusalOf(error)
      if (!left) deps.refusals.refused(exchange, refusal, connection.address)
      response = errorResponse(refusal, exchange)
    }
    deps.onAnswer(nameOf(path), left ? CLIENT_LEFT_STATUS : response.status)
    return response
  }

  function nameOf(path: string): string {
    if (endpoints.some((endpoint) => endpoint.path === path)) return path
    return path.startsWith(oneModel.path) ? `${oneModel.path}{model_id}` : 'unknown'
  }

  async function route(call: Call): Promise<Response> {
    if (deps.draining()) throw new GatewayError(DRAINING)
    const { request, path } = call
    for (const endpoint of endpoints) {
      if (endpoint.path !== path) continue
      return takes(endpoint, request.method) ? endpoint.answer(call) : refuseMethod(call, endpoint)
    }
    if (path.startsWith(oneModel.path) && path.length > oneModel.path.length) {
      return takes(oneModel, request.method) ? oneModel.answer(call) : refuseMethod(call, oneModel)
    }
    await admit(call)
    throw new GatewayError(refuse('not_found', `There is no endpoint ${printableStart(path)}.`))
  }

  function authenticate(request: Request): Promise<Caller> {
    return pipeline.authenticator.authenticate(request.headers.get('authorization'))
  }

  /** Requests that hold nothing count against the limits too, even with an unknown path or a wrong method. */
  async function admit({ request, exchange }: Call): Promise<Caller> {
    const caller = await authenticate(request)
    exchange.caller = caller
    await admitWithoutHold(pipeline, caller, exchange, pipeline.now())
    return caller
  }

  async function refuseMethod(call: Call, { method }: Endpoint): Promise<never> {
    await admit(call)
    const { request } = call
    const allow = method === 'GET' ? 'GET, HEAD' : method
    throw new GatewayError(
      refuse('method_not_allowed', `${request.method} is not allowed here; use ${method}.`, {
        headers: { allow },
      }),
    )
  }

  async function chat({ request, exchange, connection }: Call): Promise<Response> {
    const idempotencyKey = request.headers.get('idempotency-key')
    const reply = await pricedCall(
      chatEndpoint,
      exchange,
      {
        authorization: request.headers.get('authorization'),
        idempotencyKey,
        bodyBytes: bodyBytesOf(request),
        async body({ take, hasRoom }) {
          const body = await readBody(request, {
            bytesMax: deps.maxBodyBytes(),
            take,
            hasRoom,
            hashed: idempotencyKey !== null,
            ownTurn: pipeline.ownTurn,
          })
          // They hold as well where a window refuses the request first.
          if (!body.ok) Object.assign(exchange.headers, body.refusal.headers)
          connection.forAnswer()
          return body
        },
        signal: request.signal,
      },
      pipeline,
    )
    if (reply.kind === 'stream') return streamResponse(reply.body, headersOf(exchange), connection.rest)
    connection.rest()
    return wholeResponse(reply, exchange)
  }

  /** An endpoint that answers with JSON and is counted before it looks at anything but the key. */
  function counted(
    describe: (caller: Caller, call: Call) => Json | Promise<Json>,
  ): (call: Call) => Promise<Response> {
    return async (call) => {
      const caller = await admit(call)
      const body = JSON.stringify(await describe(caller, call))
      return wholeResponse({ contentType: 'application/json', body }, call.exchange)
    }
  }

  function models(caller: Caller): Json {
    return listModels(caller, pipeline.catalog(), pipeline.now())
  }

  function model(caller: Caller, { path, exchange }: Call): Json {
    const name = decodeName(path.slice(oneModel.path.length))
    exchange.model = name
    const found = retrieveModel(name, caller, pipeline.catalog(), pipeline.now())
    Object.assign(exchange.headers, deprecationHeaders(found))
    return describeModel(found)
  }

  async function generation(caller: Caller, { query }: Call): Promise<Json> {
    const id = new URLSearchParams(query).get('id') ?? ''
    if (id === '') {
      throw new GatewayError(
        refuse('invalid_request', 'The query parameter "id" is missing.', { param: 'id' }),
      )
    }
    const { books } = pipeline.store
    const receipt = await books.receipt(requestIdOf(id))
    // Of another workspace's calls nobody learns even that they exist.
    if (receipt?.workspaceId !== caller.workspace.id) throw unknownId('request', id)
    return receiptDetailView(receipt, await books.transfersOf(receipt.id))
  }

  return { endpoints: [...endpoints, { ...oneModel, path: `${oneModel.path}{model_id}` }], handle }
}

/** HEAD is GET without a body (RFC 9110, section 9.3.2). */
function takes({ method }: Endpoint, asked: string): boolean {
  return asked === method || (asked === 'HEAD' && method === 'GET')
}

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
  return new Response(body, { headers })
}

function errorResponse(refusal: Refusal, exchange: Exchange): Response {
  const headers = headersOf(exchange)
  headers['content-type'] = 'application/json'
  headers['x-content-type-options'] = 'nosniff'
  Object.assign(headers, refusal.headers)
  const wait = refusal.retryAfterSeconds
  if (wait !== undefined) headers['retry-after'] = String(wait)
  const again = shouldRetry(refusal)
  if (again !== undefined) headers['x-should-retry'] = String(again)
  return new Response(JSON.stringify(errorBody(refusal)), {
    status: ERRORS[refusal.code].status,
    headers,
  })
}

/**
 * What SDKs hear about a retry: by the status alone they would repeat a 409, and no 402 that only waits for other calls.
 * Undefined where the status says enough.
 */
function shouldRetry({ code, retryAfterSeconds: wait }: Refusal): boolean | undefined {
  if (wait !== undefined) return wait <= RETRY_WORTHWHILE_SECONDS
  return ERRORS[code].retryable ? undefined : false
}

function headersOf({ id, rate, headers }: Exchange): Record<string, string> {
  headers['x-request-id'] = id
  if (rate) {
    headers['x-ratelimit-limit'] = String(rate.limit)
    headers['x-ratelimit-remaining'] = String(rate.remaining)
    headers['x-ratelimit-reset'] = String(Math.ceil(rate.resetAt / 1000))
  }
  return headers
}

/** A model id may contain `/` and comes raw or percent-encoded; an id that cannot be decoded is just unknown. */
function decodeName(raw: string): string {
  try {
    return decodeURIComponent(raw)
  } catch {
    return raw
  }
}
