import type { Recordings } from './recording.ts'

export const openai: Recordings = {
  provider: 'openai',
  answers: [
    {
      shape: 'text; every chunk padded (`obfuscation`), usage in a chunk of its own',
      files: ['text.json', 'text.sse'],
      source: 'vercel/ai packages/openai/src/chat/__fixtures__/openai-text.chunks.txt',
      tells: {
        text: 'Der Zug fährt um 7:40 – platform 2.',
        finish: 'stop',
        usage: { promptTokens: 24, completionTokens: 13 },
      },
    },
    {
      shape: 'two calls in pieces, one without arguments',
      files: ['tools.json', 'tools.sse'],
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_openai/test_run_stream_sync_streams_real_model.yaml',
      tells: {
        calls: [
          ['get_weather', '{"city":"Málaga"}'],
          ['get_time', '{}'],
        ],
        finish: 'tool_calls',
        usage: { promptTokens: 118, completionTokens: 44, cachedTokens: 64 },
      },
    },
    {
      shape: 'a refusal beside a content that is null, or empty in a stream',
      files: ['refusal.json', 'refusal.sse'],
      source: 'openai/openai-python tests/lib/chat/test_completions.py',
      tells: {
        refusal: 'I’m sorry, I can’t help with that.',
        finish: 'stop',
        usage: { promptTokens: 61, completionTokens: 11 },
      },
    },
    {
      shape: 'all output used for reasoning, nothing said',
      files: ['length.json', 'length.sse'],
      source: 'openai/openai-python tests/lib/chat/test_completions.py (max_tokens reached)',
      tells: {
        finish: 'length',
        usage: { promptTokens: 35, completionTokens: 64, reasoningTokens: 64 },
      },
    },
    {
      shape: 'two choices, interleaved, that end at different times',
      files: ['two.json', 'two.sse'],
      source: 'openai/openai-python tests/lib/chat/test_completions.py',
      choices: 2,
      tells: {
        text: 'Blau – wie das Meer.',
        finish: 'stop',
        usage: { promptTokens: 19, completionTokens: 12 },
      },
    },
    {
      shape: 'a text that is cut by the content filter',
      files: ['filtered.json', 'filtered.sse'],
      source: 'openai/openai-python tests/lib/chat/test_content_filter.py',
      tells: {
        text: 'The first verse is: „O',
        finish: 'content_filter',
        usage: { promptTokens: 27, completionTokens: 8 },
      },
    },
    {
      shape: 'a call of a custom tool, its input in pieces',
      files: ['custom-tool.json', 'custom-tool.sse'],
      source: 'openai/openai-python tests/lib/chat/test_parse_custom_tool_calls.py',
      tells: {
        calls: [['run_sql', 'select name from øyer']],
        finish: 'tool_calls',
        usage: { promptTokens: 203, completionTokens: 22 },
      },
    },
    {
      shape: 'moderation in a chunk of its own behind the usage, no `logprobs` anywhere',
      files: ['moderated.json', 'moderated.sse'],
      source: 'pydantic/pydantic-ai tests/models/cassettes/test_openai/test_openai_moderation_stream.yaml',
      tells: {
        text: 'Gern – here it is.',
        finish: 'stop',
        usage: { promptTokens: 16, completionTokens: 7 },
      },
    },
    {
      shape: 'citations as annotations',
      files: ['citations.json', 'citations.sse'],
      source:
        'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_citations_with_openai_gpt-4o-mini-search-preview',
      tells: {
        text: 'Four a day ([example.org](https://example.org/aeroe?utm_source=openai)).',
        citations: 1,
        finish: 'stop',
        usage: { promptTokens: 12, completionTokens: 28 },
      },
    },
  ],
  errors: [
    {
      shape: 'a wrong key',
      file: 'error-401.json',
      source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes/chat_error_handling_with_openai_gpt-5-nano',
      status: 401,
      fails: { kind: 'credential', code: 'invalid_api_key' },
    },
    {
      shape: 'an unknown model',
      file: 'error-404.json',
      source: 'platform.openai.com/docs/guides/error-codes',
      status: 404,
      fails: { kind: 'not_found', code: 'model_not_found' },
    },
    {
      shape: 'no money left, told as a rate limit',
      file: 'error-quota.json',
      source: 'cocacola-lab/GPT4IE issue 3',
      status: 429,
      fails: { kind: 'billing', code: 'insufficient_quota' },
    },
    {
      shape: 'tokens per minute used up, the wait in the sentence',
      file: 'error-429.json',
      source: 'platform.openai.com/docs/guides/rate-limits',
      status: 429,
      fails: { kind: 'rate_limited', code: 'rate_limit_exceeded', retryAfterMs: 252 },
    },
    {
      shape: 'a prompt beyond the context',
      file: 'error-context.json',
      source: 'chathub-dev/chathub issue 126',
      status: 400,
      fails: { kind: 'too_large', code: 'context_length_exceeded', limit: 128_000, requested: 131_644 },
    },
    {
      shape: 'a parameter that the model does not know',
      file: 'error-parameter.json',
      source: 'vercel/ai packages/openai/src/chat/__fixtures__/reasoning-model-legacy-parameter-error.json',
      status: 400,
      fails: { kind: 'bad_request', code: 'unsupported_parameter', param: 'max_tokens' },
    },
    {
      shape: 'a value that the model does not take',
      file: 'error-value.json',
      source:
        'pydantic/pydantic-ai tests/models/cassettes/test_openai/test_openai_o1_mini_system_role[developer].yaml',
      status: 400,
      fails: { kind: 'bad_request', code: 'unsupported_value', param: 'messages[0].role' },
    },
    {
      shape: 'a prompt that is flagged',
      file: 'error-policy.json',
      source: 'alan-turing-institute/t0-1 issue 69; openai/codex issue 7250',
      status: 400,
      fails: { kind: 'content_policy', code: 'invalid_prompt' },
    },
    {
      shape: 'an error of the server',
      file: 'error-500.json',
      source: 'LlmKira/Openaibot issue 177; acheong08/ChatGPT issue 607',
      status: 500,
      fails: { kind: 'server', code: 'server_error' },
    },
    {
      shape: 'overload',
      file: 'error-503.json',
      source: 'Wei-Shaw/sub2api issue 6631',
      status: 503,
      fails: { kind: 'overloaded', code: 'server_is_overloaded' },
    },
  ],
}
