import { UpstreamError } from '../../core/failure.ts'
import { isOutOfFiles } from './outOfFiles.ts'

/** No local port is free for a further connection to this address. */
const NO_PORT = 'EADDRNOTAVAIL'

/** The error of a connection that was lost, or never made. @param cause what the runtime has thrown */
export function brokenConnection(
  { key, connecting }: { readonly key: string; readonly connecting: boolean },
  what: string,
  cause?: unknown,
): UpstreamError {
  // The runtime's: ECONNREFUSED, DEPTH_ZERO_SELF_SIGNED_CERT.
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : undefined
  const reason = cause instanceof Error ? `: ${code ?? cause.message}` : ''
  const detail = `${key}: ${what}${reason}`
  if (connecting && code === NO_PORT)
    return new UpstreamError({ kind: 'no_ports', code: 'out_of_ports', detail }, { cause })
  if (connecting && isOutOfFiles())
    return new UpstreamError({ kind: 'no_files', code: 'out_of_files', detail }, { cause })
  const unreachable = connecting && ({ unreachable: true } as const)
  return new UpstreamError(
    { kind: 'connection', code: code ?? 'connection_lost', ...unreachable, detail },
    { cause },
  )
}
