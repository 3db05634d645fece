import type { JsonObject } from '../../../src/core/json.ts'
import { OURS, type RecordedError, callers, overLimit, oversized, tooLong, limited } from './recordedError.ts'

function anthropic(message: string, type = 'invalid_request_error'): JsonObject {
  return { type: 'error', error: { type, message }, request_id: 'req_011' }
}

export const anthropicMessagesErrors: readonly RecordedError[] = [
  {
    shape: 'an organization that was disabled',
    source: 'router-for-me/CLIProxyAPI#3268',
    provider: 'anthropic',
    status: 400,
    body: anthropic('This organization has been disabled.'),
    verdict: OURS.credential,
  },
  {
    shape: 'a credit balance that is too low',
    source: 'anthropics/claude-code issue 66314',
    provider: 'anthropic',
    status: 400,
    body: anthropic(
      'Your credit balance is too low to access the Anthropic API. Please go to Plans & Billing to upgrade or purchase credits.',
    ),
    verdict: OURS.billing,
  },
  {
    shape: 'a workspace above its spend limit',
    source: 'reproductions/reports/32-right-provider-errors.mjs (anthWorkspaceLimit)',
    provider: 'anthropic',
    status: 400,
    body: anthropic('This workspace has exceeded its monthly spend limit.'),
    verdict: OURS.billing,
  },
  {
    shape: 'a key without permission',
    source: 'reproductions/reports/32-right-provider-errors.mjs (anth403OAuth)',
    provider: 'anthropic',
    status: 403,
    body: anthropic(
      'Your API key does not have permission to use the specified resource.',
      'permission_error',
    ),
    verdict: OURS.credential,
  },
  {
    shape: 'a wrong key',
    source: 'corpus messages/037; DataDog/dd-trace-py tests/contrib/anthropic/cassettes',
    provider: 'anthropic',
    status: 401,
    body: anthropic('invalid x-api-key', 'authentication_error'),
    verdict: OURS.credential,
  },
  {
    shape: 'an unknown model',
    source: 'corpus messages/038; pydantic/pydantic-ai tests/models/cassettes/test_anthropic',
    provider: 'anthropic',
    status: 404,
    body: anthropic('model: claude-does-not-exist', 'not_found_error'),
    verdict: OURS.not_found,
  },
  {
    shape: 'the tokens of a minute, with the time at which they come back',
    source: 'FoundationAgents/OpenManus#746; platform.claude.com/docs/en/api/rate-limits',
    provider: 'anthropic',
    status: 429,
    headers: {
      date: 'Fri, 20 Nov 2026 12:00:00 GMT',
      'anthropic-ratelimit-requests-remaining': '49',
      'anthropic-ratelimit-input-tokens-remaining': '0',
      'anthropic-ratelimit-input-tokens-reset': '2026-11-20T12:00:37Z',
    },
    body: anthropic(
      'This request would exceed the rate limit for your organization of 20,000 input tokens per minute. For details, refer to: https://docs.anthropic.com/en/api/rate-limits.',
      'rate_limit_error',
    ),
    verdict: limited(37_000),
  },
  {
    shape: 'a long context that the account has not paid for, as a rate limit',
    source: 'anthropics/claude-code#41054',
    provider: 'anthropic',
    status: 429,
    headers: { 'retry-after': '60' },
    body: anthropic('Extra usage is required for long context requests.', 'rate_limit_error'),
    verdict: overLimit(),
  },
  {
    shape: 'a long context that the account does not have',
    source: 'anthropics/claude-code#27944',
    provider: 'anthropic',
    status: 400,
    body: anthropic('The long context beta is not yet available for this subscription.'),
    verdict: overLimit(),
  },
  {
    shape: 'an image above five megabytes',
    source: 'anthropics/claude-code#19631',
    provider: 'anthropic',
    status: 400,
    body: anthropic(
      'messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 8259148 bytes > 5242880 bytes',
    ),
    verdict: oversized('image', 'messages', [5_242_880]),
  },
  {
    shape: 'an image with too many pixels',
    source: 'anthropics/claude-code#4778',
    provider: 'anthropic',
    status: 400,
    body: anthropic(
      'messages.7.content.2.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels',
    ),
    verdict: oversized('image', 'messages'),
  },
  {
    shape: 'a body above the limit',
    source: 'platform.claude.com/docs/en/api/errors',
    provider: 'anthropic',
    status: 413,
    body: anthropic('Request exceeds the maximum size', 'request_too_large'),
    verdict: oversized('body'),
  },
  {
    shape: 'an output limit above that of the model',
    source: 'anthropics/claude-code#11302',
    provider: 'anthropic',
    status: 400,
    body: anthropic(
      'max_tokens: 21333 > 4096, which is the maximum allowed number of output tokens for claude-3-opus-20240229',
    ),
    verdict: callers('max_tokens', [4_096]),
  },
  {
    shape: 'a prompt and an output limit above the context together',
    source: 'docker/docker-agent#569',
    provider: 'anthropic',
    status: 400,
    body: anthropic(
      'input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again',
    ),
    verdict: tooLong([200_000, 242_959], 'max_tokens'),
  },
  {
    shape: 'a prompt above the context',
    source: 'anthropics/claude-code#12186',
    provider: 'anthropic',
    status: 400,
    body: anthropic('prompt is too long: 208310 tokens > 200000 maximum'),
    verdict: tooLong([200_000, 208_310]),
  },
  {
    shape: 'a value out of its range',
    source: 'test/recorded/anthropic/error-temperature.json',
    provider: 'anthropic',
    status: 400,
    body: anthropic('temperature: Input should be less than or equal to 1'),
    verdict: callers('temperature'),
  },
  {
    shape: 'an image that is empty',
    source: 'anthropics/claude-code#12750',
    provider: 'anthropic',
    status: 400,
    body: anthropic('messages.118.content.4.image.source.base64: image cannot be empty'),
    verdict: callers('messages'),
  },
]
