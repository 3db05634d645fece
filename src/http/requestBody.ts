import { LARGE_BODY_BYTES, SMALL_BODY_BYTES } from '../core/bodyWeight.ts'
import { GatewayError, type Refusal, refuse } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import { CALLER_JSON, type JsonExcess, createJsonScan } from '../core/jsonScan.ts'
import { parseExactly } from '../core/exactNumber.ts'
import { NO_ROOM_FOR_BODY } from '../pipeline/authenticate/bodyBudget.ts'
import type { IncomingBody } from '../pipeline/authenticate/incoming.ts'
import type { OwnTurn } from '../pipeline/authenticate/ownTurn.ts'
import { type Bytes, piecesOf } from './bodyPieces.ts'
import { type UnzippedSink, unzip } from './unzip.ts'

/** What a body may be, and what is wanted of it. */
export interface BodyTerms {
  readonly bytesMax: number
  /** Takes memory for so many more bytes; false: there is none. */
  take(bytes: number): boolean
  /** Whether there is memory for so many more bytes now. */
  hasRoom(bytes: number): boolean
  /** What its hash begins with, so that the same body for another purpose has another. Undefined: no hash is wanted. */
  readonly hashed: string | undefined
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
    return { ok: true, json: parseExactly(text) as Json, bytes, hash }
  } catch (error) {
    return refused(`The request body is not valid JSON${positionOf(error)}.`)
  }
}

/**
 * Reads a body, compressed with gzip or not. What is too large, finds no room, is nested beyond reason, cut or no
 * text is a refusal, never a throw. Of a compressed body counts what arrives or what comes out, whichever is more.
 */
export async function readBodyText(request: Request, terms: BodyTerms): Promise<BodyText> {
  const coding = contentCodingOf(request)
  if (coding === undefined) return { ok: false, refusal: UNKNOWN_CODING }
  const declared = declaredBytesOf(request)
  if (declared !== undefined && declared > terms.bytesMax)
    return { ok: false, refusal: tooLarge(terms.bytesMax) }
  const small = coding === 'identity' && declared !== undefined && declared <= SMALL_BODY_BYTES
  // Room is taken as a body arrives. One that could only be refused half-way is refused before.
  const found = small ? terms.take(declared) : terms.hasRoom(declared ?? 0)
  if (!found) return { ok: false, refusal: NO_ROOM_FOR_BODY }
  try {
    if (small) return takeAtOnce(await request.bytes(), terms)
    const intake = createIntake(terms)
    if (request.body) {
      const pieces = piecesOf(request.body, terms.progressEveryMs)
      const refusal = await (coding === 'gzip' ? unzip(pieces, intake) : takePieces(pieces, intake))
      if (refusal) return { ok: false, refusal }
    }
    return await intake.end()
  } catch (cause) {
    if (cause instanceof GatewayError) return { ok: false, refusal: cause.refusal }
    if (isEncodingError(cause)) return refused('The request body is not valid UTF-8.')
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

function hasherOf(start: string | undefined): Bun.CryptoHasher | undefined {
  return start === undefined ? undefined : new Bun.CryptoHasher('sha256').update(start)
}

/** JSON is UTF-8 (RFC 8259, section 8.1): what is not would reach the model as something else than was sent. */
const STRICT = { fatal: true }
const UTF_8 = new TextDecoder('utf-8', STRICT)

function takeAtOnce(bytes: Uint8Array, { hashed }: BodyTerms): BodyText {
  const excess = createJsonScan(CALLER_JSON).push(bytes)
  if (excess) return { ok: false, refusal: tooIntricate(excess) }
  const hash = hasherOf(hashed)?.update(bytes).digest('hex')
  return { ok: true, text: UTF_8.decode(bytes), bytes: bytes.byteLength, hash }
}

async function takePieces(pieces: AsyncIterable<Bytes>, intake: Intake): Promise<Refusal | undefined> {
  for await (const piece of pieces) {
    const refusal = intake.push(piece)
    if (refusal) return refusal
  }
  return undefined
}

/**
 * Takes a body's bytes in, in pieces: bounds, looks at and hashes each as it comes. The pieces' memory is the intake's own:
 * it gives it back.
 */
interface Intake extends UnzippedSink {
  end(): Promise<BodyText>
}

function createIntake({ bytesMax, take, hashed, ownTurn }: BodyTerms): Intake {
  const scan = createJsonScan(CALLER_JSON)
  const hasher = hasherOf(hashed)
  const pieces: Bytes[] = []
  let bytes = 0
  let compressed = 0
  let taken = 0

  function makeRoom(needed: number): Refusal | undefined {
    if (needed > bytesMax) return tooLarge(bytesMax)
    if (needed <= taken) return undefined
    if (!take(needed - taken)) return NO_ROOM_FOR_BODY
    taken = needed
    return undefined
  }

  return {
    arrived(more) {
      compressed += more
      return makeRoom(compressed)
    },
    push(piece) {
      bytes += piece.byteLength
      const refusal = makeRoom(bytes)
      if (refusal) return refusal
      const excess = scan.push(piece)
      if (excess) return tooIntricate(excess)
      hasher?.update(piece)
      pieces.push(piece)
      return undefined
    },
    async end() {
      const large = bytes >= LARGE_BODY_BYTES
      if (large) await ownTurn()
      const body = joined(pieces, bytes)
      if (large) await ownTurn()
      const text = UTF_8.decode(body)
      letGo(body)
      return { ok: true, text, bytes, hash: hasher?.digest('hex') }
    },
  }
}

function joined(pieces: readonly Bytes[], bytes: number): Bytes {
  const whole = new Uint8Array(bytes)
  let at = 0
  for (const piece of pieces) {
    const { byteLength } = piece
    move(piece, whole, at)
    at += byteLength
  }
  return whole
}

function move(piece: Bytes, into: Uint8Array, at: number): void {
  into.set(piece, at)
  letGo(piece)
}

/** Gives the memory of bytes back at once: garbage would be collected when much more of it has come together. */
function letGo({ buffer, byteLength }: Bytes): void {
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
