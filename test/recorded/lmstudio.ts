import type { Recordings } from './recording.ts'

export const lmstudio: Recordings = {
  provider: 'lmstudio',
  answers: [
    {
      shape: 'text beside empty reasoning and no calls; a role in each chunk',
      files: ['text.json', 'text.sse'],
      source: 'lmstudio-ai/lmstudio-bug-tracker issue 619',
      tells: { text: 'Hyvää iltaa.', finish: 'stop', usage: { promptTokens: 10, completionTokens: 6 } },
    },
    {
      shape: 'reasoning, counted',
      files: ['reasoning.json', 'reasoning.sse'],
      source: 'lmstudio-ai/lmstudio-bug-tracker issue 601; a public report of gemma-4-e2b, address unknown',
      tells: {
        text: 'Seven.',
        reasoning: 'Count – sept.',
        finish: 'stop',
        usage: { promptTokens: 17, completionTokens: 19, reasoningTokens: 12 },
      },
    },
    {
      shape: 'a call in pieces, each with an id of its own and an empty name; empty content beside it whole',
      files: ['tools.json', 'tools.sse'],
      source: 'NousResearch/hermes-agent pull 106943',
      tells: {
        calls: [['get_time', '{"timezone":"Europe/Zürich"}']],
        finish: 'tool_calls',
        usage: { promptTokens: 148, completionTokens: 21 },
      },
    },
    {
      shape: 'a prompt above the context, told by an event of a 200',
      files: ['too-long.sse'],
      source: 'nugget/thane-ai-agent pull 1395; lmstudio-ai/lmstudio-bug-tracker issue 2322',
      tells: { fails: 'too_large' },
    },
  ],
  errors: [
    {
      shape: 'a prompt above the context, as a text',
      file: 'error-too-long.json',
      source: 'Gitlawb/openclaude issue 353',
      status: 400,
      fails: { kind: 'too_large' },
    },
    {
      shape: 'a prompt above the context, in the words of the engine',
      file: 'error-no-truncation.json',
      source: 'anomalyco/opencode issue 11141',
      status: 400,
      fails: { kind: 'too_large' },
    },
    {
      shape: 'an unknown model, with those that there are',
      file: 'error-model.json',
      source: 'gitbutlerapp/gitbutler issue 8706',
      status: 404,
      fails: { kind: 'not_found', code: 'model_not_found' },
    },
  ],
}
