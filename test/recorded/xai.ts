import type { Recordings } from './recording.ts'

export const xai: Recordings = {
  provider: 'xai',
  answers: [
    {
      shape: 'reasoning, whose tokens are in the total, but not in the completion',
      files: ['text.json', 'text.sse'],
      source: 'vercel/ai packages/xai/src/__fixtures__/xai-text.chunks.txt',
      tells: {
        text: 'Olá – hello!',
        reasoning: 'A greeting, short.',
        finish: 'stop',
        usage: {
          promptTokens: 12,
          completionTokens: 233,
          cachedTokens: 11,
          reasoningTokens: 229,
          totalTokens: 245,
        },
      },
    },
    {
      shape: 'whole calls in one piece each',
      files: ['tools.json', 'tools.sse'],
      source: 'vercel/ai packages/xai/src/__fixtures__/xai-tool-call.chunks.txt',
      tells: {
        reasoning: 'Two calls.',
        calls: [
          ['get_weather', '{"city":"São Paulo"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: {
          promptTokens: 291,
          completionTokens: 248,
          cachedTokens: 290,
          reasoningTokens: 196,
          totalTokens: 539,
        },
      },
    },
    {
      shape: 'usage that grows in every chunk, the limit reached with the last text',
      files: ['length.json', 'length.sse'],
      source: 'M-Lai-ai/LLM-Provider-reference Grok/streaming.md',
      tells: {
        text: 'Ænes is a village in',
        finish: 'length',
        usage: { promptTokens: 38, completionTokens: 5 },
      },
    },
  ],
  errors: [
    {
      shape: 'a wrong key as an invalid request, its words without an object',
      file: 'error-key.json',
      source: 'continuedev/continue issue 10778; openai/codex issue 1352',
      status: 400,
      fails: { kind: 'credential' },
    },
    {
      shape: 'no credits left, told as a rate limit',
      file: 'error-credits.json',
      source: 'continuedev/continue issue 10373',
      status: 429,
      fails: { kind: 'billing' },
    },
    {
      shape: 'a prompt beyond the context',
      file: 'error-context.json',
      source: 'cline/cline issue 3120',
      status: 400,
      fails: { kind: 'too_large', limit: 131_072, requested: 140_113 },
    },
  ],
}
