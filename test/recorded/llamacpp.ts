import type { Recordings } from './recording.ts'

export const llamacpp: Recordings = {
  provider: 'llamacpp',
  answers: [
    {
      shape: 'text with timings; usage in a chunk of its own, or beside the end as it once was',
      files: ['text.json', 'text.sse', 'text-before-b6200.sse'],
      source: 'ggml-org/llama.cpp pull 15444',
      tells: { text: 'Živjo – svet!', finish: 'stop', usage: { promptTokens: 41, completionTokens: 9 } },
    },
    {
      shape: 'the limit reached within reasoning',
      files: ['reasoning.json', 'reasoning.sse'],
      source: 'ggml-org/llama.cpp pull 12379',
      tells: {
        reasoning: 'Okay – noch',
        finish: 'length',
        usage: { promptTokens: 14, completionTokens: 32 },
      },
    },
    {
      shape: 'two calls in pieces with empty ids, the first piece with a brace',
      files: ['tools.json', 'tools.sse'],
      source: 'ggml-org/llama.cpp issue 22722, pull 13800',
      tells: {
        calls: [
          ['get_weather', '{"city":"Koper – Capodistria"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 220, completionTokens: 40 },
      },
    },
  ],
  errors: [
    {
      shape: 'a prompt above the context, with both numbers',
      file: 'error-too-long.json',
      source: 'ggml-org/llama.cpp pull 15780; oobabooga/textgen issue 7257',
      status: 400,
      fails: { kind: 'too_large', code: 'exceed_context_size_error' },
    },
    {
      shape: 'a model that is not loaded yet',
      file: 'error-loading.json',
      source: 'canonical/inference-snaps issue 234; mindverse/Second-Me issue 20',
      status: 503,
      fails: { kind: 'overloaded', code: 'unavailable_error' },
    },
  ],
}
