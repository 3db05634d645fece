import type { JsonObject } from '../../../src/core/json.ts'
import { OURS, type RecordedError, callers, limited, oversized, tooLong } from './recordedError.ts'

function google(code: number, status: string, message: string, details: JsonObject[] = []): JsonObject {
  return { error: { code, message, status, ...(details.length > 0 && { details }) } }
}

function reason(name: string): JsonObject {
  return { '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason: name, domain: 'googleapis.com' }
}

export const googleGenerateErrors: readonly RecordedError[] = [
  {
    shape: 'a wrong key as an invalid argument',
    source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (authentication, gemini)',
    provider: 'google',
    status: 400,
    body: google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', [
      reason('API_KEY_INVALID'),
    ]),
    verdict: OURS.credential,
  },
  {
    shape: 'the same without a reason',
    source: 'src/wire/openai-chat/__fixtures__/errors.json (Google: list around the error)',
    provider: 'google',
    status: 400,
    body: google(400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.'),
    verdict: OURS.credential,
  },
  {
    shape: 'a key that was suspended',
    source: 'thooton/muse#6',
    provider: 'google',
    status: 403,
    body: google(403, 'PERMISSION_DENIED', "Permission denied: Consumer 'api_key:x' has been suspended.", [
      reason('CONSUMER_SUSPENDED'),
    ]),
    verdict: OURS.credential,
  },
  {
    shape: 'a key that was leaked',
    source: 'continuedev/continue#11541',
    provider: 'google',
    status: 403,
    body: google(
      403,
      'PERMISSION_DENIED',
      'Your API key was reported as leaked. Please use another API key.',
    ),
    verdict: OURS.credential,
  },
  {
    shape: 'a project that was denied access',
    source: 'poenl/gemini-api#8',
    provider: 'google',
    status: 403,
    body: google(403, 'PERMISSION_DENIED', 'Your project has been denied access. Please contact support.'),
    verdict: OURS.credential,
  },
  {
    shape: 'a region that is not served',
    source: 'reproductions/reports/32-right-provider-errors.mjs (googleLocation)',
    provider: 'google',
    status: 400,
    body: google(400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.'),
    verdict: OURS.credential,
  },
  {
    shape: 'a project without billing',
    source: 'reproductions/reports/32-right-provider-errors.mjs (googleBilling)',
    provider: 'google',
    status: 400,
    body: google(
      400,
      'FAILED_PRECONDITION',
      'Gemini API free tier is not available in your country. Please enable billing on your project in Google AI Studio.',
    ),
    verdict: OURS.billing,
  },
  {
    shape: 'an unknown model',
    source: 'pydantic/pydantic-ai tests/models/cassettes/test_model_names',
    provider: 'google',
    status: 404,
    body: google(
      404,
      'NOT_FOUND',
      'models/gemini-3.7-flahs is not found for API version v1beta, or is not supported for generateContent.',
    ),
    verdict: OURS.not_found,
  },
  {
    shape: 'a path that does not exist',
    source: 'a wrong base_url: the page of Google, shortened',
    provider: 'google',
    status: 405,
    body: '<!DOCTYPE html><title>Error 405 (Method Not Allowed)!!1</title>',
    verdict: OURS.not_found,
  },
  {
    shape: 'a body above the limit',
    source: 'ai.google.dev/gemini-api/docs/file-input-methods',
    provider: 'google',
    status: 400,
    body: google(400, 'INVALID_ARGUMENT', 'Request payload size exceeds the limit: 20971520 bytes.'),
    verdict: oversized('body'),
  },
  {
    shape: 'an output limit above that of the model',
    source: 'stackblitz-labs/bolt.diy#955',
    provider: 'vertex',
    status: 400,
    body: google(
      400,
      'INVALID_ARGUMENT',
      'Unable to submit request because it has a maxOutputTokens value of 655360 but the supported range is from 1 (inclusive) to 8193 (exclusive). Update the value and try again.',
    ),
    verdict: callers('max_tokens', [8_192]),
  },
  {
    shape: 'a prompt above the context',
    source: 'google-gemini/gemini-cli#13006',
    provider: 'google',
    status: 400,
    body: google(
      400,
      'INVALID_ARGUMENT',
      'The input token count (1054016) exceeds the maximum number of tokens allowed (1048576).',
    ),
    verdict: tooLong([1_048_576, 1_054_016]),
  },
  {
    shape: 'a name that it does not know',
    source: 'DanielEdrisian/AlexSideBar-Public#104',
    provider: 'google',
    status: 400,
    body: google(400, 'INVALID_ARGUMENT', 'Invalid JSON payload received. Unknown name "text" at …', [
      {
        '@type': 'type.googleapis.com/google.rpc.BadRequest',
        fieldViolations: [{ field: 'contents[1].parts[0]', description: 'Unknown name "text"' }],
      },
    ]),
    verdict: callers('messages'),
  },
  {
    shape: 'a capacity that comes back in seconds',
    source: 'vybestack/llxprt-code#813',
    provider: 'google',
    status: 429,
    body: google(
      429,
      'RESOURCE_EXHAUSTED',
      'You have exhausted your capacity on this model. Your quota will reset after 26s.',
      [reason('RATE_LIMIT_EXCEEDED')],
    ),
    verdict: limited(26_000),
  },
  {
    shape: 'a quota of a minute that begins with the words of a bill',
    source: 'letterstory/lettertrace#34; google-gemini/gemini-cli#8437',
    provider: 'google',
    status: 429,
    body: google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details.',
      [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '38s' }],
    ),
    verdict: limited(38_000),
  },
  {
    shape: 'the same words without a wait',
    source: 'src/wire/google-generate/__fixtures__/errors.json (quota for good)',
    provider: 'google',
    status: 429,
    body: google(
      429,
      'RESOURCE_EXHAUSTED',
      'You exceeded your current quota, please check your plan and billing details.',
    ),
    verdict: OURS.billing,
  },
]
