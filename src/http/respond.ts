import { errorBody, ERRORS, GatewayError, refuse, type Refusal } from '../core/error.ts'
import { StoreUnavailable } from '../core/ports/till.ts'

const STORE_RETRY_AFTER_SECONDS = 1

/** A JSON answer. */
export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Response {
  return Response.json(body, { status, headers })
}

/** A page for people: no scripts but the gateway's own file, nothing from elsewhere. */
export function html(page: string, status = 200, headers: Record<string, string> = {}): Response {
  return new Response(page, {
    status,
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy':
        "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'unsafe-inline'; img-src 'self' data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
      'X-Content-Type-Options': 'nosniff',
      'Referrer-Policy': 'no-referrer',
      ...headers,
    },
  })
}

/** A refusal as the error reference shows it. */
export function refusalResponse(refusal: Refusal): Response {
  const headers: Record<string, string> = { ...refusal.headers }
  if (refusal.retryAfterSeconds !== undefined) headers['Retry-After'] = String(refusal.retryAfterSeconds)
  // What is refused now may be answered soon.
  return json(errorBody(refusal), ERRORS[refusal.code].status, { 'Cache-Control': 'no-store', ...headers })
}

/** What a thrown error tells the caller; everything unforeseen is `internal_error`. */
export function refusalOf(error: unknown): Refusal {
  if (error instanceof GatewayError) return error.refusal
  if (error instanceof StoreUnavailable) {
    return refuse('service_unavailable', 'The database cannot be reached. Please try again shortly.', {
      retryAfterSeconds: STORE_RETRY_AFTER_SECONDS,
    })
  }
  return refuse('internal_error', 'The gateway has an internal error.')
}
