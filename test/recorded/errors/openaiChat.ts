import type { JsonObject } from '../../../src/core/json.ts'
import {
  OURS,
  type RecordedError,
  THE_MODELS,
  callers,
  limited,
  overLimit,
  oversized,
  tooLong,
} from './recordedError.ts'

function openai(message: string, more: JsonObject = {}): JsonObject {
  return { error: { message, type: 'invalid_request_error', param: null, code: null, ...more } }
}

/** OpenAI and Azure. */
const OPENAI: readonly RecordedError[] = [
  {
    shape: 'an account whose billing is not active, as a 429',
    source: 'BerriAI/litellm#2743',
    provider: 'openai',
    status: 429,
    body: openai('Your account is not active, please check your billing details on our website.', {
      type: 'billing_not_active',
      code: 'billing_not_active',
    }),
    verdict: OURS.billing,
  },
  {
    shape: 'the same without a code',
    source: 'Chanzhaoyu/chatgpt-web#1577',
    provider: 'openai',
    status: 429,
    body: openai('Your account is not active, please check your billing details on our website.'),
    verdict: OURS.billing,
  },
  {
    shape: 'a hard limit of the bill',
    source: 'reproductions/reports/32-right-provider-errors.mjs (oaiBilling)',
    provider: 'openai',
    status: 400,
    body: openai('Billing hard limit has been reached', { code: 'billing_hard_limit_reached' }),
    verdict: OURS.billing,
  },
  {
    shape: 'an account that was deactivated',
    source: 'reproductions/reports/32-right-provider-errors.mjs (oaiKeyDeact)',
    provider: 'openai',
    status: 401,
    body: openai('The OpenAI account associated with this API key has been deactivated.', {
      code: 'account_deactivated',
    }),
    verdict: OURS.credential,
  },
  {
    shape: 'an organization that is not verified for the model, as a 404',
    source: 'danny-avila/LibreChat#7323',
    provider: 'openai',
    status: 404,
    body: openai(
      'Your organization must be verified to use the model `o3`. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.',
      { code: 'model_not_found' },
    ),
    verdict: OURS.not_found,
  },
  {
    shape: 'an organization that is not verified, as a value that is not supported',
    source: 'continuedev/continue#8209',
    provider: 'openai',
    status: 400,
    body: openai(
      'Your organization must be verified to stream this model. Please go to: https://platform.openai.com/settings/organization/general and click on Verify Organization.',
      { param: 'stream', code: 'unsupported_value' },
    ),
    verdict: OURS.credential,
  },
  {
    shape: 'a model that does not exist, as a 400',
    source:
      'corpus responses/052; DataDog/dd-trace-py tests/contrib/openai/cassettes/v1/response_create_error.yaml',
    provider: 'openai',
    status: 400,
    body: openai("The requested model 'invalid-model' does not exist.", {
      param: 'model',
      code: 'model_not_found',
    }),
    verdict: OURS.not_found,
  },
  {
    shape: 'a model that does not exist',
    source: 'corpus embeddings/006; pydantic/pydantic-ai tests/cassettes/test_embeddings',
    provider: 'openai',
    status: 404,
    body: openai('The model `nonexistent` does not exist or you do not have access to it.', {
      code: 'model_not_found',
    }),
    verdict: OURS.not_found,
  },
  {
    shape: 'a field below its least value',
    source: 'corpus embeddings/005; envoyproxy/ai-gateway tests/internal/testopenai/cassettes',
    provider: 'openai',
    status: 400,
    body: openai("-1 is less than the minimum of 1 - 'dimensions'"),
    verdict: callers(),
  },
  {
    shape: 'a schema that is not strict',
    source: 'corpus responses/051; DataDog/dd-trace-js test/llmobs/cassettes/openai',
    provider: 'openai',
    status: 400,
    body: openai(
      "Invalid schema for response_format 'response': In context=(), 'additionalProperties' is required to be supplied and to be false.",
      { param: 'text.format.schema', code: 'invalid_json_schema' },
    ),
    verdict: callers(),
  },
  {
    shape: 'a file of a type that is not supported',
    source: 'corpus responses/053; pydantic/pydantic-ai tests/models/cassettes/test_multimodal_tool_returns',
    provider: 'openai',
    status: 400,
    body: openai('The file type you uploaded is not supported. Please try again with a pdf', {
      param: 'input',
      code: 'unsupported_file',
    }),
    verdict: callers(),
  },
  {
    shape: 'a file whose data cannot be read',
    source: 'corpus responses/054; pydantic/pydantic-ai tests/models/cassettes/test_multimodal_tool_returns',
    provider: 'openai',
    status: 400,
    body: openai(
      "Invalid file data: 'input[3].output[0].file_data'. Expected a base64-encoded data URL with a valid file MIME type, but got unsupported MIME type 'audio/mpeg'.",
      { param: 'input[3].output[0].file_data', code: 'invalid_value' },
    ),
    verdict: callers(),
  },
  {
    shape: 'an item without the one that must follow it',
    source: 'corpus responses/055; pydantic/pydantic-ai tests/models/cassettes/test_openai_responses',
    provider: 'openai',
    status: 400,
    body: openai("Item 'rs_68c4' of type 'reasoning' was provided without its required following item.", {
      param: 'input',
    }),
    verdict: callers(),
  },
  {
    shape: 'an earlier response that is not found',
    source: 'corpus responses/056; 0xPlaygrounds/rig tests/cassettes/openai/error_identity_edge',
    provider: 'openai',
    status: 400,
    body: openai("Previous response with id 'resp_1' not found.", {
      param: 'previous_response_id',
      code: 'previous_response_not_found',
    }),
    verdict: callers(),
  },
  {
    shape: 'a request above the tokens of a minute',
    source: 'vanna-ai/vanna-flask#11',
    provider: 'openai',
    status: 429,
    body: openai(
      'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully.',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    verdict: overLimit([30_000, 342_389]),
  },
  {
    shape: 'a request above the tokens of a minute by its output limit',
    source: 'zeeyado/koassistant.koplugin#106',
    provider: 'openai',
    status: 429,
    headers: { 'retry-after': '20', 'x-ratelimit-remaining-tokens': '0' },
    body: openai(
      'Request too large for gpt-4o in organization org-x on tokens per min (TPM): Limit 8000, Requested 32979.',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    sent: { model: 'gpt-4o', max_completion_tokens: 32_768, messages: [] },
    verdict: overLimit([8_000, 32_979], 'max_tokens'),
  },
  {
    shape: 'a rate that is used up and comes back',
    source: 'elizaOS/eliza#4040',
    provider: 'groq',
    status: 429,
    body: openai(
      'Rate limit reached for model `llama-3.1-8b-instant` in organization `org_01` service tier `on_demand` on tokens per minute (TPM): Limit 6000, Used 5034, Requested 1443. Please try again in 4.77s.',
      { type: 'tokens', code: 'rate_limit_exceeded' },
    ),
    verdict: limited(4_770),
  },
  {
    shape: 'a limit of tokens of a minute, with a wait in its sentence',
    source: 'dyad-sh/dyad#1849',
    provider: 'azure',
    status: 429,
    body: openai(
      'Your requests to gpt-5.1 for gpt-5.1 in East US 2 have exceeded the token rate limit for your current AIServices S0 pricing tier. This request was for ChatCompletions_Create under Azure OpenAI API version 2025-03-01-preview. Please retry after 60 seconds. To increase your default rate limit, visit: https://aka.ms/oai/quotaincrease.',
      { code: 'RateLimitReached' },
    ),
    verdict: limited(60_000),
  },
  {
    shape: "a day's calls of a free model, with the reset in headers that the body repeats",
    source: 'Gitlawb/openclaude#936; hydropix/TranslateBooksWithLLMs#125',
    provider: 'openrouter',
    status: 429,
    headers: { date: 'Fri, 20 Nov 2026 12:00:00 GMT' },
    body: {
      error: {
        message:
          'Rate limit exceeded: free-models-per-day. Add 10 credits to unlock 1000 free model requests per day',
        code: 429,
        metadata: {
          headers: {
            'X-RateLimit-Limit': '50',
            'X-RateLimit-Remaining': '0',
            'X-RateLimit-Reset': '1795219200000',
          },
          provider_name: null,
        },
      },
      user_id: 'user_1',
    },
    verdict: limited(43_200_000),
  },
  {
    shape: 'the tokens of a minute of Cerebras',
    source: 'anomalyco/opencode#7463; inference-docs.cerebras.ai/support/rate-limits',
    provider: 'cerebras',
    status: 429,
    headers: { 'x-ratelimit-remaining-tokens-minute': '0', 'x-ratelimit-reset-tokens-minute': '11.382' },
    body: {
      message: 'Tokens per minute limit exceeded - too many tokens processed.',
      type: 'too_many_tokens_error',
      param: 'quota',
      code: 'token_quota_exceeded',
    },
    verdict: limited(11_382),
  },
  {
    shape: "Google's quota of a minute, at its OpenAI-like endpoint",
    source: 'dyad-sh/dyad#1469; google-gemini/gemini-cli#8437',
    provider: 'openai',
    status: 429,
    body: `[${JSON.stringify({
      error: {
        code: 429,
        message:
          'You exceeded your current quota, please check your plan and billing details. For more information on this error, head to: https://ai.google.dev/gemini-api/docs/rate-limits.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_input_token_count, limit: 250000\nPlease retry in 30.638054576s.',
        status: 'RESOURCE_EXHAUSTED',
      },
    })}]`,
    verdict: limited(30_639),
  },
  {
    shape: 'five hours of a plan that are used up, with the time at which they come back',
    source: 'MiniMax-AI/MiniMax-M2.7#36',
    provider: 'openai',
    status: 429,
    headers: { date: 'Fri, 15 May 2026 14:30:00 GMT' },
    body: openai(
      'usage limit exceeded, 5-hour usage limit reached for Token Plan Starter (0/0 used), resets at 2026-05-15T15:00:00Z (2056)',
      { type: 'rate_limit_error' },
    ),
    verdict: limited(1_800_000),
  },
  {
    shape: 'the same, with a time without its zone',
    source: 'NousResearch/hermes-agent#103038; hugalafutro/model-hotel#955',
    provider: 'openai',
    status: 429,
    headers: { date: 'Fri, 04 Sep 2026 10:30:00 GMT' },
    body: {
      error: {
        code: '1308',
        message: 'Usage limit reached for 5 hour. Your limit will reset at 2026-09-04 19:01:25',
      },
    },
    verdict: limited(),
  },
  {
    shape: 'a plan that is used up, with its reset in seconds',
    source: 'NousResearch/hermes-agent#26893',
    provider: 'openai',
    status: 429,
    body: {
      error: {
        type: 'usage_limit_reached',
        message: 'The usage limit has been reached',
        plan_type: 'team',
        resets_at: 1_795_176_756,
        resets_in_seconds: 756,
      },
    },
    verdict: limited(756_000),
  },
  {
    shape: "a volume of calls of Azure's API Management, as a 403",
    source: 'learn.microsoft.com/azure/api-management/quota-policy',
    provider: 'azure',
    status: 403,
    body: {
      statusCode: 403,
      message: 'Out of call volume quota. Quota will be replenished in 02:34:45.',
    },
    verdict: limited(9_285_000),
  },
  {
    shape: "a rate of Azure's API Management",
    source: 'Azure-Samples/azure-search-openai-demo#177',
    provider: 'azure',
    status: 429,
    body: { statusCode: 429, message: 'Rate limit is exceeded. Try again in 30 seconds.' },
    verdict: limited(30_000),
  },
  {
    shape: 'a context that ran over, as a 500',
    source: 'ggml-org/llama.cpp#19774',
    provider: 'llamacpp',
    status: 500,
    body: { error: { code: 500, message: 'Context size has been exceeded.', type: 'server_error' } },
    verdict: tooLong(),
  },
  {
    shape: 'a call that the model wrote wrongly, as a 500',
    source: 'ollama/ollama#11704; ollama/ollama#12884',
    provider: 'ollama',
    status: 500,
    body: openai('error parsing tool call: raw=…, err=unexpected end of JSON input', { type: 'api_error' }),
    verdict: THE_MODELS,
  },
  {
    shape: 'what the model wrote is of no use, as a 500',
    source: 'BerriAI/litellm#8020',
    provider: 'openai',
    status: 500,
    body: openai(
      'The model produced invalid content. Consider modifying your prompt if you are seeing this error persistently.',
      { type: 'model_error' },
    ),
    verdict: THE_MODELS,
  },
  {
    shape: 'a model that the plan has no quota for',
    source: 'google-gemini/gemini-cli#13006, of the free tier: limit: 0',
    provider: 'openai',
    status: 429,
    body: `[${JSON.stringify({
      error: {
        code: 429,
        message:
          'You exceeded your current quota, please check your plan and billing details.\n* Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_requests, limit: 0\nPlease retry in 42.1s.',
        status: 'RESOURCE_EXHAUSTED',
      },
    })}]`,
    verdict: OURS.billing,
  },
  {
    shape: 'an output limit above that of the model',
    source: 'algorithmicsuperintelligence/optillm#4; enoch3712/ExtractThinker#346',
    provider: 'openai',
    status: 400,
    body: openai(
      'max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000.',
      { param: 'max_tokens' },
    ),
    verdict: callers('max_tokens', [16_384]),
  },
  {
    shape: 'an output limit of another name above that of the model',
    source: 'Gitlawb/openclaude#331',
    provider: 'openai',
    status: 400,
    body: openai(
      'The parameter `max_completion_tokens` specified in the request are not valid: integer above maximum value, expected a value <= 12288, but got 32000 instead. Request id: 02175296',
      { type: 'BadRequest', param: 'max_completion_tokens', code: 'InvalidParameter' },
    ),
    verdict: callers('max_tokens', [12_288]),
  },
  {
    shape: 'messages and output limit above the context together',
    source: 'ChatGPTNextWeb/NextChat#3195',
    provider: 'openai',
    status: 400,
    body: openai(
      "This model's maximum context length is 8192 tokens. However, you requested 8256 tokens (64 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      { param: 'messages', code: 'context_length_exceeded' },
    ),
    verdict: tooLong([8_192, 8_256], 'max_tokens'),
  },
  {
    shape: 'messages above the context',
    source: 'jonogon/jonogon-mono#62',
    provider: 'openai',
    status: 400,
    body: openai(
      "This model's maximum context length is 128000 tokens. However, your messages resulted in 144641 tokens. Please reduce the length of the messages.",
      { param: 'messages', code: 'context_length_exceeded' },
    ),
    verdict: tooLong([128_000, 144_641]),
  },
  {
    shape: 'too many tools',
    source: 'vishalmysore/Tools4AI#16',
    provider: 'openai',
    status: 400,
    body: openai(
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 325 instead.",
      {
        param: 'tools',
        code: 'array_above_max_length',
      },
    ),
    verdict: oversized('list', 'tools', [128]),
  },
  {
    shape: 'too many calls in a message',
    source: 'openai/openai-dotnet#317',
    provider: 'openai',
    status: 400,
    body: openai(
      "Invalid 'messages[2].tool_calls': array too long. Expected an array with maximum length 128, but got an array with length 200 instead.",
      { param: 'messages[2].tool_calls', code: 'array_above_max_length' },
    ),
    verdict: oversized('list', 'messages[2].tool_calls', [128]),
  },
  {
    shape: 'a description that is too long',
    source: 'getsentry/sentry-mcp#106',
    provider: 'openai',
    status: 400,
    body: openai(
      "Invalid 'tools[13].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1103 instead.",
      { param: 'tools[13].function.description', code: 'string_above_max_length' },
    ),
    verdict: oversized('text', 'tools[13].function.description', [1_024]),
  },
  {
    shape: 'the same from a server without codes',
    source: '0x4m4/hexstrike-ai#29',
    provider: 'openai',
    status: 400,
    body: openai(
      "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 150 instead.",
    ),
    verdict: oversized('list', undefined, [128]),
  },
  {
    shape: 'a body that a proxy does not take',
    source: 'google-gemini/gemini-cli#13776',
    provider: 'openai',
    status: 413,
    body: {
      error: { message: 'Maximum request body size 1048576 exceeded, actual body size 1056562', code: 413 },
    },
    verdict: oversized('body'),
  },
  {
    shape: 'the same as a page',
    source: 'reproductions/reports/32-right-provider-errors.mjs (nginx413)',
    provider: 'openai',
    status: 413,
    body: '<html><head><title>413 Request Entity Too Large</title></head></html>',
    verdict: oversized('body'),
  },
  {
    shape: 'a method that is not allowed, as behind a wrong address',
    source: 'ITSpecialist111/ai_automation_suggester#122',
    provider: 'openai',
    status: 405,
    body: { error: { message: 'Method Not Allowed' } },
    verdict: OURS.not_found,
  },
  {
    shape: 'the same without a body',
    source: 'ITSpecialist111/ai_automation_suggester#122',
    provider: 'openai',
    status: 405,
    body: '',
    verdict: OURS.not_found,
  },
  {
    shape: 'a page behind a wrong path',
    source: 'reproductions/reports/32-right-provider-errors.mjs (notFoundHtml)',
    provider: 'openai',
    status: 404,
    body: '<html>nginx 404</html>',
    verdict: OURS.not_found,
  },
  ...[406, 411, 415, 418, 426].map((status): RecordedError => ({
    shape: `a ${status}, as behind a wrong address`,
    source: 'reports.md, fault 17 and its siblings',
    provider: 'openai',
    status,
    body: '',
    verdict: OURS.not_found,
  })),
  {
    shape: 'a region that is not served',
    source: 'reproductions/reports/32-right-provider-errors.mjs (err451)',
    provider: 'openai',
    status: 451,
    body: openai('Unavailable for legal reasons'),
    verdict: OURS.credential,
  },
  {
    shape: 'a deployment that does not exist',
    source: 'chatboxai/chatbox#861',
    provider: 'azure',
    status: 404,
    body: {
      error: { code: 'DeploymentNotFound', message: 'The API deployment for this resource does not exist.' },
    },
    verdict: OURS.not_found,
  },
  {
    shape: 'the same as a 400 without a code',
    source: 'chatboxai/chatbox#861, in the words of its 404',
    provider: 'azure',
    status: 400,
    body: { error: { message: 'The API deployment for this resource does not exist.' } },
    verdict: OURS.not_found,
  },
]

/** Groq. */
const GROQ: readonly RecordedError[] = [
  {
    shape: 'a request above the tokens of a minute',
    source: 'assafelovic/gpt-researcher#985',
    provider: 'groq',
    status: 413,
    body: {
      error: {
        message:
          'Request too large for model `llama-3.1-70b-versatile` in organization `org_01` on tokens per minute (TPM): Limit 6000, Requested 14368, please reduce your message size and try again. Visit https://console.groq.com/docs/rate-limits for more information.',
        type: 'tokens',
        code: 'rate_limit_exceeded',
      },
    },
    verdict: overLimit([6_000, 14_368]),
  },
  {
    shape: 'a call that the model wrote wrongly',
    source: 'console.groq.com/docs/tool-use',
    provider: 'groq',
    status: 400,
    body: {
      error: {
        message:
          "Failed to call a function. Please adjust your prompt. See 'failed_generation' for more details.",
        type: 'invalid_request_error',
        code: 'tool_use_failed',
        failed_generation: '<function=get_weather{"city": "Oslo"}</function>',
      },
    },
    verdict: THE_MODELS,
  },
  {
    shape: 'JSON that the model wrote wrongly',
    source: 'thepersonalaicompany/amurex-backend#38',
    provider: 'groq',
    status: 400,
    body: {
      error: {
        message:
          "Failed to generate JSON. Please adjust your prompt. See 'failed_generation' for more details.",
        type: 'invalid_request_error',
        code: 'json_validate_failed',
        failed_generation: '{"title":',
      },
    },
    verdict: THE_MODELS,
  },
  {
    shape: 'a call of a model that was made to call, and did not, without a code',
    source: 'test/recorded/groq/error-half-way.sse',
    provider: 'groq',
    status: 400,
    body: {
      error: {
        message: 'Tool choice is required, but model did not call a tool',
        type: 'invalid_request_error',
      },
    },
    verdict: THE_MODELS,
  },
  {
    shape: 'a model that was decommissioned',
    source: 'ItzCrazyKns/Vane#771',
    provider: 'groq',
    status: 400,
    body: openai(
      'The model `llama-3.3-70b-specdec` has been decommissioned and is no longer supported. Please refer to https://console.groq.com/docs/deprecations for a recommendation on which model to use instead.',
      { code: 'model_decommissioned' },
    ),
    verdict: OURS.not_found,
  },
  {
    shape: 'the same without a code',
    source: 'karthink/gptel#1289',
    provider: 'groq',
    status: 400,
    body: openai('The model `llama-3.1-70b-versatile` has been decommissioned and is no longer supported.'),
    verdict: OURS.not_found,
  },
  {
    shape: 'an output limit above that of the model',
    source: 'anomalyco/opencode#1000',
    provider: 'groq',
    status: 400,
    body: openai(
      '`max_tokens` must be less than or equal to `16384`, the maximum value for `max_tokens` is less than the `context_window` for this model',
    ),
    verdict: callers('max_tokens', [16_384]),
  },
  {
    shape: 'the same in the words of before',
    source: 'skapadia3214/groq-moa#8',
    provider: 'groq',
    status: 400,
    body: openai('max_tokens for `llama-3.1-8b-instant` must be less than or equal to 8000'),
    verdict: callers('max_tokens', [8_000]),
  },
]

/** Other providers of the format. */
const OTHERS: readonly RecordedError[] = [
  {
    shape: 'names of models that it has, and one that it does not have',
    source: 'HKUDS/Paper2Slides#37',
    provider: 'deepseek',
    status: 400,
    body: openai(
      'The supported API model names are deepseek-v4-pro or deepseek-v4-flash, but you passed gpt-4o-mini.',
      { code: 'invalid_request_error' },
    ),
    verdict: OURS.not_found,
  },
  {
    shape: 'the same in the words of before',
    source: 'langbot-app/LangBot#1643',
    provider: 'deepseek',
    status: 400,
    body: openai('Model Not Exist', { code: 'invalid_request_error' }),
    verdict: OURS.not_found,
  },
  {
    shape: 'messages and output limit above the context together',
    source: 'evalstate/fast-agent#621',
    provider: 'deepseek',
    status: 400,
    body: openai(
      "This model's maximum context length is 131072 tokens. However, you requested 131134 tokens (122942 in the messages, 8192 in the completion). Please reduce the length of the messages or completion.",
      { code: 'invalid_request_error' },
    ),
    verdict: tooLong([131_072, 131_134], 'max_tokens'),
  },
  {
    shape: 'an output limit out of its range',
    source: 'nickscamara/open-deep-research#19',
    provider: 'deepseek',
    status: 400,
    body: openai('Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', {
      code: 'invalid_request_error',
    }),
    verdict: callers('max_tokens', [8_192]),
  },
  {
    shape: 'a model that it does not have',
    source: 'maxnowack/anthropic-proxy#4',
    provider: 'openrouter',
    status: 400,
    body: {
      error: { message: 'google/gemini-2.0-pro-exp-02-05:free is not a valid model ID', code: 400 },
      user_id: 'user_01',
    },
    verdict: OURS.not_found,
  },
  {
    shape: 'a model without a server for the account',
    source: 'HeyPuter/puter#3168',
    provider: 'together',
    status: 400,
    body: openai(
      'Unable to access non-serverless model mistralai/Mistral-Small-24B-Instruct-2501. Please visit https://api.together.ai/models/x to create and start a new dedicated endpoint for the model.',
      { code: 'model_not_available' },
    ),
    verdict: OURS.not_found,
  },
  {
    shape: 'a server of the account that is not running',
    source: 'HeyPuter/puter#3168',
    provider: 'together',
    status: 400,
    body: openai('The dedicated endpoint for mistralai/Mixtral-8x22B-Instruct-v0.1 is not running.', {
      code: 'dedicated_endpoint_not_running',
    }),
    verdict: OURS.not_found,
  },
  {
    shape: 'a prompt and an output limit that exceed the context together',
    source: 'bytedance/UI-TARS-desktop issue 626',
    provider: 'together',
    status: 422,
    body: openai(
      'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 8193. Given: 8021 `inputs` tokens and 1024 `max_new_tokens`',
    ),
    verdict: tooLong([8_193, 9_045], 'max_tokens'),
  },
  {
    shape: 'an account in arrears',
    source: 'dataelement/bisheng#2426',
    provider: 'vllm',
    status: 400,
    body: openai('Access denied, please make sure your account is in good standing.', {
      code: 'Arrearage',
      type: 'Arrearage',
    }),
    verdict: OURS.billing,
  },
  {
    shape: 'messages and output limit above the context together',
    source: 'RooCodeInc/Roo-Code#2838',
    provider: 'vllm',
    status: 400,
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (1000 in the messages, 4000 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      code: 400,
    },
    verdict: tooLong([4_096, 5_000], 'max_tokens'),
  },
  {
    shape: 'messages above the context, told as a sum',
    source: 'vllm-project/vllm issue 20409',
    provider: 'vllm',
    status: 400,
    body: {
      object: 'error',
      message:
        "This model's maximum context length is 16384 tokens. However, you requested 122946 tokens (112946 in the messages, 10000 in the completion). Please reduce the length of the messages or completion.",
      type: 'BadRequestError',
      code: 400,
    },
    verdict: tooLong([16_384, 122_946]),
  },
  {
    shape: 'too many images',
    source: 'vllm-project/vllm#17092',
    provider: 'vllm',
    status: 400,
    body: {
      object: 'error',
      message: 'At most 5 image(s) may be provided in one request.',
      type: 'BadRequestError',
      param: null,
      code: 400,
    },
    verdict: oversized('images', 'messages', [5]),
  },
  {
    shape: 'a wrong key as an invalid request',
    source: 'continuedev/continue issue 10778',
    provider: 'xai',
    status: 400,
    body: { code: 'Client specified an invalid argument', error: 'Incorrect API key provided: xa***99.' },
    verdict: OURS.credential,
  },
  {
    shape: 'a suspended account',
    source: 'pollinations/pollinations issue 12136',
    provider: 'fireworks',
    status: 412,
    body: openai(
      'Account example is suspended, possibly due to reaching the monthly spending limit or failure to pay past invoices.',
      {
        code: 'PRECONDITION_FAILED',
        type: 'error',
      },
    ),
    verdict: OURS.billing,
  },
]

export const openaiChatErrors: readonly RecordedError[] = [...OPENAI, ...GROQ, ...OTHERS]
