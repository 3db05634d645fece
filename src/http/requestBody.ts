import { LARGE_BODY_BYTES } from '../core/bodyWeight.ts'
import { GatewayError, type Refusal, refuse } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import { CALLER_JSON, type JsonExcess, createJsonScan } from '../core/jsonScan.ts'
import { NO_ROOM_FOR_BODY } from '../pipeline/authenticate/bodyBudget.ts'
import type { IncomingBody } from '../pipeline/authenticate/incoming.ts'
import type { OwnTurn } from '../pipeline/authenticate/ownTurn.ts'
import { piecesOf, unzipped } from './bodyPieces.ts'

/** Bodies up to this size are read at once; larger ones piece by piece, so that nobody waits for one as a whole. */
const READ_AT_ONCE_BYTES_MAX = 64 * 1024

/** What a body may be, and what is wanted of it. */
export interface BodyTerms {
  readonly bytesMax: number
  /** Takes memory for so many more bytes; false: there is none. */
  take(bytes: number): boolean
  /** Whether its hash is wanted. */
  readonly hashed: boolean
  /** A turn of the event loop for each large piece of work. */
  readonly ownTurn: OwnTurn
  /** See `piecesOf`. */
  readonly progressEveryMs?: number
}

/** A body as text: of JSON within its bounds, if it is JSON. */
export type BodyText =
  | { readonly ok: true; readonly text: string; readonly bytes: number; readonly hash: string | undefined }
  | { readonly ok: false; readonly refusal: Refusal }

/** Reads a JSON body. What is no JSON is a refusal, like all that `readBodyText` refuses. */
export async function readBody(request: Request, terms: BodyTerms): Promise<IncomingBody> {
  const body = await readBodyText(request, terms)
  if (!body.ok) return body
  const { text, bytes, hash } = body
  if (text === '') return refused('The request body is empty; a JSON object is expected.')
  if (bytes >= LARGE_BODY_BYTES) await terms.ownTurn()
  try {
    return { ok: true, json: JSON.parse(text) as Json, bytes, hash }
  } catch (error) {
    return refused(`The request body is not valid JSON${positionOf(error)}.`)
  }
}

/**
 * Reads a body, compressed with gzip or not. What is too large, finds no room, is nested beyond reason, cut or no
 * text is a refusal, never a throw. Sizes count after decompression.
 */
export async function readBodyText(request: Request, terms: BodyTerms): Promise<BodyText> {
  const coding = contentCodingOf(request)
  if (coding === undefined) return { ok: false, refusal: UNKNOWN_CODING }
  const declared = declaredBytesOf(request)
  if (declared !== undefined && declared > terms.bytesMax)
    return { ok: false, refusal: tooLarge(terms.bytesMax) }
  // Room for a declared length is taken as a whole: bodies that are half read cannot wait for each other.
  const reserved = coding === 'identity' ? declared : undefined
  if (reserved !== undefined && !terms.take(reserved)) return { ok: false, refusal: NO_ROOM_FOR_BODY }
  try {
    if (reserved !== undefined && reserved <= READ_AT_ONCE_BYTES_MAX) {
      return takeAtOnce(await request.bytes(), terms)
    }
    const intake = createIntake(terms, reserved)
    if (request.body) {
      const pieces = piecesOf(request.body, terms.progressEveryMs)
      for await (const chunk of coding === 'gzip' ? unzipped(pieces) : pieces) {
        const refusal = intake.push(chunk)
        if (refusal) return { ok: false, refusal }
      }
    }
    if (intake.bytes() >= LARGE_BODY_BYTES) await terms.ownTurn()
    return intake.end()
  } catch (cause) {
    if (cause instanceof GatewayError) return { ok: false, refusal: cause.refusal }
    if (isEncodingError(cause)) return refused('The request body is not valid UTF-8.')
    if (coding === 'gzip' && cause instanceof TypeError) return refused('The request body is not valid gzip.')
    return notRead(cause)
  }
}

/** The length that the request declares; undefined when it declares none, or when decompression tells another. */
export function bodyBytesOf(request: Request): number | undefined {
  return contentCodingOf(request) === 'identity' ? declaredBytesOf(request) : undefined
}

function declaredBytesOf({ headers }: Request): number | undefined {
  const declared = headers.get('content-length')
  if (declared === null) return undefined
  // What is no length is larger than anything that is taken.
  return /^\d+$/.test(declared) ? Number(declared) : Number.POSITIVE_INFINITY
}

/** How the body is coded (RFC 9110, section 8.4); undefined when it is in a way that is not read here. */
function contentCodingOf({ headers }: Request): 'identity' | 'gzip' | undefined {
  const coding = headers.get('content-encoding')
  if (coding === null) return 'identity'
  switch (coding.trim().toLowerCase()) {
    case '':
    case 'identity':
      return 'identity'
    case 'gzip':
    case 'x-gzip':
      return 'gzip'
    default:
      return undefined
  }
}

/** JSON is UTF-8 (RFC 8259, section 8.1): what is not would reach the model as something else than was sent. */
const STRICT = { fatal: true }
const UTF_8 = new TextDecoder('utf-8', STRICT)

function takeAtOnce(bytes: Uint8Array, { hashed }: BodyTerms): BodyText {
  const excess = createJsonScan(CALLER_JSON).push(bytes)
  if (excess) return { ok: false, refusal: tooIntricate(excess) }
  const hash = hashed ? new Bun.CryptoHasher('sha256').update(bytes).digest('hex') : undefined
  return { ok: true, text: UTF_8.decode(bytes), bytes: bytes.byteLength, hash }
}

/** Takes a body's bytes in, in pieces: bounds, looks at, hashes and decodes each as it comes. */
interface Intake {
  /** @param bytes are this call's own: their memory is given back */
  push(bytes: Uint8Array<ArrayBuffer>): Refusal | undefined
  bytes(): number
  end(): BodyText
}

/** @param reserved bytes that room was taken for already: as many as will come, or 0 where nobody knows */
function createIntake({ bytesMax, take, hashed }: BodyTerms, reserved = 0): Intake {
  const scan = createJsonScan(CALLER_JSON)
  const hasher = hashed ? new Bun.CryptoHasher('sha256') : undefined
  const whole = reserved > 0 ? new Uint8Array(reserved) : undefined
  const pieces: Uint8Array<ArrayBuffer>[] = []
  let bytes = 0
  let taken = reserved
  return {
    push(piece) {
      bytes += piece.byteLength
      if (bytes > bytesMax) return tooLarge(bytesMax)
      if (bytes > taken) {
        if (!take(bytes - taken)) return NO_ROOM_FOR_BODY
        taken = bytes
      }
      const excess = scan.push(piece)
      if (excess) return tooIntricate(excess)
      hasher?.update(piece)
      if (whole) move(piece, whole, bytes - piece.byteLength)
      else pieces.push(piece)
      return undefined
    },
    bytes: () => bytes,
    end() {
      const body = whole ?? joined(pieces, bytes)
      const text = UTF_8.decode(body.subarray(0, bytes))
      letGo(body)
      return { ok: true, text, bytes, hash: hasher?.digest('hex') }
    },
  }
}

function joined(pieces: readonly Uint8Array<ArrayBuffer>[], bytes: number): Uint8Array<ArrayBuffer> {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    const { byteLength } = piece
    move(piece, whole, at)
    at += byteLength
  }
  return whole
}

function move(piece: Uint8Array<ArrayBuffer>, into: Uint8Array, at: number): void {
  into.set(piece, at)
  letGo(piece)
}

/** Gives the memory of bytes back at once: garbage would be collected when much more of it has come together. */
function letGo({ buffer, byteLength }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength === byteLength) buffer.transfer(0)
}

const UNKNOWN_CODING = refuse(
  'invalid_request',
  'This Content-Encoding is not supported. Send the body as it is, or compressed with gzip.',
  { headers: { 'accept-encoding': 'gzip' } },
)

function tooLarge(bytesMax: number): Refusal {
  return refuse('request_too_large', `The request body is larger than ${bytesMax} bytes.`)
}

function tooIntricate(excess: JsonExcess): Refusal {
  const { depthMax, valuesMax, digitsMax } = CALLER_JSON
  switch (excess) {
    case 'too_deep':
      return refuse('invalid_request', `The request body is nested more than ${depthMax} levels deep.`)
    case 'too_many_values':
      return refuse('invalid_request', `The request body holds more than ${valuesMax} values.`)
    case 'too_long_number':
      return refuse('invalid_request', `The request body holds a number of more than ${digitsMax} digits.`)
  }
}

function refused(message: string): { ok: false; refusal: Refusal } {
  return { ok: false, refusal: refuse('invalid_request', message) }
}

function notRead(cause: unknown): BodyText {
  const why = cause instanceof Error && cause.message !== '' ? ` (${cause.name})` : ''
  return refused(`The request body could not be read completely${why}.`)
}

function isEncodingError(cause: unknown): boolean {
  return cause instanceof TypeError && 'code' in cause && cause.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
}

/** Where the parser stopped, when it says so; its other words may quote the body. */
function positionOf(error: unknown): string {
  const match = error instanceof Error ? /position (\d+)|line \d+ column \d+/i.exec(error.message) : null
  return match ? ` (at ${match[0]})` : ''
}
