import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import type { ErrorCode } from '../../core/error.ts'
import { ReceiptDetailView } from '../../operations/receipt.ts'
import { OwnCredits, OwnKey } from './accountSchema.ts'
import { CHAT_EXAMPLES, type ChatExample } from './chatExamples.ts'
import { ChatCompletionRequest } from './chatRequestSchema.ts'
import { ChatCompletion, ChatCompletionChunk } from './chatResponseSchema.ts'
import { answers, refusals } from './errorSchema.ts'
import { Model, ModelList } from './modelSchema.ts'

/** What every authenticated call can be refused with. */
const ALWAYS: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' as const } })
const textHeader = (description: string) => ({ description, schema: { type: 'string' as const } })

const RATE_HEADERS = {
  'X-RateLimit-Limit': integerHeader('Requests that the tightest rate limit allows in its window.'),
  'X-RateLimit-Remaining': integerHeader('Requests left in that window.'),
  'X-RateLimit-Reset': integerHeader('Unix seconds when that window ends.'),
}

const DEPRECATION_HEADERS = {
  Deprecation: textHeader('The model is deprecated: `@` and the Unix seconds since when (RFC 9745).'),
  Sunset: textHeader('When a deprecated model stops working, as an HTTP date (RFC 8594).'),
}

const CHAT_HEADERS = {
  'X-Request-ID': { ...textHeader('The id of the completion.'), required: true },
  ...RATE_HEADERS,
  ...DEPRECATION_HEADERS,
  'Idempotent-Replayed': textHeader(
    '`true`: this is the kept response of an earlier request with the same `Idempotency-Key`.',
  ),
  'x-tollgate-dropped-fields': textHeader(
    'Fields of the request that were left out, because the provider does not take them or because they are unknown.',
  ),
}

const modelParams = z.object({
  model_id: z.string().meta({ description: 'Id or alias. A `/` in it may stay or be percent-encoded.' }),
})

const common = { tags: ['Models and completions'], security: [{ apiKey: [] }] }
const account = { tags: ['Account'], security: [{ apiKey: [] }] }

const streamed = CHAT_EXAMPLES.filter(({ response }) => typeof response === 'string')
const whole = CHAT_EXAMPLES.filter(({ response }) => typeof response !== 'string')

function examplesOf(
  examples: readonly ChatExample[],
  value: (example: ChatExample) => unknown,
): Record<string, { summary: string; value: unknown }> {
  return Object.fromEntries(
    examples.map((example) => [example.name, { summary: example.summary, value: value(example) }]),
  )
}

const CALLS: readonly RouteConfig[] = [
  {
    ...common,
    method: 'post',
    path: '/v1/chat/completions',
    operationId: 'create_chat_completion',
    summary: 'Create a chat completion',
    description:
      'With `stream: true` the response is a stream of server-sent events: a chunk with the role, chunks with content, a chunk with an empty `delta` and the `finish_reason`, then `data: [DONE]`. A stream that fails ends with a chunk that holds an error object, without `[DONE]`, and costs nothing.',
    request: {
      headers: z.object({
        'Idempotency-Key': z.string().max(255).optional().meta({
          description:
            'Makes a repetition safe: it gets the kept response, costs nothing, and no provider is called. 1 to 255 characters; kept for 24 hours. It counts for the whole workspace.',
        }),
      }),
      body: {
        required: true,
        content: {
          'application/json': {
            schema: ChatCompletionRequest,
            examples: examplesOf(CHAT_EXAMPLES, ({ request }) => request),
          },
        },
      },
    },
    responses: {
      200: {
        description: 'The completion, or its stream.',
        headers: CHAT_HEADERS,
        content: {
          'application/json': {
            schema: ChatCompletion,
            examples: examplesOf(whole, ({ response }) => response),
          },
          'text/event-stream': {
            schema: ChatCompletionChunk,
            examples: examplesOf(streamed, ({ response }) => response),
          },
        },
      },
      ...refusals(
        ...ALWAYS,
        'invalid_request',
        'request_too_large',
        'model_not_found',
        'model_not_accessible',
        'insufficient_balance',
        'spend_limit_exceeded',
        'idempotency_conflict',
        'upstream_error',
      ),
    },
  },
  {
    ...common,
    method: 'get',
    path: '/v1/models',
    operationId: 'list_models',
    summary: 'List the models of the workspace',
    responses: {
      ...answers(200, 'The models that this key may use.', ModelList, RATE_HEADERS),
      ...refusals(...ALWAYS),
    },
  },
  {
    ...common,
    method: 'get',
    path: '/v1/models/{model_id}',
    operationId: 'get_model',
    summary: 'Show a model',
    request: { params: modelParams },
    responses: {
      ...answers(200, 'The model.', Model, { ...RATE_HEADERS, ...DEPRECATION_HEADERS }),
      ...refusals(...ALWAYS, 'model_not_found', 'model_not_accessible'),
    },
  },
  {
    ...account,
    method: 'get',
    path: '/v1/key',
    operationId: 'get_own_key',
    summary: "Show this key's limits and what is left of them",
    responses: {
      ...answers(200, 'The key.', OwnKey, RATE_HEADERS),
      ...refusals(...ALWAYS),
    },
  },
  {
    ...account,
    method: 'get',
    path: '/v1/credits',
    operationId: 'get_own_credits',
    summary: "Show the workspace's balance",
    responses: {
      ...answers(200, 'The balance.', OwnCredits, RATE_HEADERS),
      ...refusals(...ALWAYS),
    },
  },
  {
    ...account,
    method: 'get',
    path: '/v1/generation',
    operationId: 'get_own_generation',
    summary: 'Show the receipt of a completion',
    request: { query: z.object({ id: z.string().meta({ description: "The completion's id." }) }) },
    responses: {
      ...answers(200, 'The receipt.', ReceiptDetailView, RATE_HEADERS),
      ...refusals(...ALWAYS, 'invalid_request', 'not_found'),
    },
  },
]

/** What browsers ask first; described without a tag, so that the reference page leaves them out. */
const preflights = [...new Set(CALLS.map(({ path }) => path))].map((path): RouteConfig => ({
  method: 'options',
  path,
  operationId: `preflight${path.replaceAll(/\W+/g, '_').replace(/_$/, '')}`,
  summary: 'Answer a CORS preflight',
  tags: ['Preflight'],
  security: [],
  ...(path.includes('{model_id}') && { request: { params: modelParams } }),
  responses: {
    204: { description: 'For an allowed `Origin`, with the CORS headers.' },
    403: { description: 'For any other `Origin`, without them.' },
    ...refusals(...ALWAYS, 'method_not_allowed'),
  },
}))

/** The paths under `/v1`, described from the contract; they are served elsewhere. */
export const dataPlaneRoutes: readonly RouteConfig[] = [...CALLS, ...preflights]
