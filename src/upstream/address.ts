import { RecentMap } from '../core/recent.ts'
import type { ConfiguredProvider } from '../providers/configured.ts'

/**
 * Where calls to a provider go, and with which headers: for calls that are alike the same objects, so that the client reads
 * them once.
 */

/** Of a provider: a path for each kind of call, and where paths name models, for each model. */
const URLS_MAX = 256

const urls = new WeakMap<ConfiguredProvider, RecentMap<string, URL>>()

/** The base URL with the request's path, and whatever the configuration adds to every call's query. It is never changed. */
export function urlOf(provider: ConfiguredProvider, path: string): URL {
  let known = urls.get(provider)
  if (!known) urls.set(provider, (known = new RecentMap(URLS_MAX)))
  let url = known.get(path)
  if (!url) known.set(path, (url = readUrl(provider, path)))
  return url
}

function readUrl({ provider, query }: ConfiguredProvider, path: string): URL {
  const url = new URL(provider.baseUrl + path)
  for (const name in query) url.searchParams.set(name, query[name] ?? '')
  return url
}

type Headers = Readonly<Record<string, string>>

/** Of a provider: versions and betas of its format that callers ask for, for streams and for whole answers. */
const HEADERS_MAX = 128

const written = new WeakMap<ConfiguredProvider, RecentMap<string, Headers>>()

/**
 * All headers but those that authenticate the call; lower-case names. Frozen, and the same for calls that are alike.
 *
 * @param own of this request
 */
export function plainHeaders(provider: ConfiguredProvider, stream: boolean, own: Headers): Headers {
  let known = written.get(provider)
  if (!known) written.set(provider, (known = new RecentMap(HEADERS_MAX)))
  const name = (stream ? 'stream' : 'whole') + JSON.stringify(own)
  let headers = known.get(name)
  if (!headers) known.set(name, (headers = Object.freeze({ ...writeHeaders(provider, stream), ...own })))
  return headers
}

function writeHeaders({ headers }: ConfiguredProvider, stream: boolean): Record<string, string> {
  return {
    'content-type': 'application/json',
    accept: stream ? 'text/event-stream' : 'application/json',
    'user-agent': 'tollgate',
    ...headers,
  }
}
