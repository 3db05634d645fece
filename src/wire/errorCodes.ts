import type { FailureKind, RequestPart } from '../core/failure.ts'

/** What a code means. `vague`: where the words of the error say more, they decide. */
export interface CodeMeaning {
  readonly kind: FailureKind
  readonly part?: RequestPart
  readonly vague?: true
}

interface CodeRule extends CodeMeaning {
  /** In snake_case: `ThrottlingException` is `throttling_exception`. */
  readonly codes: RegExp
  /** With which status it means that. `undefined`: in a 200, or in a stream. */
  isMeant(status: number | undefined): boolean
}

type Where = CodeRule['isMeant']

const anywhere: Where = () => true
const inStreams: Where = (status) => status === undefined
/** Where the request can be at fault; elsewhere the status is the surer sign. */
const inDoubt: Where = (status) => status === undefined || [400, 403, 412, 422].includes(status)
const belowServerErrors: Where = (status) => (status ?? 0) < 500
const whenBusy: Where = (status) => status === 429 || status === 498 || (status ?? 0) >= 500

/** In order: the first that matches decides. The lists below have the pages of the providers. */
const RULES: readonly CodeRule[] = [
  // OpenAI; DeepSeek and Moonshot; Anthropic (`error.details.error_code`); DashScope. A 402 may speak of the request's size.
  {
    kind: 'billing',
    codes:
      /insufficient_quota|insufficient_balance|insufficient_funds|exceeded_current_quota|credit_balance_exhausted|billing|payment|spend_limit|\barrearage\b/,
    isMeant: (status) => status !== 402,
  },
  // Groq: console.groq.com/docs/tool-use, /docs/structured-outputs.
  {
    kind: 'malformed_output',
    codes: /tool_use_failed|json_validate_failed|output_parse_failed|malformed_function_call/,
    isMeant: anywhere,
  },
  // OpenAI (`invalid_prompt`: BeehiveInnovations/pal-mcp-server#178; `bio_policy`: `ResponseError` of openai 6.49.0), Azure,
  // OpenRouter; DashScope.
  {
    kind: 'content_policy',
    codes:
      /content_filter|content_policy|invalid_prompt|bio_policy|responsible_ai_?policy_?violation|moderation|safety|data_inspection_failed/,
    isMeant: belowServerErrors,
  },
  // OpenAI; llama.cpp.
  {
    kind: 'too_large',
    codes: /context_length|context_window|exceed_context_size/,
    isMeant: anywhere,
  },
  // OpenAI: openai/openai-dotnet#317, getsentry/sentry-mcp#106.
  { kind: 'oversized', part: 'text', codes: /string_above_max_length/, isMeant: anywhere },
  { kind: 'oversized', part: 'list', codes: /array_above_max_length/, isMeant: anywhere },
  { kind: 'oversized', part: 'image', codes: /image_(?:file_)?too_large/, isMeant: anywhere },
  { kind: 'oversized', part: 'images', codes: /too_many_images/, isMeant: anywhere },
  { kind: 'oversized', part: 'file', codes: /file_too_large/, isMeant: anywhere },
  // Anthropic: platform.claude.com/docs/en/api/errors.
  { kind: 'oversized', part: 'body', codes: /too_large/, isMeant: anywhere },
  // Groq says 498 when its flex tier is full; Cohere says it of a bad token.
  {
    kind: 'overloaded',
    codes: /overload|capacity|unavailable|engine_busy|model_not_ready/,
    isMeant: whenBusy,
  },
  // OpenAI, Groq (`model_terms_required`, `model_permission_blocked_…`), Google (`reason` of a detail), Bedrock.
  {
    kind: 'credential',
    codes:
      /invalid_api_key|authentication|invalid_token|unauthenticated|unauthorized|access_denied|unsupported_country|account_(?:deactivated|disabled|suspended)|organization_disabled|model_terms_required|model_permission_blocked|unrecognized_client|expired_token|invalid_signature|incomplete_signature|opt_in_required|\b(?:api_key|access_token|credentials|consumer|account_state)_/,
    isMeant: inDoubt,
  },
  // Anthropic. With a 403 its status is the surer sign: the request may have caused it.
  { kind: 'credential', codes: /\bpermission_error\b/, isMeant: inStreams },
  // Bedrock, of a quota after which one may ask again: docs.aws.amazon.com/bedrock/latest/APIReference/API_runtime_InvokeModel.html.
  {
    kind: 'rate_limited',
    codes: /rate_limit|too_many_requests|resource_exhausted|slow_down|throttl|service_quota_exceeded/,
    isMeant: (status) => status === undefined || status === 400,
  },
  {
    kind: 'overloaded',
    codes: /overload|capacity|unavailable|engine_busy|model_not_ready/,
    isMeant: inStreams,
  },
  // OpenAI, Azure, Groq; Together (HeyPuter/puter#3168); Mistral (`1500`); Anthropic; Bedrock.
  {
    kind: 'not_found',
    codes:
      /(?:model|deployment|resource|route)_not_found|\bnot_found(?:_error)?\b|model_not_available|model_decommissioned|dedicated_endpoint_not_running|\binvalid_model\b|\b1500\b|unknown_operation/,
    isMeant: inDoubt,
  },
  // Its code is that of a value, and its words may say that the account is not verified: OpenAI.
  { kind: 'bad_request', codes: /unsupported_value/, isMeant: inDoubt, vague: true },
  // OpenAI; of images: `ResponseError` of openai 6.49.0.
  {
    kind: 'bad_request',
    codes:
      /invalid_(?:base64_)?image|image_(?:too_small|parse_error|file_not_found)|empty_image_file|failed_to_download_image|unsupported_image|invalid_value|invalid_type|invalid_function_parameters|invalid_json_schema|unsupported_(?:parameter|file)|unknown_parameter|missing_required_parameter|(?:integer|decimal)_(?:above|below)_m|previous_response_not_found/,
    isMeant: inDoubt,
  },
  // Bedrock: a failure of the model may be a call that it wrote wrongly, and a conflict comes as a 400.
  {
    kind: 'server',
    codes: /model_(?:stream_)?error_exception/,
    isMeant: anywhere,
    vague: true,
  },
  {
    kind: 'server',
    codes: /conflict_exception|model_timeout_exception|internal_server_exception/,
    isMeant: anywhere,
  },
  // Says no more than a status does.
  {
    kind: 'bad_request',
    codes: /invalid_request|bad_request|invalid_argument|validation|serialization|unsupported_/,
    isMeant: anywhere,
    vague: true,
  },
  {
    kind: 'server',
    codes: /server_error|internal|api_error|timeout_error|conflict_error|upstream|provider/,
    isMeant: anywhere,
    vague: true,
  },
]

/**
 * The meaning of the first code of the table; undefined where it has none of them.
 *
 * @param codes what the provider calls the error, in any spelling
 * @param status undefined: in a 200, or in a stream
 */
export function meaningOf(codes: readonly unknown[], status: number | undefined): CodeMeaning | undefined {
  const written = codes.flatMap((code) =>
    typeof code === 'string' || typeof code === 'number' ? [snake(code)] : [],
  )
  if (written.length === 0) return undefined
  const all = written.join(' ')
  return RULES.find((rule) => rule.isMeant(status) && rule.codes.test(all))
}

function snake(code: string | number): string {
  return String(code)
    .replaceAll(/(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])/g, '_')
    .toLowerCase()
}
