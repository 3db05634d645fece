import type { Recordings } from './recording.ts'

export const mistral: Recordings = {
  provider: 'mistral',
  answers: [
    {
      shape: 'text, padded pieces, usage beside the last words',
      files: ['text.json', 'text.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (streaming responses, mistral)',
      tells: {
        text: 'Le château ferme à six heures.',
        finish: 'stop',
        usage: { promptTokens: 31, completionTokens: 9 },
      },
    },
    {
      shape: 'thoughts that are closed more than once, and end in a piece that begins the text',
      files: ['thinking.json', 'thinking.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (mistral hybrid reasoning)',
      tells: {
        text: '144',
        reasoning: 'Twelve squared – 144.',
        finish: 'stop',
        usage: { promptTokens: 31, completionTokens: 66 },
      },
    },
    {
      shape: 'two whole calls, without a type whole, beside the end streamed; cached tokens by two names',
      files: ['tools.json', 'tools.sse'],
      source:
        'pydantic/pydantic-ai tests/models/cassettes; crmne/ruby_llm spec/fixtures (function calling, mistral)',
      tells: {
        calls: [
          ['get_weather', '{"city": "Nîmes"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 227, cachedTokens: 64, completionTokens: 36 },
      },
    },
    {
      shape: 'a call in pieces that have neither id nor name',
      files: ['tools-in-pieces.sse'],
      source: 'vercel/ai packages/mistral/src/__fixtures__/mistral-incremental-tool-call.chunks.txt',
      tells: {
        calls: [['search', '{"query": "Zürich"}']],
        finish: 'tool_calls',
        usage: { promptTokens: 171, cachedTokens: 128, completionTokens: 14 },
      },
    },
    {
      shape: "the model's limit reached",
      files: ['model-length.json', 'model-length.sse'],
      source: '@mistralai/mistralai esm/models/components/chatcompletionchoice.d.ts',
      tells: {
        text: 'Und so weiter – und',
        finish: 'length',
        usage: { promptTokens: 32_760, completionTokens: 8 },
      },
    },
    {
      shape: 'audio, counted beside the prompt',
      files: ['audio.json'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (audio models, mistral)',
      tells: {
        text: 'A ship’s horn – zweimal.',
        finish: 'stop',
        usage: { promptTokens: 384, completionTokens: 248 },
      },
    },
  ],
  errors: [
    {
      shape: 'a wrong key',
      file: 'error-key.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (authentication, mistral)',
      status: 401,
      fails: { kind: 'credential' },
    },
    {
      shape: 'a field that it does not know',
      file: 'error-extra.json',
      source: 'nomtek/mistralai_client_dart issue 44; Gage-Technologies/mistral-go issue 3',
      status: 422,
      fails: { kind: 'bad_request', code: 'invalid_request_error', param: 'messages[0]' },
    },
    {
      shape: 'a rate used up',
      file: 'error-rate.json',
      source: 'raycast/extensions issue 31107',
      status: 429,
      fails: { kind: 'rate_limited', code: 'rate_limited' },
    },
    {
      shape: 'no capacity, called a wrong request',
      file: 'error-capacity.json',
      source: 'continuedev/continue issue 6185',
      status: 429,
      fails: { kind: 'rate_limited', code: 'invalid_request_error' },
    },
  ],
}
