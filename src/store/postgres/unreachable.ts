import { connect } from 'node:net'
import { SQL } from 'bun'
import { StoreUnavailable } from '../../core/ports/till.ts'
import { CONNECT_TIMEOUT_MS } from './client.ts'

/** What Bun says alike of a name that is not known, a port that is closed and a network without a way. */
const NOT_CONNECTED = new Set(['ERR_POSTGRES_CONNECTION_REFUSED', 'ERR_POSTGRES_CONNECTION_TIMEOUT'])
const DEFAULT_PORT = 5432

/**
 * An error that tells which address cannot be reached and why, where this one only says that there is no connection; any
 * other as it is. It has no user and no password. Tries the address once more.
 */
export async function sayWhyUnreachable(error: unknown, url: string): Promise<unknown> {
  const cause = error instanceof StoreUnavailable ? (error.cause ?? error) : error
  if (!(cause instanceof SQL.PostgresError) || !NOT_CONNECTED.has(cause.code)) return error
  const address = addressOf(url)
  const place = 'path' in address ? address.path : `${address.host}:${address.port}`
  const why = sentences(await tryToConnect(address))
  return new StoreUnavailable(why(place), { cause })
}

type Address = { readonly path: string } | { readonly host: string; readonly port: number }

function addressOf(url: string): Address {
  const { hostname, port: written, searchParams } = new URL(url)
  const port = Number(written) || DEFAULT_PORT
  const path = searchParams.get('path') ?? searchParams.get('socket')
  const host = path ?? searchParams.get('host') ?? decodeURIComponent(hostname)
  if (host.startsWith('/')) return { path: `${host}/.s.PGSQL.${port}` }
  return { host: host.replace(/^\[(.*)\]$/, '$1'), port }
}

/** Gives the code of the failure; undefined: it is reached now. */
function tryToConnect(address: Address): Promise<string | undefined> {
  return new Promise((resolve) => {
    const socket = connect({ ...address, timeout: CONNECT_TIMEOUT_MS })
    function end(code: string | undefined): void {
      socket.destroy()
      resolve(code)
    }
    socket.once('connect', () => end(undefined))
    socket.once('timeout', () => end('ETIMEDOUT'))
    socket.on('error', (error: NodeJS.ErrnoException) => end(error.code ?? error.message))
  })
}

function sentences(code: string | undefined): (place: string) => string {
  switch (code) {
    case undefined:
      return (place) => `${place} took the connection, and did not answer in time`
    case 'ECONNREFUSED':
      return (place) => `${place} refuses connections: no server listens there (${code})`
    case 'ENOENT':
      return (place) => `there is no socket ${place} (${code})`
    case 'ENOTFOUND':
      return (place) => `the host of ${place} is not known (${code})`
    case 'ETIMEDOUT':
      return (place) => `${place} does not answer (${code})`
    default:
      return (place) => `${place} cannot be reached (${code})`
  }
}
