import { refuse } from '../core/error.ts'
import type { Json } from '../core/json.ts'
import type { IncomingBody } from '../pipeline/incoming.ts'

/** JSON is UTF-8 (RFC 8259, section 8.1): what is not would reach the model as something else than was sent. */
const STRICT = { fatal: true }
const UTF_8 = new TextDecoder('utf-8', STRICT)

/** Reads a JSON body up to a bound. A body that is too large, cut or no JSON is a refusal, never a throw. */
export async function readBody(request: Request, bytesMax: number): Promise<IncomingBody> {
  const declared = request.headers.get('content-length')
  if (declared !== null && Number(declared) > bytesMax) return tooLarge(bytesMax)
  let text: string | undefined
  try {
    text = declared === null ? await readBounded(request, bytesMax) : UTF_8.decode(await request.bytes())
  } catch (cause) {
    return isEncodingError(cause) ? invalid('The request body is not valid UTF-8.') : notRead(cause)
  }
  if (text === undefined) return tooLarge(bytesMax)
  if (text === '') return invalid('The request body is empty; a JSON object is expected.')
  try {
    return { ok: true, json: JSON.parse(text) as Json, text }
  } catch (error) {
    return invalid(`The request body is not valid JSON${positionOf(error)}.`)
  }
}

/** A body without a declared length: undefined when it passes the bound. */
async function readBounded(request: Request, bytesMax: number): Promise<string | undefined> {
  if (!request.body) return ''
  const decoder = new TextDecoder('utf-8', STRICT)
  let text = ''
  let bytes = 0
  for await (const chunk of request.body) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) return undefined
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function tooLarge(bytesMax: number): IncomingBody {
  return {
    ok: false,
    refusal: refuse('request_too_large', `The request body is larger than ${bytesMax} bytes.`),
  }
}

function invalid(message: string): IncomingBody {
  return { ok: false, refusal: refuse('invalid_request', message) }
}

function notRead(cause: unknown): IncomingBody {
  const why = cause instanceof Error && cause.message !== '' ? ` (${cause.name})` : ''
  return invalid(`The request body could not be read to its end${why}.`)
}

function isEncodingError(cause: unknown): boolean {
  return cause instanceof TypeError && 'code' in cause && cause.code === 'ERR_ENCODING_INVALID_ENCODED_DATA'
}

/** Where the parser stopped, when it says so; its other words may quote the body. */
function positionOf(error: unknown): string {
  const match = error instanceof Error ? /position (\d+)|line \d+ column \d+/i.exec(error.message) : null
  return match ? ` (at ${match[0]})` : ''
}
