import type { Recordings } from './recording.ts'

export const ollama: Recordings = {
  provider: 'ollama',
  answers: [
    {
      shape: 'text after reasoning, beside empty content; usage in a chunk of its own',
      files: ['text.json', 'text.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (streaming responses, ollama cloud)',
      tells: {
        text: 'Schöne Grüße.',
        reasoning: 'Just greet – kurz.',
        finish: 'stop',
        usage: { promptTokens: 72, completionTokens: 21 },
      },
    },
    {
      shape: 'two whole calls with the same index, in one chunk or in two',
      files: ['tools.json', 'tools.sse', 'tools-one-by-one.sse'],
      source: 'vercel/ai pull 14277; BerriAI/litellm pull 37792',
      tells: {
        reasoning: 'Two calls.',
        calls: [
          ['get_weather', '{"city":"Tromsø"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 194, completionTokens: 87 },
      },
    },
    {
      shape: 'the limit reached within reasoning',
      files: ['length.json', 'length.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (reasoning field, ollama cloud)',
      tells: {
        reasoning: 'The user – hm',
        finish: 'length',
        usage: { promptTokens: 70, completionTokens: 5 },
      },
    },
  ],
  errors: [
    {
      shape: 'a wrong key of the cloud',
      file: 'error-key.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (authentication, ollama cloud)',
      status: 401,
      fails: { kind: 'credential', code: 'api_error' },
    },
    {
      shape: 'a prompt above the context',
      file: 'error-too-long.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (context length exceeded, ollama cloud)',
      status: 400,
      fails: { kind: 'too_large', code: 'invalid_request_error' },
    },
  ],
}
