import type { Recordings } from './recording.ts'

export const azure: Recordings = {
  provider: 'azure',
  answers: [
    {
      shape:
        'text; filter results of the prompt in a first chunk without choices, of the answer on its choices',
      files: ['text.json', 'text.sse'],
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_with_extended_thinking_azure_gpt-5-nano',
      tells: {
        text: 'Ja – the café opens at six.',
        finish: 'stop',
        usage: { promptTokens: 17, completionTokens: 92, reasoningTokens: 80 },
      },
    },
    {
      shape: 'Grok: whole calls in one piece, `finish_reason` only at the end',
      files: ['tools.json', 'tools.sse'],
      source:
        'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_function_calling_azure_grok-4-1-fast-non-reasoning',
      tells: {
        calls: [
          ['get_weather', '{"city":"Tromsø"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 310, completionTokens: 41, cachedTokens: 192 },
      },
    },
    {
      shape: 'asynchronous filter: annotations without a delta, the last one behind the finish',
      files: ['asynchronous.json', 'asynchronous.sse'],
      source:
        'openai/openai-python issue 1677; microsoft/autogen issue 6465; langchain-ai/langchain issue 18977',
      tells: {
        text: 'Zwölf plus one is thirteen.',
        finish: 'stop',
        usage: { promptTokens: 21, completionTokens: 9 },
      },
    },
    {
      shape: 'a filter that leaves nothing: a choice without a message',
      files: ['filtered-whole.json', 'filtered-whole.sse'],
      source:
        'learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter; langchain-ai/langchain issue 5861',
      tells: {
        finish: 'content_filter',
        usage: { promptTokens: 33, completionTokens: 12 },
      },
    },
    {
      shape: 'a filter that cuts a text',
      files: ['filtered.json', 'filtered.sse'],
      source:
        'learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter; microsoft/semantic-kernel issue 5240',
      tells: {
        text: 'Then the knight drew his – ',
        finish: 'content_filter',
        usage: { promptTokens: 33, completionTokens: 14 },
      },
    },
    {
      shape:
        'DeepSeek: a null for each field that a chunk does not need, `matched_stop`, reasoning not counted',
      files: ['deepseek.json', 'deepseek.sse'],
      source: 'vercel/ai packages/azure/src/__fixtures__/azure-deepseek-reasoning.1.chunks.txt',
      tells: {
        text: 'Neun.',
        reasoning: 'Three times three – nine.',
        finish: 'stop',
        usage: { promptTokens: 14, completionTokens: 16 },
      },
    },
  ],
  errors: [
    {
      shape: 'a wrong key, its code the status as text',
      file: 'error-401.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_error_handling_with_azure',
      status: 401,
      fails: { kind: 'credential' },
    },
    {
      shape: 'an unknown deployment',
      file: 'error-404.json',
      source: 'chatboxai/chatbox issue 861',
      status: 404,
      fails: { kind: 'not_found', code: 'DeploymentNotFound' },
    },
    {
      shape: 'the rate of a sold model, twice in words',
      file: 'error-429.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_real_error_scenarios_azure',
      status: 429,
      headers: { 'retry-after': '19' },
      fails: { kind: 'rate_limited', code: 'RateLimitReached', retryAfterMs: 19_000 },
    },
    {
      shape: 'a prompt that is filtered',
      file: 'error-filter.json',
      source:
        'stanford-crfm/helm pull 3327; learn.microsoft.com/azure/ai-foundry/openai/concepts/content-filter',
      status: 400,
      fails: { kind: 'content_policy', code: 'content_filter' },
    },
  ],
}
