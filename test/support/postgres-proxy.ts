import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** A bad line to a server: it cuts connections now and then, and loses what was under way on them. */
export interface BadLine extends AsyncDisposable {
  /** The server's URL by way of the line. */
  readonly url: string
  /** How many connections it has cut. */
  cuts(): number
  /** From now on it is a good line. */
  mend(): void
  /** Delivers what it holds back. */
  letGo(): void
  /** Connections that are opened from now on lead to another server. */
  leadTo(url: string): void
  close(): Promise<void>
}

/** What passes on the line. */
export interface LinePiece {
  readonly from: 'client' | 'server'
  readonly data: Buffer
  /** Of its connection, from 1 in the order in which they were opened. */
  readonly connection: number
}

/**
 * What becomes of a piece: true loses it and its connection, `swallow` loses it alone, as a network does that is down, and
 * `hold` keeps it, and all that follows it in its direction, until `letGo`.
 */
export type PieceFate = boolean | 'swallow' | 'hold'

/** @param cutsNow asked for every piece of data, in either direction */
export async function badLineTo(url: string, cutsNow: (piece: LinePiece) => PieceFate): Promise<BadLine> {
  let target = new URL(url)
  const holding = new Map<Socket, Buffer[]>()
  const sockets = new Set<Socket>()
  let cuts = 0
  let connections = 0
  let mended = false

  const server = createServer((near) => {
    const far = connect(Number(target.port), target.hostname)
    const connection = ++connections
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.setNoDelay(true)
      from.on('data', (data: Buffer) => {
        const fate = !mended && cutsNow({ from: from === near ? 'client' : 'server', data, connection })
        if (fate === 'swallow') return
        const held = holding.get(to)
        if (held) held.push(data)
        else if (fate === 'hold') holding.set(to, [data])
        else if (fate) {
          cuts++
          near.destroy()
          far.destroy()
        } else if (!to.destroyed) to.write(data)
      })
      // The other side hears of an end as of an end; what the error was matters to nobody.
      from.on('error', () => to.destroy())
      from.on('close', () => {
        sockets.delete(from)
        holding.delete(from)
        to.destroy()
      })
    }
  })
  async function close(): Promise<void> {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  }
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const line = new URL(url)
  line.port = String((server.address() as AddressInfo).port)
  return {
    url: line.href,
    cuts: () => cuts,
    mend() {
      mended = true
    },
    letGo() {
      for (const [to, pieces] of holding) if (!to.destroyed) to.write(Buffer.concat(pieces))
      holding.clear()
    },
    leadTo(other) {
      target = new URL(other)
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}
