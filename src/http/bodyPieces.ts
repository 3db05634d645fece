import { GatewayError, type Refusal, refuse } from '../core/error.ts'

/** How often it is looked at whether a body still comes, and how much must have come in between. */
export const PROGRESS_EVERY_MS = 15_000
export const PROGRESS_BYTES_MIN = 15 * 1024
/** So many pieces a body may come in, whatever their size; of more, each must bring so much on average. */
export const PIECES_UNWEIGHED = 4_096
export const PIECE_BYTES_MIN = 256

export type Bytes = Uint8Array<ArrayBuffer>

/**
 * A body as it comes off the connection. Throws `GatewayError` for one that takes room without coming, or whose pieces
 * cost more than their bytes.
 *
 * @param progressEveryMs default: 15 s
 */
export async function* piecesOf(
  body: ReadableStream<Bytes>,
  progressEveryMs: number = PROGRESS_EVERY_MS,
): AsyncGenerator<Bytes> {
  const reader = body.getReader()
  let pieces = 0
  let bytes = 0
  let before = 0
  let slow = false
  function letGo(): void {
    // What broke off cannot be cancelled either.
    reader.cancel().catch(() => undefined)
  }
  const watch = setInterval(() => {
    slow = bytes - before < PROGRESS_BYTES_MIN
    before = bytes
    if (slow) letGo()
  }, progressEveryMs)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (slow) throw new GatewayError(TOO_SLOW)
      if (done) return
      pieces += 1
      bytes += value.byteLength
      if (pieces > PIECES_UNWEIGHED && bytes < pieces * PIECE_BYTES_MIN)
        throw new GatewayError(TOO_MANY_PIECES)
      yield value
    }
  } finally {
    clearInterval(watch)
    letGo()
  }
}

/** Refuses a body for the way in which it arrives, and ends its connection: the rest would arrive in the same way. */
export function refuseArrival(message: string): Refusal {
  return refuse('invalid_request', message, { headers: { connection: 'close' } })
}

const TOO_SLOW = refuseArrival('The request body arrived too slowly, or stopped.')
const TOO_MANY_PIECES = refuseArrival(
  `The request body arrived in too many small pieces: beyond ${PIECES_UNWEIGHED} chunks, each must have ${PIECE_BYTES_MIN} bytes on average.`,
)
