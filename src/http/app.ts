import { Hono } from 'hono'
import { ERRORS, GatewayError, refuse, type Refusal } from '../core/error.ts'
import type { RequestId } from '../core/id.ts'
import { createLocalOperations } from '../operations/localOperations.ts'
import type { Acting } from '../operations/act.ts'
import { prefersHtml } from './accept.ts'
import { ADMIN_PATH, adminEndpoints } from './admin/endpoints.ts'
import { authorizeAdmin, carriesToken } from './admin/authorize.ts'
import type { AppDeps } from './deps.ts'
import { dataPlaneRoutes } from './docs/dataPlaneRoutes.ts'
import { pageEndpoints } from './docs/endpoints.ts'
import type { Call, Endpoint } from './endpoint.ts'
import { callerAddress, contains, isInsider } from './insider.ts'
import { machineEndpoints } from './machineEndpoints.ts'
import { notFoundPage } from './notFoundPage.ts'
import { createListing, publicEndpoints } from './public/endpoints.ts'
import { createRepresent } from './representation.ts'
import { html, refusalOf, refusalResponse } from './respond.ts'
import { foldSlashes, type Target, targetOf } from './target.ts'

/** Stands for ours where a URL is needed: what a caller's `Host` makes of one may be none. */
const ORIGIN = 'http://gateway'

/** Answers every request that is not for `/v1`. */
export interface App {
  fetch(request: Request, from?: From): Response | Promise<Response>
}

/** Where a request comes from. */
export interface From {
  /** Of the other end of the connection. Default: unknown, and so a stranger's. */
  readonly address?: string | undefined
  /** It came to the address that only insiders can reach. */
  readonly inside?: boolean
}

/** The app beside the data plane: admin API, public prices, documentation, health. */
export function createApp(deps: AppDeps): App {
  const listing = createListing(deps)
  const endpoints = [
    ...publicEndpoints(listing),
    ...adminEndpoints(createLocalOperations(deps)),
    ...machineEndpoints(deps),
  ]
  const described = () => [...dataPlaneRoutes(deps.dataPlane), ...endpoints.map((endpoint) => endpoint.route)]
  const all = [...endpoints, ...pageEndpoints({ ...deps, listing, described })]

  const app = new Hono<{
    Variables: { requestId: RequestId; by?: Acting; stillAdmitted?: () => Promise<void> }
    Bindings: From
  }>({
    getPath: pathOf,
  })
  app.use(async (context, next) => {
    context.set('requestId', deps.ids.request())
    await next()
    context.header('X-Request-ID', context.get('requestId'))
  })
  // Before anything is parsed, and for unknown paths too: strangers learn nothing here.
  app.use(`${ADMIN_PATH}/*`, async (context, next) => {
    const { raw: request } = context.req
    const visitor = { address: context.env.address, headers: request.headers }
    const address = callerAddress(visitor, deps.proxies)
    const authorize = () =>
      authorizeAdmin(request, { address, requestId: context.get('requestId') }, deps.door)
    context.set('by', await authorize())
    context.set('stillAdmitted', async () => void (await authorize()))
    await next()
  })
  for (const endpoint of all) {
    const { method, path } = endpoint.route
    app.on(method.toUpperCase(), honoPath(path), (context) =>
      endpoint.handle({
        request: context.req.raw,
        params: context.req.param(),
        query: queryOf(context.req.raw),
        insider: isInside(context.req.raw, context.env, deps),
        viaProxy: contains(deps.proxies.trusted(), context.env.address),
        by: context.get('by'),
        stillAdmitted: context.get('stillAdmitted') ?? (() => Promise.resolve()),
      } satisfies Call),
    )
  }
  app.notFound((context) => refused(context.req, unmatched(all, context.req.method, context.req.path)))
  app.onError((error, context) => {
    const refusal = refusalOf(error)
    if (!(error instanceof GatewayError)) deps.reportError(error, context.get('requestId'))
    return refused(context.req, refusal)
  })
  const represent = createRepresent(deps.hash)
  async function answer(request: Request, from: From): Promise<Response> {
    return represent(request, await app.fetch(request, from))
  }
  return {
    fetch: (request, from = {}) =>
      request.method === 'HEAD' ? head(request, (get) => answer(get, from)) : answer(request, from),
  }
}

/** Below these paths there is nothing for people. */
const FOR_PROGRAMS = /^\/(?:api|v1)(?:\/|$)/

/** A browser gets a page where there is none, all others the error of the API. */
function refused({ raw: request, path }: { readonly raw: Request; readonly path: string }, refusal: Refusal) {
  if (refusal.code !== 'not_found' || FOR_PROGRAMS.test(path) || !prefersHtml(request.headers.get('accept')))
    return refusalResponse(refusal)
  return html(notFoundPage(refusal.message), ERRORS[refusal.code].status, { 'Cache-Control': 'no-store' })
}

/** The token of the metrics, where there is one, else this machine. */
function isInside(request: Request, { address, inside = false }: From, deps: AppDeps): boolean {
  if (inside) return true
  const token = deps.metricsToken()
  if (token !== undefined) return carriesToken(request, token, deps.hash)
  return isInsider({ address, headers: request.headers }, deps.proxies.trusted())
}

/** Answers as for GET, with the length that GET would have. */
async function head(request: Request, answer: (get: Request) => Promise<Response>): Promise<Response> {
  const response = await answer(asGet(request))
  const { status, headers } = response
  if (status !== 304) headers.set('Content-Length', String((await response.arrayBuffer()).byteLength))
  return new Response(null, { status, headers })
}

function asGet(request: Request): Request {
  const { path, query } = asked(request)
  return new Request(`${ORIGIN}${path}?${query}`, { headers: request.headers })
}

/** A request without a path comes no further than the server. */
function asked(request: Request): Target {
  return targetOf(request.url) ?? { path: '/', query: '' }
}

/** The framework's own reading of the URL needs scheme and host before the path. */
function pathOf(request: Request): string {
  return foldSlashes(asked(request).path)
}

/** Of a repeated parameter the first. */
function queryOf(request: Request): Record<string, string> {
  const { query } = asked(request)
  const parameters: Record<string, string> = {}
  for (const [name, value] of new URLSearchParams(query)) parameters[name] ??= value
  return parameters
}

/** `/keys/{id}` → `/keys/:id` */
function honoPath(path: string): string {
  return path.replace(/\{(\w+)\}/g, ':$1')
}

/** 405 when the path exists under another method, else 404. */
function unmatched(endpoints: readonly Endpoint[], method: string, path: string): Refusal {
  const methods = new Set<string>()
  for (const { route } of endpoints) {
    if (!pathPattern(route.path).test(path)) continue
    methods.add(route.method.toUpperCase())
    if (route.method === 'get') methods.add('HEAD')
  }
  if (methods.size === 0) return refuse('not_found', 'There is nothing at this path.')
  const allow = [...methods].sort().join(', ')
  const message = `${method} is not allowed here. Allowed: ${allow}.`
  return refuse('method_not_allowed', message, { headers: { Allow: allow } })
}

function pathPattern(path: string): RegExp {
  const source = path.replace(/[.]/g, '\\.').replace(/\{\w+\}/g, '[^/]+')
  return new RegExp(`^${source}/?$`)
}
