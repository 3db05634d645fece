import type { Recordings } from './recording.ts'

export const vertex: Recordings = {
  provider: 'vertex',
  answers: [
    {
      shape: 'text; candidates without an index; counts in the last piece alone; a cached prompt',
      files: ['text.json', 'text.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (streaming responses, vertexai)',
      tells: {
        text: 'Bonjour – déjà vu!',
        finish: 'stop',
        usage: { promptTokens: 4_107, cachedTokens: 4_096, completionTokens: 31, reasoningTokens: 25 },
      },
    },
    {
      shape: 'two calls and the end in one piece',
      files: ['tools.json', 'tools.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (function calling, vertexai, streamed)',
      tells: {
        calls: [
          ['get_weather', '{"city":"Übersee"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 70, completionTokens: 60, reasoningTokens: 43 },
      },
    },
    {
      shape: 'an answer that Model Armor withheld, counted',
      files: ['armor-answer.json', 'armor-answer.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_google (model armor, response)',
      tells: {
        finish: 'content_filter',
        usage: { promptTokens: 19, completionTokens: 33, reasoningTokens: 27 },
      },
    },
    {
      shape: 'a prompt that Model Armor refused, with a usage that counts nothing',
      files: ['armor-prompt.json', 'armor-prompt.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_google (model armor, prompt)',
      tells: { finish: 'content_filter' },
    },
    {
      shape: 'a call of a tool that was not offered',
      files: ['undeclared.json', 'undeclared.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_multimodal_tool_returns (google vertex)',
      tells: { fails: 'malformed_output' },
    },
  ],
  errors: [
    {
      shape: 'no capacity, in a list and without a wait',
      file: 'error-exhausted.json',
      source: 'continuedev/continue issue 8967',
      status: 429,
      fails: { kind: 'rate_limited', code: 'RESOURCE_EXHAUSTED' },
    },
    {
      shape: 'a prompt above the context',
      file: 'error-too-long.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (context length exceeded, vertexai)',
      status: 400,
      fails: { kind: 'too_large', code: 'INVALID_ARGUMENT', limit: 1_048_576, requested: 1_048_601 },
    },
    {
      shape: 'an address that cannot be read',
      file: 'error-address.json',
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_multimodal_tool_returns (google vertex)',
      status: 400,
      fails: { kind: 'bad_request', code: 'INVALID_ARGUMENT' },
    },
  ],
}
