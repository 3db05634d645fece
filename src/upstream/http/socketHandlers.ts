import type { Socket, SocketHandler } from 'bun'

/** What a socket reports to whoever has it. */
export interface SocketOwner {
  /** There is a socket; with TLS its peer is not trusted yet. */
  opened(socket: Socket<SocketOwner>): void
  /** The connection stands, TLS included. */
  stands(): void
  /** The peer's certificate is not trusted. */
  refused(error: Error): void
  read(bytes: Uint8Array): void
  /** The socket takes bytes again. */
  writable(): void
  /** It is closed; with an error it was lost. */
  ended(error: Error | undefined): void
  /** One of these has thrown. */
  crash(cause: unknown): void
}

/** A throw that left a handler would leave its call without an end, or take the process with it. */
const SHARED_HANDLERS: SocketHandler<SocketOwner, 'uint8array'> = {
  binaryType: 'uint8array',
  data(socket, bytes) {
    try {
      socket.data.read(bytes)
    } catch (cause) {
      socket.data.crash(cause)
    }
  },
  drain(socket) {
    try {
      socket.data.writable()
    } catch (cause) {
      socket.data.crash(cause)
    }
  },
  close: ended,
  error: ended,
}

function ended(socket: Socket<SocketOwner>, error?: Error): void {
  try {
    socket.data.ended(error)
  } catch (cause) {
    socket.data.crash(cause)
  }
}

export const PLAIN_HANDLERS = {
  ...SHARED_HANDLERS,
  open(socket: Socket<SocketOwner>) {
    socket.data.opened(socket)
    socket.data.stands()
  },
} as SocketHandler<SocketOwner>

export const SECURE_HANDLERS = {
  ...SHARED_HANDLERS,
  open: (socket: Socket<SocketOwner>) => socket.data.opened(socket),
  handshake(socket: Socket<SocketOwner>, trusted: boolean, error: Error | null) {
    if (trusted && error === null) socket.data.stands()
    else socket.data.refused(error ?? new Error('not trusted'))
  },
} as SocketHandler<SocketOwner>
