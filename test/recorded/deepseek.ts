import type { Recordings } from './recording.ts'

export const deepseek: Recordings = {
  provider: 'deepseek',
  answers: [
    {
      shape: 'text; keep-alive comments, usage with the finish, cache hits beside the details',
      files: ['text.json', 'text.sse'],
      source:
        'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_streaming_responses_deepseek; api-docs.deepseek.com/quick_start/rate_limit',
      tells: {
        text: 'Grüße aus 北京!',
        finish: 'stop',
        usage: { promptTokens: 141, completionTokens: 7, cachedTokens: 128 },
      },
    },
    {
      shape: 'reasoning, then two calls in pieces, one without arguments',
      files: ['tools.json', 'tools.sse'],
      source: 'vercel/ai packages/deepseek/src/chat/__fixtures__/deepseek-tool-call.chunks.txt',
      tells: {
        reasoning: 'Weather, then the time.',
        calls: [
          ['get_weather', '{"city": "Łódź"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 339, completionTokens: 83, cachedTokens: 320, reasoningTokens: 39 },
      },
    },
    {
      shape: 'reasoning beside a content that is null, and the reverse; cut by the limit',
      files: ['reasoning.json', 'reasoning.sse'],
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_deepseek/test_deepseek_model_thinking_stream.yaml',
      tells: {
        text: '4 – vier.',
        reasoning: '2 and 2.',
        finish: 'length',
        usage: { promptTokens: 18, completionTokens: 30, reasoningTokens: 12 },
      },
    },
    {
      shape:
        'resold: no space behind `data:`, a `retry` in each event, the role in every chunk, `finish_reason` only at the end',
      files: ['resold-bare.sse'],
      source: 'karthink/gptel pull 592; Olinea/AIHub-web test.md',
      tells: {
        text: 'Ja, gern.',
        reasoning: 'Hm…',
        finish: 'stop',
        usage: { promptTokens: 9, completionTokens: 8 },
      },
    },
    {
      shape: 'resold: empty calls, refusals and finish reasons in every chunk',
      files: ['resold-empty.sse'],
      source:
        'a public test of a proxy in front of deepseek-v4.1-flash, found by its text; its repository is not known',
      tells: {
        text: 'Eins, zwei – drei',
        finish: 'stop',
        usage: { promptTokens: 11, completionTokens: 6 },
      },
    },
    {
      shape: 'an answer that its machine could not finish',
      files: ['overloaded.json', 'overloaded.sse'],
      source: 'api-docs.deepseek.com/api/create-chat-completion',
      tells: { fails: 'overloaded' },
    },
  ],
  errors: [
    {
      shape: 'a wrong key, told as an invalid request',
      file: 'error-401.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_error_handling_with_deepseek',
      status: 401,
      fails: { kind: 'credential', code: 'invalid_request_error' },
    },
    {
      shape: 'no money left',
      file: 'error-402.json',
      source: 'Aider-AI/aider issue 4851; continuedev/continue issue 10121',
      status: 402,
      fails: { kind: 'billing', code: 'invalid_request_error' },
    },
    {
      shape: 'a prompt beyond the context, told as any invalid request',
      file: 'error-400.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_real_error_scenarios_deepseek',
      status: 400,
      fails: { kind: 'too_large', code: 'invalid_request_error', limit: 131_072, requested: 140_210 },
    },
  ],
}
