import type { RouteConfig } from '@hono/zod-openapi'
import { z } from 'zod'
import type { ErrorCode } from '../../core/error.ts'
import { ReceiptDetailView } from '../../operations/receipt.ts'
import { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, Model, ModelList } from './chatSchema.ts'
import { OwnCredits, OwnKey } from './accountSchema.ts'
import { answers, refusals } from './errorSchema.ts'

/** What every authenticated call can be refused with. */
const ALWAYS: readonly ErrorCode[] = [
  'missing_api_key',
  'invalid_api_key',
  'rate_limit_exceeded',
  'internal_error',
  'service_unavailable',
]

const integerHeader = (description: string) => ({ description, schema: { type: 'integer' as const } })

const RATE_HEADERS = {
  'X-RateLimit-Limit': integerHeader('Of the tightest window.'),
  'X-RateLimit-Remaining': integerHeader('Requests left in that window.'),
  'X-RateLimit-Reset': integerHeader('Unix seconds when that window resets.'),
}

const common = { tags: ['Models and completions'], security: [{ apiKey: [] }] }
const account = { tags: ['Account'], security: [{ apiKey: [] }] }

/** The paths under `/v1`, described from the contract; they are served elsewhere. */
export const dataPlaneRoutes: readonly RouteConfig[] = [
  {
    ...common,
    method: 'post',
    path: '/v1/chat/completions',
    operationId: 'create_chat_completion',
    summary: 'Generate an answer',
    description:
      'With `stream: true` the answer is a stream of server-sent events: one chunk with the role, chunks with content, a chunk with an empty `delta` and the `finish_reason`, then `data: [DONE]`. A stream that fails ends with an event that holds an error object, without `[DONE]`.',
    request: {
      headers: z.object({
        'Idempotency-Key': z.string().optional().meta({
          description:
            'A repetition gives the kept answer and costs nothing. It belongs to the workspace, whichever of its keys uses it.',
        }),
      }),
      body: { required: true, content: { 'application/json': { schema: ChatCompletionRequest } } },
    },
    responses: {
      200: {
        description: 'The completion, or its stream.',
        headers: {
          'X-Request-ID': { description: "The completion's id.", schema: { type: 'string' } },
          ...RATE_HEADERS,
        },
        content: {
          'application/json': { schema: ChatCompletion },
          'text/event-stream': { schema: ChatCompletionChunk },
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
    request: {
      params: z.object({
        model_id: z.string().meta({ description: 'Id or alias; a `/` in it may be raw or percent-encoded.' }),
      }),
    },
    responses: {
      ...answers(200, 'The model.', Model, RATE_HEADERS),
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
