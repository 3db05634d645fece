import { GatewayError, refuse } from '../core/error.ts'
import { isJsonObject, parseJson, type JsonObject } from '../core/json.ts'

/** Bodies of the admin API are small: the largest is a list of model ids. */
export const ADMIN_BODY_BYTES_MAX = 512 * 1024

/** Reads a body as a JSON object. Throws `request_too_large` or `invalid_request`. No body is an empty object. */
export async function readJsonObject(request: Request, bytesMax = ADMIN_BODY_BYTES_MAX): Promise<JsonObject> {
  const text = await readText(request, bytesMax)
  if (text.trim() === '') return {}
  const body = parseJson(text)
  if (body === undefined) throw invalid('The body is not valid JSON.')
  if (!isJsonObject(body)) throw invalid('The body must be a JSON object.')
  return body
}

async function readText(request: Request, bytesMax: number): Promise<string> {
  if (Number(request.headers.get('content-length') ?? 0) > bytesMax) throw tooLarge(bytesMax)
  if (!request.body) return ''
  const decoder = new TextDecoder()
  let bytes = 0
  let text = ''
  for await (const chunk of request.body) {
    bytes += chunk.byteLength
    if (bytes > bytesMax) throw tooLarge(bytesMax)
    text += decoder.decode(chunk, { stream: true })
  }
  return text + decoder.decode()
}

function invalid(message: string): GatewayError {
  return new GatewayError(refuse('invalid_request', message))
}

function tooLarge(bytesMax: number): GatewayError {
  return new GatewayError(
    refuse('request_too_large', `The body is larger than ${bytesMax} bytes, the most this path takes.`),
  )
}
