import type { Recordings } from './recording.ts'

export const openrouter: Recordings = {
  provider: 'openrouter',
  answers: [
    {
      shape: 'text; comments, the finish told again with the usage, a price in it',
      files: ['text.json', 'text.sse'],
      source:
        'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_streaming_responses_openrouter_claude-haiku-4-5',
      tells: {
        text: 'Um sechs – at six.',
        finish: 'stop',
        usage: { promptTokens: 1308, completionTokens: 9, cachedTokens: 1200, cacheWriteTokens: 64 },
      },
    },
    {
      shape: 'reasoning as text and as details with nulls, its signature in a piece of its own',
      files: ['reasoning.json', 'reasoning.sse'],
      source:
        'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_with_extended_thinking_openrouter_claude-haiku-4-5',
      tells: {
        text: 'Zürich.',
        reasoning: 'The largest city, not the capital.',
        finish: 'stop',
        usage: { promptTokens: 44, completionTokens: 61, reasoningTokens: 40 },
      },
    },
    {
      shape: 'two calls, one of them without the field for its arguments, or with empty ones only',
      files: ['tools.json', 'tools.sse'],
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_openrouter/test_openrouter_tool_optional_parameters.yaml',
      tells: {
        calls: [
          ['get_weather', '{"city": "Besançon"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 688, completionTokens: 57 },
      },
    },
    {
      shape: 'an image beside the text',
      files: ['image.json', 'image.sse'],
      source: 'OpenRouterTeam/ai-sdk-provider src/chat/index.test.ts (stream images)',
      tells: {
        text: 'Voilà:',
        images: 1,
        finish: 'stop',
        usage: { promptTokens: 12, completionTokens: 1301 },
      },
    },
    {
      shape: 'citations in several chunks',
      files: ['citations.json', 'citations.sse'],
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_openrouter/test_openrouter_web_search_annotations_stream.yaml',
      tells: {
        text: 'Twice a day[1][2] – älso at night.',
        citations: 2,
        finish: 'stop',
        usage: { promptTokens: 14, completionTokens: 33 },
      },
    },
    {
      shape: 'an error behind a finish, beside the usage',
      files: ['error-after-length.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_openrouter/test_openrouter_stream_error.yaml',
      tells: { fails: 'bad_request' },
    },
    {
      shape: 'an error in the middle, beside a finish of its own',
      files: ['error-half-way.sse'],
      source: 'openrouter.ai/docs/api-reference/streaming (Handling Errors During Streaming)',
      tells: { fails: 'server' },
    },
    {
      shape: 'an error instead of an answer, with status 200',
      files: ['error-inside.json'],
      source: 'openrouter.ai/docs/api-reference/errors; pydantic/pydantic-ai tests/models/test_openrouter.py',
      tells: { fails: 'rate_limited' },
    },
  ],
  errors: [
    {
      shape: 'no key',
      file: 'error-401.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_error_handling_with_openrouter',
      status: 401,
      fails: { kind: 'credential' },
    },
    {
      shape: 'too few credits for the output that was asked for',
      file: 'error-402.json',
      source: 'babikov/doka-site issue 7; can1357/oh-my-pi issue 9569',
      status: 402,
      fails: { kind: 'too_dear' },
    },
    {
      shape: 'the rate at a provider behind it, whose words are in the metadata',
      file: 'error-429.json',
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_openrouter/test_openrouter_errors_raised.yaml',
      status: 429,
      fails: { kind: 'rate_limited' },
    },
    {
      shape: 'a prompt beyond the context, with what was tried before',
      file: 'error-400.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_real_error_scenarios_openrouter',
      status: 400,
      fails: { kind: 'too_large', limit: 200_000, requested: 214_400 },
    },
  ],
}
