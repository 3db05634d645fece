import type { Recordings } from './recording.ts'

export const groq: Recordings = {
  provider: 'groq',
  answers: [
    {
      shape: 'text; usage within x_groq of the last content chunk and in a chunk of its own',
      files: ['text.json', 'text.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_groq; Portkey-AI/gateway issue 1338',
      tells: {
        text: 'The ferry leaves at nine – ünd comes back.',
        finish: 'stop',
        usage: { promptTokens: 41, completionTokens: 9 },
      },
    },
    {
      shape: 'two calls in one piece, one without arguments; a message without content',
      files: ['tools.json', 'tools.sse'],
      source: 'ogx-ai/ogx pull 630; crmne/ruby_llm spec/fixtures',
      tells: {
        calls: [
          ['get_weather', '{"city":"Oslo"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 263, completionTokens: 31 },
      },
    },
    {
      shape: 'reasoning in a channel; usage twice in the last content chunk',
      files: ['reasoning.json', 'reasoning.sse'],
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_groq/test_tool_use_failed_error_streaming.yaml',
      tells: {
        text: 'Nìne hu',
        reasoning: 'Three threes.',
        finish: 'length',
        usage: { promptTokens: 88, completionTokens: 24, reasoningTokens: 15 },
      },
    },
    {
      shape: 'an error event in the middle, and nothing behind it',
      files: ['error-half-way.sse'],
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_groq/test_tool_use_failed_error_streaming_with_text.yaml',
      tells: { fails: 'malformed_output' },
    },
  ],
  errors: [
    {
      shape: 'tokens per minute used up, the wait in the sentence',
      file: 'error-429.json',
      source: 'console.groq.com/docs/rate-limits',
      status: 429,
      fails: { kind: 'rate_limited', code: 'rate_limit_exceeded', retryAfterMs: 7_360 },
    },
    {
      shape: 'a call that the model wrote wrongly',
      file: 'error-tool-use-failed.json',
      source: 'console.groq.com/docs/tool-use',
      status: 400,
      fails: { kind: 'malformed_output', code: 'tool_use_failed' },
    },
  ],
}
