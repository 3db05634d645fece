import { finished } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { GatewayError, type Refusal } from '../core/error.ts'
import { type Bytes, refuseArrival } from './bodyPieces.ts'

/** So many more compressed bytes may have arrived than came out of them: gzip has a header, and may have names in it. */
export const UNZIPPED_DEFICIT_MAX = 64 * 1024
/** So many bytes may come out of each that arrived, after those that may come out of any: JSON is compressed to a tenth. */
export const EXPANSION_MAX = 20
export const EXPANSION_FREE_BYTES = 256 * 1024
/** So much is decompressed in one go, outside of the event loop, and so much of what comes out is looked at in one turn. */
const INPUT_BYTES = 16 * 1024
const OUTPUT_BYTES = 64 * 1024

/** Where a compressed body goes. Its first refusal ends the reading. */
export interface UnzippedSink {
  /** Counts compressed bytes, before they are decompressed. */
  arrived(bytes: number): Refusal | undefined
  /** Gets what came out. */
  push(bytes: Bytes): Refusal | undefined
}

/**
 * Decompresses gzip as it arrives. Gives the first refusal of the sink. Throws `GatewayError` for what is not gzip, and for
 * a body that costs more than its bytes: one that nothing comes out of, or far too much.
 */
export async function unzip(pieces: AsyncIterable<Bytes>, sink: UnzippedSink): Promise<Refusal | undefined> {
  const gunzip = createGunzip({ chunkSize: OUTPUT_BYTES })
  /** Of the bytes that are being decompressed. */
  let step: PromiseWithResolvers<void> | undefined
  let arrived = 0
  let out = 0
  let refusal: Refusal | undefined

  gunzip.on('error', (error) => step?.reject(error))
  gunzip.on('data', (bytes: Bytes) => {
    if (refusal) return
    out += bytes.byteLength
    refusal = out > EXPANSION_FREE_BYTES + EXPANSION_MAX * arrived ? EXPANDS_TOO_FAR : sink.push(bytes)
    if (refusal) step?.resolve()
  })

  async function write(bytes: Bytes): Promise<Refusal | undefined> {
    arrived += bytes.byteLength
    refusal ??= sink.arrived(bytes.byteLength)
    if (refusal) return refusal
    const { promise, resolve } = (step = Promise.withResolvers<void>())
    gunzip.write(bytes, () => resolve())
    await promise
    step = undefined
    if (arrived - out > UNZIPPED_DEFICIT_MAX) refusal ??= HOLDS_NOTHING
    return refusal
  }

  try {
    for await (const piece of pieces) {
      for (let at = 0; at < piece.byteLength; at += INPUT_BYTES) {
        const refused = await write(piece.subarray(at, at + INPUT_BYTES))
        if (refused) return refused
      }
    }
    gunzip.end()
    await finished(gunzip)
    return refusal
  } catch (cause) {
    if (isZlibError(cause)) throw new GatewayError(NOT_GZIP, { cause })
    throw cause
  } finally {
    gunzip.destroy()
  }
}

function isZlibError(cause: unknown): boolean {
  return cause instanceof Error && 'code' in cause && String(cause.code).startsWith('Z_')
}

const NOT_GZIP = refuseArrival('The request body is not valid gzip.')
const HOLDS_NOTHING = refuseArrival(
  `The compressed request body is larger than what it holds: ${UNZIPPED_DEFICIT_MAX} bytes more.`,
)
const EXPANDS_TOO_FAR = refuseArrival(
  `The compressed request body holds more than ${EXPANSION_MAX} times its size. Send it without compression.`,
)
