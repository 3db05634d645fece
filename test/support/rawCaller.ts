import type { Socket } from 'bun'

/** A caller on a socket of its own that sends what a test says, byte by byte if it must. */
export interface RawCaller {
  write(bytes: string | Uint8Array): void
  /** Sends nothing more, and still reads. */
  finish(): void
  /** Stops reading: the other side's writes fill the buffers between us. */
  stopReading(): void
  readOn(): void
  /** Everything that has come so far. */
  text(): string
  /** The status codes of the answers so far, in order. */
  statuses(): number[]
  /** Resolves when the text has this in it; rejects when the connection closes without. */
  until(piece: string): Promise<string>
  readonly closed: Promise<void>
  close(): void
}

export async function rawCaller(port: number): Promise<RawCaller> {
  const closed = Promise.withResolvers<void>()
  /** What the socket has not yet taken. */
  let unsent: Buffer = Buffer.alloc(0)
  const decoder = new TextDecoder()
  let text = ''
  let over = false
  let waiting: { piece: string; resolve: (text: string) => void; reject: (error: Error) => void }[] = []

  function look(): void {
    waiting = waiting.filter(({ piece, resolve, reject }) => {
      if (text.includes(piece)) resolve(text)
      else if (over) reject(new Error(`never came: ${piece} in ${text.slice(-2_000)}`))
      else return true
      return false
    })
  }

  function send(to: Socket, bytes: Buffer): void {
    unsent = bytes.subarray(Math.max(to.write(bytes), 0))
  }

  const socket = await Bun.connect({
    hostname: '127.0.0.1',
    port,
    socket: {
      data(_, bytes) {
        text += decoder.decode(bytes, { stream: true })
        look()
      },
      drain(to) {
        if (unsent.length > 0) send(to, unsent)
      },
      close() {
        over = true
        look()
        closed.resolve()
      },
    },
  })
  return {
    write(more) {
      if (unsent.length > 0) unsent = Buffer.concat([unsent, Buffer.from(more)])
      else send(socket, Buffer.from(more))
    },
    finish: () => socket.shutdown(),
    stopReading: () => socket.pause(),
    readOn: () => socket.resume(),
    text: () => text,
    statuses: () => Array.from(text.matchAll(/HTTP\/1\.1 (\d{3})/g), ([, status]) => Number(status)),
    until(piece) {
      return new Promise((resolve, reject) => {
        waiting.push({ piece, resolve, reject })
        look()
      })
    },
    closed: closed.promise,
    close: () => socket.terminate(),
  }
}

/** Sends this, and reads until the other side closes. */
export async function ask(port: number, text: string): Promise<string> {
  const caller = await rawCaller(port)
  caller.write(text)
  await caller.closed
  return caller.text()
}

/** The JSON after the head of an answer. */
export function jsonOf(answer: string): unknown {
  const start = answer.indexOf('\r\n\r\n')
  return JSON.parse(answer.slice(start + 4))
}

/** The head of a chat request whose body has so many bytes. */
export function chatHead(secret: string, bodyBytes: number, more = ''): string {
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1\r\nauthorization: Bearer ${secret}\r\ncontent-type: application/json\r\n${more}content-length: ${bodyBytes}\r\n\r\n`
}
