/** What a request line asks for. */
export interface Target {
  /** With its leading slash, decoded no further than the URL has it. */
  readonly path: string
  /** Without `?`. */
  readonly query: string
}

/** What follows names one model, whose id may contain slashes. */
const BEFORE_MODEL_ID = '/v1/models/'
const BEFORE_MODEL_ID_LOOSE = /^\/+v1\/+models\/+(?=[^/])/

const SLASH = 47

/**
 * Path and query of a request's URL, without the cost of parsing all of it; undefined where there is no path.
 *
 * The runtime puts scheme and `Host` before the path only where the `Host` looks like one. Without them the URL is
 * the path alone, as with HTTP/1.0, and as `authority:port` with CONNECT.
 */
export function targetOf(url: string): Target | undefined {
  const start = url.charCodeAt(0) === SLASH ? 0 : pathAfterAuthority(url)
  if (start === -1) return undefined
  const mark = url.indexOf('?', start)
  if (mark === -1) return { path: start === 0 ? url : url.slice(start), query: '' }
  return { path: url.slice(start, mark), query: url.slice(mark + 1) }
}

function pathAfterAuthority(url: string): number {
  const authority = url.indexOf('://')
  return authority === -1 ? -1 : url.indexOf('/', authority + 3)
}

/**
 * The path that was meant: without trailing slashes and without doubled ones, as clients join a base URL and a
 * path. The id of a model keeps its own.
 */
export function foldSlashes(path: string): string {
  if (!path.includes('//') && !endsInSlash(path, path.length)) return path
  let end = path.length
  while (endsInSlash(path, end)) end--
  const trimmed = path.slice(0, end)
  const beforeModelId = BEFORE_MODEL_ID_LOOSE.exec(trimmed)
  if (beforeModelId) return BEFORE_MODEL_ID + trimmed.slice(beforeModelId[0].length)
  return trimmed.replaceAll(/\/{2,}/g, '/')
}

function endsInSlash(path: string, end: number): boolean {
  return end > 1 && path.charCodeAt(end - 1) === SLASH
}
