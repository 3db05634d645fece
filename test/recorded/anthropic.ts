import type { Recordings } from './recording.ts'

export const anthropic: Recordings = {
  provider: 'anthropic',
  answers: [
    {
      shape: 'text between pings, events padded with blanks; the last report repeats the prompt',
      files: ['text.json', 'text.sse'],
      source: 'vercel/ai packages/anthropic/src/__fixtures__/anthropic-message-start-default.chunks.txt',
      tells: {
        text: 'Grüß Gott! 👋 The hut opens at six.',
        finish: 'stop',
        usage: { promptTokens: 21, completionTokens: 14 },
      },
    },
    {
      shape: 'signed and redacted thinking, counted apart',
      files: ['thinking.json', 'thinking.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_anthropic; crmne/ruby_llm spec/fixtures',
      tells: {
        text: '56',
        reasoning: 'Seven times eight – that is 56.',
        finish: 'stop',
        usage: { promptTokens: 38, completionTokens: 47, reasoningTokens: 29 },
      },
    },
    {
      shape: 'two calls, one cut within an escape, one whose only piece is empty',
      files: ['tools.json', 'tools.sse'],
      source: 'vercel/ai packages/anthropic/src/__fixtures__/anthropic-tool-no-args.chunks.txt',
      tells: {
        text: 'I shall look both up.',
        calls: [
          ['book_train', '{"from":"Linz","to":"Graz","note":"\\"quiet\\" – bitte"}'],
          ['list_stations', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 611, completionTokens: 88 },
      },
    },
    {
      shape:
        "the provider's own search: no call of the caller's, a prompt that grew, citations before their text",
      files: ['search.json', 'search.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_anthropic (web search, streamed)',
      tells: {
        text: 'The lake stands at 115.2 m – tief.',
        citations: 1,
        finish: 'stop',
        usage: { promptTokens: 10_231, completionTokens: 142 },
      },
    },
    {
      shape: 'a turn that the provider paused',
      files: ['pause.json'],
      source: 'platform.claude.com/docs/en/build-with-claude/handling-stop-reasons',
      tells: {
        text: 'Noch eine Suche –',
        finish: 'length',
        usage: { promptTokens: 2_188, completionTokens: 31 },
      },
    },
    {
      shape: 'a refusal without content, explained',
      files: ['refusal.json', 'refusal.sse'],
      source: 'vercel/ai packages/anthropic/src/__fixtures__/anthropic-refusal.chunks.txt',
      tells: {
        refusal: 'This request was blocked under the usage policy – cyber.',
        finish: 'content_filter',
        usage: { promptTokens: 19, completionTokens: 4 },
      },
    },
    {
      shape: 'the limit reached; a cached prompt; the last report with nulls',
      files: ['length.json', 'length.sse'],
      source: '@anthropic-ai/sdk resources/messages/messages.d.ts (MessageDeltaUsage)',
      tells: {
        text: 'Once upon a time in Žilina',
        finish: 'length',
        usage: { promptTokens: 3_180, cachedTokens: 3_072, cacheWriteTokens: 96, completionTokens: 8 },
      },
    },
    {
      shape: 'an end without content',
      files: ['empty.json', 'empty.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (tool choice none)',
      tells: { finish: 'stop', usage: { promptTokens: 588, completionTokens: 3 } },
    },
    {
      shape: 'overload in the middle',
      files: ['overloaded.sse'],
      source: 'Doriandarko/claude-engineer issue 161, after the documentation of streams',
      tells: { fails: 'overloaded' },
    },
    {
      shape: 'another message that begins within the first',
      files: ['spliced.sse'],
      source: 'vercel/ai packages/anthropic/src/__fixtures__/spliced-message-start.chunks.txt',
      tells: { fails: 'invalid_answer' },
    },
  ],
  errors: [
    {
      shape: 'a prompt above the context',
      file: 'error-too-long.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (context length exceeded)',
      status: 400,
      headers: { 'x-should-retry': 'false' },
      fails: { kind: 'too_large', code: 'invalid_request_error', limit: 200_000, requested: 214_503 },
    },
    {
      shape: 'an effort that the model does not know',
      file: 'error-effort.json',
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_anthropic (explicit effort xhigh)',
      status: 400,
      fails: { kind: 'bad_request', code: 'invalid_request_error' },
    },
    {
      shape: 'no credit left, told in words alone',
      file: 'error-credit.json',
      source: 'anthropics/claude-code issue 66314',
      status: 400,
      fails: { kind: 'billing', code: 'invalid_request_error' },
    },
    {
      shape: 'a wrong key',
      file: 'error-key.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (authentication)',
      status: 401,
      fails: { kind: 'credential', code: 'authentication_error' },
    },
    {
      shape: 'a key without permission',
      file: 'error-permission.json',
      source: 'platform.claude.com/docs/en/api/errors',
      status: 403,
      fails: { kind: 'credential', code: 'permission_error' },
    },
    {
      shape: 'an unknown model',
      file: 'error-model.json',
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_model_names',
      status: 404,
      fails: { kind: 'not_found', code: 'not_found_error' },
    },
    {
      shape: 'a body above the limit',
      file: 'error-too-large.json',
      source: 'platform.claude.com/docs/en/api/errors',
      status: 413,
      fails: { kind: 'oversized', part: 'body', code: 'request_too_large' },
    },
    {
      shape: 'a rate used up, the wait in a header',
      file: 'error-rate.json',
      source: 'platform.claude.com/docs/en/api/errors',
      status: 429,
      headers: { 'retry-after': '13', 'anthropic-ratelimit-input-tokens-remaining': '0' },
      fails: { kind: 'rate_limited', code: 'rate_limit_error', retryAfterMs: 13_000, remainingZero: true },
    },
    {
      shape: 'overload before the answer',
      file: 'error-overloaded.json',
      source: 'anthropics/anthropic-sdk-typescript issue 616',
      status: 529,
      headers: { 'x-should-retry': 'true' },
      fails: { kind: 'overloaded', code: 'overloaded_error' },
    },
  ],
}
