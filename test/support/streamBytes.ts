import type { Frame } from '../../src/core/answer/frame.ts'
import { sseFrames } from '../../src/wire/sse.ts'

/** Splits chunks of an SSE body into its frames. */
export function framesOfBytes(chunks: readonly Uint8Array[]): Frame[] {
  const split = sseFrames()
  return [...chunks.flatMap((chunk) => split.push(chunk)), ...split.end()]
}

/** The bytes in pieces, cut at the given places. */
export function cutBytes(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b)
  return [0, ...places].map((start, i) => bytes.subarray(start, places[i] ?? bytes.length))
}
