import type { Recordings } from './recording.ts'

export const fireworks: Recordings = {
  provider: 'fireworks',
  answers: [
    {
      shape: 'reasoning; usage with the finish, and behind it a chunk without choices',
      files: ['reasoning.json', 'reasoning.sse'],
      source:
        'docs.fireworks.ai/faq-new/models-inference/how-to-get-performance-metrics-for-streaming-responses; ogx-ai/ogx tests/integration/recordings/responses/25649d730247.json (api.fireworks.ai)',
      tells: {
        text: 'Fünf.',
        reasoning: 'Two and three.',
        finish: 'stop',
        usage: { promptTokens: 21, completionTokens: 14 },
      },
    },
    {
      shape: 'two calls, numbered in whole answers too',
      files: ['tools.json', 'tools.sse'],
      source: 'docs.fireworks.ai/guides/function-calling',
      tells: {
        calls: [
          ['get_weather', '{"city":"Gdańsk"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 187, completionTokens: 38, cachedTokens: 64 },
      },
    },
    {
      shape: 'two choices, the usage of both until then with the end of each',
      files: ['two.json', 'two.sse'],
      source: 'ogx-ai/ogx tests/integration/recordings/responses/235c36771a8a.json (api.fireworks.ai)',
      choices: 2,
      tells: {
        text: 'Eins – zwei.',
        finish: 'stop',
        usage: { promptTokens: 20, completionTokens: 13 },
      },
    },
    {
      shape: 'newer models: usage in a chunk of its own',
      files: ['usage-alone.json', 'usage-alone.sse'],
      source: 'langchain-ai/langchain pull 36977',
      tells: {
        text: 'Så klart – of',
        finish: 'length',
        usage: { promptTokens: 30, completionTokens: 5, cachedTokens: 16 },
      },
    },
  ],
  errors: [
    {
      shape: 'a model that does not chat',
      file: 'error-404.json',
      source: 'BerriAI/litellm issue 3465',
      status: 404,
      fails: { kind: 'not_found', code: 'invalid_request_error' },
    },
    {
      shape: 'an account that is suspended because it did not pay',
      file: 'error-412.json',
      source: 'pollinations/pollinations issue 12136; FerroxLabs/wayland issue 545',
      status: 412,
      fails: { kind: 'billing', code: 'PRECONDITION_FAILED' },
    },
    {
      shape: 'a schema that it does not understand',
      file: 'error-400.json',
      source: 'earendil-works/pi issue 5352',
      status: 400,
      fails: { kind: 'bad_request', code: 'invalid_request_error' },
    },
  ],
}
