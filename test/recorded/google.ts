import type { Recordings } from './recording.ts'

export const google: Recordings = {
  provider: 'google',
  answers: [
    {
      shape: 'text; counts that grow with each piece; a last piece without text that signs it',
      files: ['text.json', 'text.sse'],
      source:
        'vercel/ai packages/google/src/__fixtures__/issue-18073-empty-text-thought-signature.chunks.txt',
      tells: {
        text: 'Die Fähre fährt um neun. ⛴',
        finish: 'stop',
        usage: { promptTokens: 9, completionTokens: 39, reasoningTokens: 31 },
      },
    },
    {
      shape: 'thoughts; counts without any of the candidate until it speaks',
      files: ['thoughts.json', 'thoughts.sse'],
      source: 'vercel/ai packages/google/src/__fixtures__/gemma-4-output-usage.chunks.txt',
      tells: {
        text: 'Nine.',
        reasoning: '**Weighing it**\n\nNine – or ten?\n\n',
        finish: 'stop',
        usage: { promptTokens: 14, completionTokens: 42, reasoningTokens: 40 },
      },
    },
    {
      shape: 'two calls, with ids whole and without them streamed, one signed, one without arguments',
      files: ['tools.json', 'tools.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_google; crmne/ruby_llm spec/fixtures',
      tells: {
        calls: [
          ['get_weather', '{"city":"Żywiec","days":2}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 143, completionTokens: 153, reasoningTokens: 109 },
      },
    },
    {
      shape: 'the limit reached before a word',
      files: ['length.json', 'length.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_google (max tokens, thinking model)',
      tells: {
        finish: 'length',
        usage: { promptTokens: 15, completionTokens: 22, reasoningTokens: 22 },
      },
    },
    {
      shape: 'an answer withheld, without content and index',
      files: ['safety.json', 'safety.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_google (safety settings)',
      tells: { finish: 'content_filter', usage: { promptTokens: 14 } },
    },
    {
      shape: 'a prompt refused, without candidates',
      files: ['blocked.json', 'blocked.sse'],
      source: 'vercel/ai packages/google/src/__fixtures__/issue-19758-prompt-block.chunks.txt',
      tells: { finish: 'content_filter', usage: { promptTokens: 9 } },
    },
    {
      shape: "the provider's own search, counted as prompt, and no call of the caller's",
      files: ['search.json', 'search.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_google (file search grounding, streamed)',
      tells: {
        text: 'High tide is at 14:05 – heute.',
        finish: 'stop',
        usage: { promptTokens: 93, completionTokens: 72, reasoningTokens: 60 },
      },
    },
    {
      shape: 'a call that the model wrote wrongly',
      files: ['malformed.json', 'malformed.sse'],
      source: 'pydantic/pydantic-ai pull 3095',
      tells: { fails: 'malformed_output' },
    },
    {
      shape: 'overload in the middle',
      files: ['unavailable.sse'],
      source: 'google-gemini/gemini-cli issue 4360',
      tells: { fails: 'overloaded' },
    },
  ],
  errors: [
    {
      shape: "a minute's quota used up, the wait in the details",
      file: 'error-minute.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (context length exceeded, gemini)',
      status: 429,
      fails: { kind: 'rate_limited', code: 'RESOURCE_EXHAUSTED', retryAfterMs: 21_000 },
    },
    {
      shape: "a day's quota used up, with a wait that is too short",
      file: 'error-day.json',
      source: 'google-gemini/gemini-cli issue 8437',
      status: 429,
      fails: { kind: 'rate_limited', code: 'RESOURCE_EXHAUSTED', retryAfterMs: 3_600_000 },
    },
    {
      shape: 'a wrong key',
      file: 'error-key.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (authentication, gemini)',
      status: 400,
      fails: { kind: 'credential', code: 'API_KEY_INVALID' },
    },
    {
      shape: 'an effort that the model does not know',
      file: 'error-level.json',
      source: 'vercel/ai packages/google/src/__fixtures__/issue-22372-live-errors.json',
      status: 400,
      fails: { kind: 'bad_request', code: 'INVALID_ARGUMENT' },
    },
    {
      shape: 'an unknown model',
      file: 'error-model.json',
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_model_names',
      status: 404,
      fails: { kind: 'not_found', code: 'NOT_FOUND' },
    },
    {
      shape: 'overload before the answer',
      file: 'error-overloaded.json',
      source: 'google-gemini/gemini-cli issue 5191',
      status: 503,
      fails: { kind: 'overloaded', code: 'UNAVAILABLE' },
    },
  ],
}
