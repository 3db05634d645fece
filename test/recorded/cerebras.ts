import type { Recordings } from './recording.ts'

export const cerebras: Recordings = {
  provider: 'cerebras',
  answers: [
    {
      shape: 'reasoning under another name; comments and an empty event, usage in a chunk of its own',
      files: ['reasoning.json', 'reasoning.sse'],
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_cerebras/test_cerebras_zai_reasoning_replayed_as_think_tags.yaml; gabrielmbmb/what-ttft',
      tells: {
        text: 'Bogotá.',
        reasoning: 'Capital of Colombia.',
        finish: 'stop',
        usage: { promptTokens: 74, completionTokens: 18, cachedTokens: 32, reasoningTokens: 9 },
      },
    },
    {
      shape: 'two whole calls in a message without content, usage with the finish',
      files: ['tools.json', 'tools.sse'],
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_openai/test_openai_model_cerebras_provider_qwen_3_coder.yaml; ogx-ai/ogx tests/integration/recordings/responses/0648374e43e7.json (api.cerebras.ai)',
      tells: {
        calls: [
          ['get_weather', '{"city":"Kraków"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 402, completionTokens: 37 },
      },
    },
    {
      shape: 'the limit reached with the last text, usage without details',
      files: ['length.json', 'length.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_cerebras/test_cerebras_model_simple.yaml',
      tells: {
        text: 'Der Fluß is',
        reasoning: 'Name the',
        finish: 'length',
        usage: { promptTokens: 33, completionTokens: 8 },
      },
    },
  ],
  errors: [
    {
      shape: 'requests per minute used up, without an envelope',
      file: 'error-429.json',
      source: 'nminaya/grammar-nazi-bot issue 957',
      status: 429,
      fails: { kind: 'rate_limited', code: 'request_quota_exceeded' },
    },
    {
      shape: 'a prompt beyond the context',
      file: 'error-context.json',
      source: 'cline/cline issue 5140',
      status: 400,
      fails: { kind: 'too_large', code: 'context_length_exceeded', limit: 40_000, requested: 42_328 },
    },
    {
      shape: 'a message with a field that it does not know',
      file: 'error-format.json',
      source: 'Kilo-Org/kilocode issue 10375; Alishahryar1/free-claude-code issue 1136',
      status: 400,
      fails: { kind: 'bad_request', code: 'wrong_api_format' },
    },
  ],
}
