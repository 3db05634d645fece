import {
  OURS,
  type RecordedError,
  THE_MODELS,
  callers,
  oversized,
  tooLong,
  limited,
} from './recordedError.ts'

export const cohereChatErrors: readonly RecordedError[] = [
  {
    shape: 'an unknown model',
    source: 'BerriAI/litellm#2515',
    provider: 'cohere',
    status: 404,
    body: {
      message:
        "model 'command-xlarge-beta' not found, make sure the correct model ID was used and that you have access to the model.",
    },
    verdict: OURS.not_found,
  },
  {
    shape: 'the same as a 400',
    source: 'cohere-ai/cohere-python#590, its words with the status of its older API',
    provider: 'cohere',
    status: 400,
    body: {
      message:
        "model 'command-xlarge-beta' not found, make sure the correct model ID was used and that you have access to the model.",
    },
    verdict: OURS.not_found,
  },
  {
    shape: 'a wrong key',
    source: 'crmne/ruby_llm spec/fixtures/vcr_cassettes (authentication, cohere)',
    provider: 'cohere',
    status: 401,
    body: { id: '8a1f6d20', message: 'invalid api token' },
    verdict: OURS.credential,
  },
  {
    shape: 'a method that is not allowed, as behind a wrong address',
    source: 'ITSpecialist111/ai_automation_suggester#122, in the envelope of Cohere',
    provider: 'cohere',
    status: 405,
    body: { message: 'method not allowed' },
    verdict: OURS.not_found,
  },
  {
    shape: 'a call that the model did not write',
    source: 'deepset-ai/haystack-core-integrations#1693',
    provider: 'cohere',
    status: 422,
    body: { message: 'No valid tool call or response generated' },
    verdict: THE_MODELS,
  },
  {
    shape: 'a prompt above the context',
    source: 'cohere-ai/sandbox-topically#4',
    provider: 'cohere',
    status: 400,
    body: {
      message:
        'too many tokens: total number of tokens (prompt and prediction) cannot exceed 2048 - received 6354. Try using a shorter prompt or a smaller max_tokens value.',
    },
    verdict: tooLong([2_048, 6_354]),
  },
  {
    shape: 'a body above the limit',
    source: 'google-gemini/gemini-cli#13776, in the envelope of Cohere',
    provider: 'cohere',
    status: 413,
    body: { message: 'request entity too large' },
    verdict: oversized('body'),
  },
  {
    shape: 'a field that it does not know',
    source: 'agno-agi/agno#3503',
    provider: 'cohere',
    status: 422,
    body: {
      message:
        "unknown field: parameter 'strict' is not a valid field. For proper usage, please refer to https://docs.cohere.com/reference/chat",
    },
    verdict: callers(),
  },
  {
    shape: 'a trial key whose month is used up',
    source: 'MaartenGr/BERTopic#1864; docs.cohere.com/docs/rate-limits',
    provider: 'cohere',
    status: 429,
    body: {
      message:
        'You are using a Trial key, which is limited to 1000 API calls / month. You can continue to use the Trial key for free or upgrade to a Production key.',
    },
    verdict: OURS.billing,
  },
  {
    shape: 'a trial key whose minute is used up',
    source: 'docs.cohere.com/docs/rate-limits',
    provider: 'cohere',
    status: 429,
    body: {
      message:
        'You are using a Trial key, which is limited to 20 API calls / minute. You can continue to use the Trial key for free or upgrade to a Production key.',
    },
    verdict: limited(),
  },
]
