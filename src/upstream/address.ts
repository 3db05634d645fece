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

const usual = {
  stream: new WeakMap<ConfiguredProvider, Headers>(),
  whole: new WeakMap<ConfiguredProvider, Headers>(),
}

/**
 * All headers but those that authenticate the call; lower-case names. Frozen where other calls have the same.
 *
 * @param own of this request
 */
export function plainHeaders(provider: ConfiguredProvider, stream: boolean, own: Headers): Headers {
  if (Object.keys(own).length > 0) return { ...writeHeaders(provider, stream), ...own }
  const known = stream ? usual.stream : usual.whole
  let headers = known.get(provider)
  if (!headers) known.set(provider, (headers = Object.freeze(writeHeaders(provider, stream))))
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
