import type { HttpClient } from '../http.ts'
import { collectBody } from '../http/collectBody.ts'
import type { FetchToken } from './googleTokens.ts'

/** Token endpoints answer at once or not at all. */
const TOKEN_TIMEOUTS = { connectMs: 5_000, firstEventMs: 10_000, idleMs: 10_000, totalMs: 30_000 }
const TOKEN_ANSWER_LIMITS = { bytesMax: 64 * 1024, totalMs: 10_000 }

/** Asks for tokens through the outgoing HTTP port, with its rules: no redirects, every wait bounded. */
export function fetchTokenOver(http: HttpClient): FetchToken {
  return async (url, form) => {
    const response = await http.request({
      method: 'POST',
      url,
      headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'application/json' },
      body: form,
      timeouts: TOKEN_TIMEOUTS,
    })
    const body = await collectBody(response, TOKEN_ANSWER_LIMITS)
    return { status: response.status, body: new TextDecoder().decode(body) }
  }
}
