import { printableStart } from '../core/printable.ts'
import { type Verdict, verdictOn } from './postgresParameters.ts'

/**
 * A Postgres URL in the one form that our client reads: with one host, and with no parameter that it or the server would
 * misunderstand. What need not change stays as it was written. A string instead says what is wrong, without the URL and
 * its values: they may hold a password.
 */
export function readPostgresUrl(written: string): { readonly url: string } | string {
  const [whole, query = ''] = splitOnce(written, '?')
  const parameters = query.split('&').filter((pair) => pair !== '')
  if (!isEncoded(whole)) return `has a "%" that encodes nothing; ${ENCODE}`
  if (hasStrayAt(whole, parameters)) return `has an "@" that is not the one before the host; ${ENCODE}`
  if (hostsOf(whole).includes(',') || parameters.some((pair) => isListOfHosts(parameterOf(pair)))) {
    return 'names several hosts, but only one is allowed: use a DNS name or a pooler that follows the primary'
  }
  const url = withHost(whole, parameters)
  if (!URL.canParse(url) || !HOST.test(hostsOf(url)))
    return `must be a URL such as postgres://user@host/database; ${ENCODE}`

  const names = new Set(parameters.map((pair) => parameterOf(pair).name))
  const kept: string[] = []
  const moved: Moved[] = []
  for (const pair of parameters) {
    const { name, value } = parameterOf(pair)
    const verdict = verdictOn(name, value)
    if (verdict.kind === 'refused') return `has the parameter "${printableStart(name)}", which ${verdict.why}`
    if (verdict.kind === 'kept') kept.push(pair)
    // `sslmode=verify-full&ssl=true` asks for both: what is said more exactly stays.
    if (verdict.kind === 'replaced' && !names.has(verdict.by))
      kept.push(`${verdict.by}=${encodeURIComponent(verdict.value)}`)
    if (verdict.kind === 'moved') moved.push({ to: verdict.to, value })
  }
  const place = moved.length === 0 ? url : withMoved(url, moved)
  return { url: kept.length === 0 ? place : `${place}?${kept.join('&')}` }
}

const ENCODE =
  'special characters of the user and the password are percent-encoded (%40 for @, %2F for /, %25 for %)'

function isEncoded(url: string): boolean {
  try {
    decodeURIComponent(url)
    return true
  } catch (error) {
    if (error instanceof URIError) return false
    throw error
  }
}

/**
 * Whether a user or a password holds an `@` that is not encoded. A `/`, `?` or `#` in it then ends the host, and a part of
 * the password would be looked up as the host. The value of a parameter may hold an `@`, as in `user=me@server`; beyond
 * that, a `/` behind it where the database should be is the rest of a password.
 */
function hasStrayAt(whole: string, parameters: readonly string[]): boolean {
  const [authority, path] = splitOnce(whole.replace('postgres://', ''), '/')
  if (path?.includes('@') ?? false) return true
  if ([authority, ...parameters].some((part) => /#.*@/.test(part))) return true
  const names = parameters.map((pair) => splitOnce(pair, '=')[0])
  if (names.some((name) => name.includes('@'))) return true
  return path === undefined && parameters.some((pair) => /@[^/]*\//.test(pair))
}

/** A name, an address or an encoded folder of a socket, and a port. */
const HOST = /^(?:\[[\da-f:.%]+\]|[^\s!"#$&'()*+;<=>@[\\\]^`{|}]*?)(?::\d*)?$/i

interface Moved {
  readonly to: Extract<Verdict, { kind: 'moved' }>['to']
  readonly value: string
}

/** Between the user and the path: `h1:5432,h2` is no URL, but libpq takes it. */
function hostsOf(url: string): string {
  const [authority = ''] = url.replace('postgres://', '').split('/')
  return authority.slice(authority.lastIndexOf('@') + 1)
}

function isListOfHosts({ name, value }: Parameter): boolean {
  return ['host', 'hostaddr', 'port'].includes(name) && value.includes(',')
}

/** Who names one of these behind may leave out the host before; but a URL has no user and no port without one. */
const WITHOUT_HOST = new Set(['host', 'user', 'password', 'port'])

/** `postgres://user:password@/database?host=/directory` becomes a URL. */
function withHost(url: string, parameters: readonly string[]): string {
  if (hostsOf(url) !== '' || !parameters.some((pair) => WITHOUT_HOST.has(parameterOf(pair).name))) return url
  const [authority, path] = splitOnce(url.replace('postgres://', ''), '/')
  return `postgres://${authority}localhost${path === undefined ? '' : `/${path}`}`
}

interface Parameter {
  readonly name: string
  readonly value: string
}

/** In a URL of a database a plus sign is itself. */
function parameterOf(pair: string): Parameter {
  const [[name, value] = ['', '']] = new URLSearchParams(pair.replaceAll('+', '%2B'))
  return { name, value }
}

/** The parameters of libpq beat what stands before them. */
function withMoved(text: string, moved: readonly Moved[]): string {
  const url = new URL(text)
  for (const { to, value } of moved) {
    if (to === 'port') url.port = value
    else url[to] = encodeURIComponent(value)
  }
  return url.href
}

function splitOnce(text: string, sign: string): [string, string?] {
  const at = text.indexOf(sign)
  return at === -1 ? [text] : [text.slice(0, at), text.slice(at + 1)]
}
