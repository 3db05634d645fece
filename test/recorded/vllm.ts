import type { Recordings } from './recording.ts'

export const vllm: Recordings = {
  provider: 'vllm',
  answers: [
    {
      shape: 'text between nulls; the end beside the last words, with the sequence that stopped it',
      files: ['text.json', 'text.sse'],
      source: 'vllm-project/vllm issue 27572, pull 19662',
      tells: {
        text: '안녕하세요 – hello.',
        finish: 'stop',
        usage: { promptTokens: 23, completionTokens: 9 },
      },
    },
    {
      shape: 'reasoning by both names, by one or the other; usage in each chunk, or at the end alone',
      files: ['reasoning.json', 'reasoning.sse', 'reasoning-renamed.sse'],
      source: 'vllm-project/vllm pull 6652, issue 37397',
      tells: {
        text: 'Four – genau.',
        reasoning: 'Two and two.',
        finish: 'stop',
        usage: { promptTokens: 12, completionTokens: 11 },
      },
    },
    {
      shape:
        'a call whose first piece has no arguments and whose later ones have no id, beside null reasoning',
      files: ['tools.json', 'tools.sse'],
      source: 'vllm-project/vllm issue 18412, pull 19662',
      tells: {
        calls: [['get_weather', '{"city": "Gdańsk"}']],
        finish: 'tool_calls',
        usage: { promptTokens: 188, completionTokens: 24 },
      },
    },
    {
      shape: 'a failure in the middle, and then [DONE]',
      files: ['broken.sse'],
      source: 'vllm-project/vllm issues 24495 and 28028',
      tells: { fails: 'server' },
    },
  ],
  errors: [
    {
      shape: 'prompt and output above the context',
      file: 'error-too-long.json',
      source: 'vllm-project/vllm issue 20409; llm-d/llm-d-inference-sim issue 596',
      status: 400,
      fails: {
        kind: 'too_large',
        code: 'BadRequestError',
        param: 'max_tokens',
        limit: 16_384,
        requested: 17_005,
      },
    },
    {
      shape: 'a prompt above the context, which it calls the length of the model',
      file: 'error-prompt-too-long.json',
      source: 'vllm-project/vllm pull 12600',
      status: 400,
      fails: { kind: 'too_large', code: 'BadRequestError' },
    },
    {
      shape: 'a prompt above the context, told by the output that is left, without an envelope',
      file: 'error-no-room.json',
      source: 'vllm-project/vllm issue 4667',
      status: 400,
      fails: { kind: 'too_large', code: 'BadRequestError' },
    },
  ],
}
