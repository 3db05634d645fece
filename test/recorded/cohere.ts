import type { Recordings } from './recording.ts'

export const cohere: Recordings = {
  provider: 'cohere',
  answers: [
    {
      shape: 'text, counted in billed units beside tokens, and [DONE]',
      files: ['text.json', 'text.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (streaming responses, cohere)',
      tells: { text: 'Öresund – 16 km.', finish: 'stop', usage: { promptTokens: 7, completionTokens: 8 } },
    },
    {
      shape: 'thoughts, counted among the tokens',
      files: ['thinking.json', 'thinking.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (extended thinking, cohere)',
      tells: {
        text: 'Nine.',
        reasoning: 'Ten minus one – nine.',
        finish: 'stop',
        usage: { promptTokens: 8, completionTokens: 50, reasoningTokens: 38 },
      },
    },
    {
      shape:
        'a plan and two calls; none of the second’s arguments are the word null whole, and no piece streamed',
      files: ['tools.json', 'tools.sse'],
      source:
        'vercel/ai packages/cohere/src/__fixtures__/cohere-null-args.json, cohere-empty-tool-call.chunks.txt',
      tells: {
        text: 'I will look up both – moment.',
        calls: [
          ['get_weather', '{"city":"Århus"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 135, completionTokens: 78 },
      },
    },
    {
      shape: 'citations between the pieces of the text that follows thoughts',
      files: ['citations.json', 'citations.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (citations, cohere, streamed)',
      tells: {
        text: 'It was built by J. Kühn in 1903.',
        reasoning: 'The document says so.',
        citations: 2,
        finish: 'stop',
        usage: { promptTokens: 51, completionTokens: 66, reasoningTokens: 58 },
      },
    },
    {
      shape: 'the limit reached',
      files: ['length.json', 'length.sse'],
      source: 'vercel/ai packages/cohere/src/__fixtures__/cohere-max-tokens.json',
      tells: { text: '**Die Geschichte', finish: 'length', usage: { promptTokens: 11, completionTokens: 4 } },
    },
    {
      shape: 'a stop sequence',
      files: ['stop.json'],
      source: 'pydantic/pydantic-ai tests/models/cassettes (stop settings, cohere)',
      tells: { text: 'The city known as', finish: 'stop', usage: { promptTokens: 25, completionTokens: 9 } },
    },
  ],
  errors: [
    {
      shape: 'a wrong key',
      file: 'error-key.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (authentication, cohere)',
      status: 401,
      fails: { kind: 'credential' },
    },
    {
      shape: 'a prompt above the context, with a type of its own',
      file: 'error-too-long.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (context length exceeded, cohere)',
      status: 400,
      fails: { kind: 'too_large', code: 'TOO_MANY_TOKENS' },
    },
  ],
}
