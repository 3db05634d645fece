import { GatewayError, refuse } from '../core/error.ts'
import { isJsonObject, parseJson, type JsonObject } from '../core/json.ts'
import { readBodyText } from './requestBody.ts'

/** Bodies of the admin API are small: the largest is a list of model ids. */
export const ADMIN_BODY_BYTES_MAX = 512 * 1024

/** Reads a body as a JSON object. Throws `request_too_large` or `invalid_request`. No body is an empty object. */
export async function readJsonObject(request: Request, bytesMax = ADMIN_BODY_BYTES_MAX): Promise<JsonObject> {
  const read = await readBodyText(request, {
    bytesMax,
    take: () => true,
    hasRoom: () => true,
    hashed: undefined,
    ownTurn: () => Promise.resolve(),
  })
  if (!read.ok) throw new GatewayError(read.refusal)
  if (read.text.trim() === '') return {}
  const body = parseJson(read.text)
  if (body === undefined) throw invalid('The body is not valid JSON.')
  if (!isJsonObject(body)) throw invalid('The body must be a JSON object.')
  return body
}

function invalid(message: string): GatewayError {
  return new GatewayError(refuse('invalid_request', message))
}
