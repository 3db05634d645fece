import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import { type ErrorCode, ERRORS } from '../../core/error.ts'

const CODES = Object.keys(ERRORS) as [ErrorCode, ...ErrorCode[]]

/** What went wrong: in the body of a refusal, and in the last event of a stream that fails. */
export const ErrorObject = z.object({
  code: z.enum(CODES),
  message: z.string(),
  type: z.string(),
  param: z.string().nullable().meta({ description: 'The parameter at fault as a dotted path.' }),
})

export const ErrorBody = z.object({ error: ErrorObject }).meta({
  id: 'Error',
  description: 'Every refusal has this body. Each code has a page under /docs/errors/.',
})

type Responses = RouteConfig['responses']

const requestIdHeader = {
  'X-Request-ID': {
    description: 'Reference of this request.',
    schema: { type: 'string' as const },
    required: true,
  },
}

export const SHOULD_RETRY_HEADER = {
  'X-Should-Retry': {
    description:
      'For SDKs: `true` with a `Retry-After` of up to 60 seconds, `false` where a retry cannot help or is far off.',
    schema: { type: 'string' as const, enum: ['true', 'false'] },
  },
}

const retryAfterHeader = {
  'Retry-After': { description: 'Whole seconds to wait.', schema: { type: 'integer' as const, minimum: 1 } },
}

/** A JSON answer of the given schema. */
export function answers(
  status: number,
  description: string,
  schema: z.ZodType,
  headers: Record<string, object> = {},
): Responses {
  return {
    [status]: {
      description,
      headers: { ...requestIdHeader, ...headers },
      content: { 'application/json': { schema } },
    },
  }
}

/** The refusals that a path can give, one response per status, in the contract's format. */
export function refusals(...codes: readonly ErrorCode[]): Responses {
  return refusalsIn(ErrorBody, codes)
}

/** The same with bodies of another format. */
export function refusalsIn(
  body: z.ZodType,
  codes: readonly ErrorCode[],
  headersOf: (status: number) => Record<string, object> = () => ({}),
): Responses {
  const byStatus = new Map<number, ErrorCode[]>()
  for (const code of codes) {
    const { status } = ERRORS[code]
    byStatus.set(status, [...(byStatus.get(status) ?? []), code])
  }
  const responses: Responses = {}
  for (const [status, codes] of byStatus) {
    const retryable = status === 429 || status === 402 || status === 503
    responses[status] = {
      description: codes.map((code) => `\`${code}\``).join(' or '),
      headers: { ...requestIdHeader, ...headersOf(status), ...(retryable && retryAfterHeader) },
      content: { 'application/json': { schema: body } },
    }
  }
  return responses
}
