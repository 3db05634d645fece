import type { FailureKind, RequestPart } from '../core/failure.ts'

/** Sentences of providers by which an error is known, where it has no code that decides. */
export interface SentenceRule {
  readonly kind: FailureKind
  readonly part?: RequestPart
  readonly words: RegExp
  /** With which status they count; `undefined`: in a 200, or in a stream. */
  readonly statuses: readonly (number | undefined)[]
  /** Whether they also count where the error names another field than the model as the one at fault. */
  readonly besideParam: boolean
  /** They do not count where the error speaks of a quota that comes back by itself. */
  readonly unlessRenewed: boolean
}

const REQUEST = [400, 403, 422, undefined]
const ACCOUNT = [400, 403, 412, 422, 429, undefined]
const WITH_413 = [400, 403, 413, 422, undefined]
/** llama.cpp says with a 500 that a context ran over: ggml-org/llama.cpp#19774. */
const WITH_500 = [...WITH_413, 500]

/** In order: the first that matches decides. */
export const SENTENCES: readonly SentenceRule[] = [
  // OpenRouter: "This request requires more credits, or fewer max_tokens. You requested …, but can only afford …"
  rule('too_dear', [402], ['fewer max_tokens|can only afford'], { besideParam: true }),
  rule(
    'over_limit',
    [413, 429],
    [
      // Groq: assafelovic/gpt-researcher#985; OpenAI: vanna-ai/vanna-flask#11.
      'request too large for (?:…|model|\\S+ (?:in organization|on tokens))',
      // Anthropic: anthropics/claude-code#41054.
      'extra usage is required for long context',
    ],
    { besideParam: true },
  ),
  // Anthropic: anthropics/claude-code#27944.
  rule('over_limit', [400, 403], ['long context beta is not yet available'], { besideParam: true }),
  rule(
    'malformed_output',
    [400, 422, 424, 500, undefined],
    [
      // Groq: console.groq.com/docs/tool-use, thepersonalaicompany/amurex-backend#38.
      'failed to call a function|failed to (?:generate|validate) json|tool call validation failed',
      'tool choice is (?:required|none), but model',
      // Amazon Nova: strands-agents/harness-sdk#649. Cohere: deepset-ai/haystack-core-integrations#1693.
      'model produced (?:an )?invalid sequence|no valid (?:tool call or )?response generated',
      // Ollama: ollama/ollama#11704, #12884. OpenAI: BerriAI/litellm#8020. llama.cpp, of its own model's output.
      'error parsing tool call|model produced invalid content|failed to parse input at pos',
    ],
    { besideParam: true },
  ),
  rule('billing', ACCOUNT, [
    'insufficient (?:account )?(?:balance|credits?|funds)|credit balance',
    '(?:spend|spending|billing)(?: hard)? limits?|requires? more credits|out of credits|payment required',
    // Anthropic; DashScope: dataelement/bisheng#2426.
    'issue with your billing|account is in good standing',
    // OpenAI: BerriAI/litellm#2743. Google.
    'account is not active|billing (?:is )?(?:not active|not enabled|disabled)|enable billing',
  ]),
  // Cohere's trial keys.
  rule('billing', [429], ['(?:per|/) ?month']),
  // Google, of a model that the plan does not have: google-gemini/gemini-cli#4300. OpenAI: "Limit 0, Requested 10".
  rule('billing', [429], ['\\blimit:? 0\\b(?!\\.?\\d)']),
  // A quota that comes back by itself. Google and DashScope begin with the words of a bill: dyad-sh/dyad#1469. Azure's API
  // Management says it with a 403. MiniMax: MiniMax-AI/MiniMax-M2.7#36. Z.ai: NousResearch/hermes-agent#103038.
  rule(
    'rate_limited',
    [403, 429, undefined],
    [
      '\\b(?:quota|limit(?:s|ed)?|rate|requests|tokens|calls)\\b[^.]{0,120}?(?:\\b(?:per|a|each)[ _-]|/ ?)(?:second|minute|min|hour|day)\\b',
      '\\b(?:second|minute|hour|day|daily|hourly|\\d+[- ]?h(?:ou)?rs?)\\b (?:usage |request |token )?(?:quota|limit)|limit reached for \\d+ hours?',
      '\\b(?:RPM|RPD|RPS|TPM|TPD|TPS|QPS|QPM)\\b|quota will (?:be )?(?:reset|replenish)',
    ],
  ),
  rule('rate_limited', [undefined], ['rate limit(?:ed)?\\b|too many requests']),
  rule(
    'billing',
    ACCOUNT,
    ['exceeded (?:your )?current quota|insufficient (?:account )?quota|usage (?:hard )?limits?'],
    { unlessRenewed: true },
  ),
  // OpenAI, which names `stream` or what else needs it: danny-avila/LibreChat#7323, continuedev/continue#9067.
  rule('credential', [400, 422], ['organi[sz]ation must be verified|verify (?:your )?organi[sz]ation'], {
    besideParam: true,
  }),
  rule(
    'credential',
    [400, 412, 422],
    [
      'invalid (?:api|access) (?:key|token)|incorrect api key|api key (?:not valid|is invalid|expired)|api_key_invalid',
      'unauthori[sz]ed',
      // A state of the account. Anthropic: router-for-me/CLIProxyAPI#3268; Google: googleapis CONSUMER_SUSPENDED, "API key was
      // reported as leaked" (continuedev/continue#11541), "project has been denied access" (poenl/gemini-api#8).
      '\\b(?:account|organi[sz]ation|project|workspace|subscription|tenant|api key)\\b.{0,80}\\b(?:disabled|deactivated|suspended|terminated|blocked|banned|restricted|inactive|leaked|denied access|not (?:yet )?(?:verified|active|activated|enabled|allowed|authori[sz]ed))\\b',
      // Groq: `model_terms_required`.
      'requires? terms acceptance',
      // Bedrock: langgenius/dify#7488, ministryofjustice/modernisation-platform-environments#18323.
      '^operation not allowed|model access is denied|not authori[sz]ed to perform',
    ],
  ),
  rule(
    'not_found',
    [400, 403, 422],
    [
      'model\\b.{0,120}\\b(?:does not exist|not found|is not available|was removed|decommissioned|no longer supported)|model not exist|no such model|unknown model',
      // Azure: chatboxai/chatbox#861. Mistral. LiteLLM's proxy.
      'deployment\\b.{0,80}\\bdoes not exist|\\binvalid model\\b(?! (?:output|response))',
      'do(?:es)? not have access to (?:the )?model|no access to (?:the )?model|don.t have access to the model',
      // DeepSeek: HKUDS/Paper2Slides#37, langbot-app/LangBot#1643. OpenRouter: maxnowack/anthropic-proxy#4. Together: HeyPuter/puter#3168.
      'supported (?:api )?model names are|not a valid model id|unable to access (?:non-serverless )?model',
      // Bedrock: strands-agents/harness-sdk#38.
      'model identifier is invalid|on-demand throughput|end of its life|inference profile|marked by provider as legacy',
    ],
  ),
  // Anthropic and Bedrock: boto/boto3#4632. vLLM: vllm-project/vllm#17092. Copilot: microsoft/vscode#303825. Meta: anomalyco/opencode#48647.
  rule(
    'oversized',
    WITH_413,
    ['too many images|at most \\d+ image(?:s|\\(s\\))? may be provided|\\d+ images, exceeding'],
    { part: 'images', besideParam: true },
  ),
  // Anthropic: anthropics/claude-code#19631, #4778. Bedrock: aws-samples/video-semantic-search-with-aws-ai-ml-services#4.
  rule('oversized', WITH_413, ['image(?:s| size| dimensions)? exceeds?\\b|image (?:is )?too (?:large|big)'], {
    part: 'image',
    besideParam: true,
  }),
  // Anthropic: platform.claude.com/docs/en/build-with-claude/pdf-support.
  rule(
    'oversized',
    WITH_413,
    ['(?:pdf|document|file)s? (?:size )?(?:exceeds?|(?:is |are )?too large)|\\d+ pdf pages'],
    {
      part: 'file',
      besideParam: true,
    },
  ),
  rule('oversized', WITH_413, ['too many (?:tools|functions|function declarations)'], {
    part: 'tools',
    besideParam: true,
  }),
  // OpenAI: vishalmysore/Tools4AI#16. Servers with pydantic, such as Mistral's.
  rule('oversized', WITH_413, ['array too long|list should have at most \\d+ items?'], {
    part: 'list',
    besideParam: true,
  }),
  // OpenAI: getsentry/sentry-mcp#106.
  rule('oversized', WITH_413, ['string too long|string should have at most \\d+ characters?'], {
    part: 'text',
    besideParam: true,
  }),
  rule(
    'oversized',
    WITH_413,
    [
      // Anthropic; Google: ai.google.dev/gemini-api/docs/file-input-methods; google-gemini/gemini-cli#13776.
      'request exceeds the maximum size|payload size exceeds|maximum request body size|request (?:entity |body )?too large(?! for)',
    ],
    { part: 'body', besideParam: true },
  ),
  rule(
    'overloaded',
    [undefined],
    ['overloaded|at capacity|capacity exceeded|server is busy|try again later'],
  ),
  rule(
    'too_large',
    WITH_500,
    [
      'too long|too large for model|too many (input |total )?tokens|context (length|window|size|limit)|maximum context',
      'reduce the length|exceeds? the (?:model.s )?(?:maximum )?(?:context|input)',
      // Amazon Nova; Gemini; Poolside.
      'input tokens exceeded|input token count .{0,40}exceeds|exceeds the maximum allowed input length',
      // xAI; Together and Hugging Face's server, of two names in backticks.
      'maximum prompt length|tokens \\+ (?:…|max_new_tokens) must be',
      // vLLM, of the prompt and of the output that it leaves room for; LM Studio.
      'longer than the maximum model length|max_tokens must be at least 1, got -|n_keep .{0,40}n_ctx',
      // Qwen on DashScope and where it is resold; Hugging Face's server.
      'range of input length should be|must have less than \\d+ tokens',
    ],
    { besideParam: true },
  ),
  rule(
    'content_policy',
    REQUEST,
    [
      'content (filter|policy|management)|violating .{0,20}usage policy|moderation|guardrail',
      // xAI.
      'content violates usage guidelines',
    ],
    { besideParam: true },
  ),
  rule('content_policy', [403], ['flagged'], { besideParam: true }),
]

function rule(
  kind: FailureKind,
  statuses: SentenceRule['statuses'],
  words: readonly string[],
  more: { besideParam?: boolean; unlessRenewed?: boolean; part?: RequestPart } = {},
): SentenceRule {
  const expression = new RegExp(words.join('|'), 'i')
  return { kind, statuses, words: expression, besideParam: false, unlessRenewed: false, ...more }
}
