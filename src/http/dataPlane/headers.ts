import { z } from 'zod'

// Headers of answers, as the OpenAPI document describes them.

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' as const } })
const textHeader = (description: string) => ({ description, schema: { type: 'string' as const } })

export const RATE_HEADERS = {
  'X-RateLimit-Limit': integerHeader('Requests that the tightest rate limit allows in its window.'),
  'X-RateLimit-Remaining': integerHeader('Requests left in that window.'),
  'X-RateLimit-Reset': integerHeader('Unix seconds when that window ends.'),
}

export const DEPRECATION_HEADERS = {
  Deprecation: textHeader('The model is deprecated: `@` and the Unix seconds since when (RFC 9745).'),
  Sunset: textHeader('When a deprecated model stops working, as an HTTP date (RFC 8594).'),
}

const DROPPED_FIELDS_HEADER = {
  'x-tollgate-dropped-fields': textHeader(
    'Fields of the request that were left out, because the provider does not take them or because they are unknown.',
  ),
}

/** Of what is written for clients of Anthropic. */
export const REQUEST_ID_HEADER = { 'request-id': textHeader('The same as `X-Request-ID`.') }

/** A header of requests, of endpoints whose answers depend on it. */
export const ANTHROPIC_VERSION = z.object({
  'anthropic-version': z
    .string()
    .optional()
    .meta({ description: 'Of any value: the response and its errors have the shape of Anthropic.' }),
})

/** Of a count of tokens. */
export const COUNT_HEADERS = {
  ...RATE_HEADERS,
  ...DEPRECATION_HEADERS,
  ...DROPPED_FIELDS_HEADER,
  'x-tollgate-estimated': textHeader(
    "`true`: the number is the gateway's own estimate. Absent: it is the provider's.",
  ),
}

/** Of a call that costs money. */
export const PRICED_HEADERS = {
  'X-Request-ID': { ...textHeader('The id of the answer.'), required: true },
  ...RATE_HEADERS,
  ...DEPRECATION_HEADERS,
  'Idempotent-Replayed': textHeader(
    '`true`: this is the kept response of an earlier request with the same `Idempotency-Key`.',
  ),
  ...DROPPED_FIELDS_HEADER,
}
