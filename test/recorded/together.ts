import type { Recordings } from './recording.ts'

export const together: Recordings = {
  provider: 'together',
  answers: [
    {
      shape: 'text that ends with `eos`; the same text beside each delta, usage with the finish',
      files: ['text.json', 'text.sse'],
      source:
        'lzell/AIProxySwift Tests (TogetherAIChatCompletionStreamingChunkTests); traceloop/openllmetry packages/opentelemetry-instrumentation-together/tests/cassettes/test_chat/test_together_chat.yaml',
      tells: {
        text: 'Oui – bien sûr.',
        finish: 'stop',
        usage: { promptTokens: 12, completionTokens: 6 },
      },
    },
    {
      shape:
        'thoughts inside the text, the limit reached with the last of it, cached tokens beside the counts',
      files: ['length.json', 'length.sse'],
      source:
        'ogx-ai/ogx tests/integration/recordings/responses/d2e057a81717.json; pydantic/pydantic-ai tests/models/cassettes/test_huggingface (router.huggingface.co/together)',
      tells: {
        text: '<think>\nHmm, ä short',
        finish: 'length',
        usage: { promptTokens: 24, completionTokens: 7, cachedTokens: 16 },
      },
    },
    {
      shape: 'a call in pieces that say null for what was said before, a seed beside the finish',
      files: ['tools.json', 'tools.sse'],
      source: 'ogx-ai/ogx tests/integration/recordings/responses/894fdacb1cfa.json (api.together.xyz)',
      tells: {
        calls: [['get_weather', '{"city":"Århus"}']],
        finish: 'tool_calls',
        usage: { promptTokens: 219, completionTokens: 29 },
      },
    },
  ],
  errors: [
    {
      shape: 'a wrong key',
      file: 'error-401.json',
      source: 'harshitv804/LawGPT issue 4',
      status: 401,
      fails: { kind: 'credential', code: 'invalid_api_key' },
    },
    {
      shape: 'a prompt and an output limit that exceed the context together',
      file: 'error-422.json',
      source: 'bytedance/UI-TARS-desktop issue 626; huggingface/chat-ui issue 327',
      status: 422,
      fails: {
        kind: 'too_large',
        code: 'invalid_request_error',
        param: 'max_tokens',
        limit: 8_193,
        requested: 9_045,
      },
    },
    {
      shape: 'requests per minute used up, told as a limit of credit',
      file: 'error-429.json',
      source: 'togethercomputer/MoA issue 27',
      status: 429,
      fails: { kind: 'rate_limited', code: 'credit_limit' },
    },
  ],
}
