import type { Recordings } from './recording.ts'

export const moonshot: Recordings = {
  provider: 'moonshot',
  answers: [
    {
      shape: 'reasoning; usage in the last choice and again in a chunk of its own',
      files: ['reasoning.json', 'reasoning.sse'],
      source: 'vercel/ai packages/moonshotai/src/__fixtures__/moonshotai-usage-live.chunks.txt',
      tells: {
        text: '好 – good.',
        reasoning: 'A short answer.',
        finish: 'stop',
        usage: { promptTokens: 90, completionTokens: 21, cachedTokens: 64, reasoningTokens: 12 },
      },
    },
    {
      shape: 'older models: usage in the last choice only',
      files: ['text.json', 'text.sse'],
      source: 'higress-group/higress pull 1568; northes/go-moonshot issue 17; earendil-works/pi issue 2017',
      tells: {
        text: '你好。',
        finish: 'stop',
        usage: { promptTokens: 19, completionTokens: 13 },
      },
    },
    {
      shape: 'two calls without indices, the pieces of both side by side in each chunk; or with indices',
      files: ['tools.json', 'tools.sse', 'tools-indexed.sse'],
      source:
        'vercel/ai packages/moonshotai/src/__fixtures__/moonshotai-stream-indexless-tool-calls.chunks.txt, moonshotai-tool-call.chunks.txt',
      tells: {
        calls: [
          ['get_weather', '{"city":"Reykjavík"}'],
          ['get_time', '{"zone":"UTC"}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 61, completionTokens: 25 },
      },
    },
    {
      shape: 'nothing said, and more reasoning reported than output',
      files: ['length.json'],
      source: 'vercel/ai packages/moonshotai/src/__fixtures__/issue-19311-kimi-k3-negative-usage.json',
      tells: {
        finish: 'length',
        usage: {
          promptTokens: 95,
          completionTokens: 600,
          cachedTokens: 60,
          reasoningTokens: 601,
          totalTokens: 696,
        },
      },
    },
    {
      shape: 'an error in the middle',
      files: ['error-half-way.sse'],
      source: 'vercel/ai packages/moonshotai/src/__fixtures__/moonshotai-error.chunks.txt',
      tells: { fails: 'server' },
    },
  ],
  errors: [
    {
      shape: 'a wrong key',
      file: 'error-401.json',
      source: 'continuedev/continue issue 10559; langgenius/dify-official-plugins issue 1548',
      status: 401,
      fails: { kind: 'credential', code: 'invalid_authentication_error' },
    },
    {
      shape: 'no money left, told as a lack of permission',
      file: 'error-403.json',
      source: 'MoonshotAI/Kimi-K2 issue 5',
      status: 403,
      fails: { kind: 'billing', code: 'exceeded_current_quota_error' },
    },
    {
      shape: 'an unknown model',
      file: 'error-404.json',
      source: 'langgenius/dify issue 39778',
      status: 404,
      fails: { kind: 'not_found', code: 'resource_not_found_error' },
    },
    {
      shape: 'too many requests, the wait in the sentence',
      file: 'error-429.json',
      source: 'harry0703/MoneyPrinterTurbo issue 339',
      status: 429,
      fails: { kind: 'rate_limited', code: 'rate_limit_reached_error', retryAfterMs: 1_000 },
    },
    {
      shape: 'overload, told as a rate limit',
      file: 'error-429-overloaded.json',
      source: 'platform.moonshot.ai/docs/api/chat (error reference)',
      status: 429,
      fails: { kind: 'overloaded', code: 'engine_overloaded_error' },
    },
    {
      shape: 'a temperature that the model does not take, without a code or a parameter',
      file: 'error-400.json',
      source: 'vercel/ai packages/moonshotai/src/__fixtures__/moonshotai-kimi-k3-temperature-rejection.json',
      status: 400,
      fails: { kind: 'bad_request', code: 'invalid_request_error' },
    },
  ],
}
