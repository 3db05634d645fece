import type { JsonObject } from '../../../src/core/json.ts'
import { OURS, type RecordedError, callers, oversized, tooLong } from './recordedError.ts'

function mistral(message: string, type: string, code: string | null): JsonObject {
  return { object: 'error', message, type, param: null, code }
}

export const mistralChatErrors: readonly RecordedError[] = [
  {
    shape: 'a model that does not exist',
    source: 'mistralai/mistral-vibe#617',
    provider: 'mistral',
    status: 400,
    body: mistral('Invalid model: mistral-medium-3.5', 'invalid_model', '1500'),
    verdict: OURS.not_found,
  },
  {
    shape: 'the same without type and code',
    source: 'mistralai/mistral-vibe#617, its words alone',
    provider: 'mistral',
    status: 400,
    body: { message: 'Invalid model: mistral-medium-3.5' },
    verdict: OURS.not_found,
  },
  {
    shape: 'a wrong key',
    source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (authentication, mistral)',
    provider: 'mistral',
    status: 401,
    body: { detail: 'Invalid API Key' },
    verdict: OURS.credential,
  },
  {
    shape: 'a path that does not exist',
    source: 'nextcloud/integration_openai#76',
    provider: 'mistral',
    status: 404,
    body: { message: 'no Route matched with those values', request_id: '2ba0512a8227e16398a4b1334b6ca51c' },
    verdict: OURS.not_found,
  },
  {
    shape: 'a prompt above the context',
    source: 'src/wire/mistral-chat/__fixtures__/errors.json',
    provider: 'mistral',
    status: 400,
    body: mistral(
      'Prompt contains 40021 tokens and 0 draft tokens, too large for model with 32768 maximum context length',
      'invalid_request_prompt',
      '3051',
    ),
    verdict: tooLong([32_768, 40_021]),
  },
  {
    shape: 'too many images',
    source: 'microsoft/vscode#306919, in the envelope of Mistral',
    provider: 'mistral',
    status: 400,
    body: mistral(
      'Too many images in request: 11 images provided, but the model supports a maximum of 10 images.',
      'invalid_request_error',
      null,
    ),
    verdict: oversized('images', 'messages'),
  },
  {
    shape: 'a body above the limit of its gateway',
    source: 'docs.konghq.com/hub/kong-inc/request-size-limiting',
    provider: 'mistral',
    status: 413,
    body: { message: 'Request size limit exceeded' },
    verdict: oversized('body'),
  },
  {
    shape: 'a list with too many items',
    source: 'docs.pydantic.dev/latest/errors/validation_errors (too_long), in the envelope of Mistral',
    provider: 'mistral',
    status: 422,
    body: {
      object: 'error',
      message: {
        detail: [
          {
            type: 'too_long',
            loc: ['body', 'stop'],
            msg: 'List should have at most 4 items after validation, not 9',
          },
        ],
      },
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
    verdict: oversized('list', 'stop', [4]),
  },
  {
    shape: 'a field that it does not know',
    source: 'nomtek/mistralai_client_dart issue 44',
    provider: 'mistral',
    status: 422,
    body: {
      object: 'error',
      message: {
        detail: [
          {
            type: 'extra_forbidden',
            loc: ['body', 'messages', 0, 'user', 'cache_control'],
            msg: 'Extra inputs are not permitted',
          },
        ],
      },
      type: 'invalid_request_error',
      param: null,
      code: null,
    },
    verdict: callers('messages[0]'),
  },
]
