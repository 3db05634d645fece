const PARAM_LENGTH_MAX = 100

/** The request fields a caller can have sent us; a provider may name others that only we wrote. */
const CALLER_FIELDS: ReadonlySet<string> = new Set([
  'messages',
  'max_tokens',
  'max_completion_tokens',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'stop',
  'n',
  'seed',
  'user',
  'logprobs',
  'top_logprobs',
  'logit_bias',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'functions',
  'function_call',
  'response_format',
  'reasoning_effort',
  'prompt_cache_key',
  'audio',
  'metadata',
  'modalities',
  'moderation',
  'prediction',
  'safety_identifier',
  'service_tier',
  'store',
  'verbosity',
  'web_search_options',
])

/** The steps below them that are told; what a caller named itself, such as a tool's property, is not. */
const STEPS: ReadonlySet<string> = new Set(
  `annotations arguments audio content data description detail enum file file_data filename format function id image_url
  input_audio items json_schema name parameters properties reasoning_content refusal required role schema strict text
  tool_call_id tool_calls tools type url`.split(/\s+/),
)

/**
 * A provider's `param` in our spelling (`messages.[0].content` and `messages.0.content` become
 * `messages[0].content`); undefined when it names no field of the caller's. It reaches the caller, so it ends
 * before the first step that is no name we know: a provider can put anything there, our key too.
 */
export function callerParam(param: string | undefined): string | undefined {
  if (param === undefined || param.length > PARAM_LENGTH_MAX) return undefined
  const path = param.replaceAll('.[', '[').replaceAll(/\.(\d+)(?=\.|$|\[)/g, '[$1]')
  if (!/^[a-z_]+(?:\[\d{1,6}\]|\.[A-Za-z_][A-Za-z0-9_]*)*$/.test(path)) return undefined
  const [field = '', ...steps] = path.split(/(?=[.[])/)
  if (!CALLER_FIELDS.has(field)) return undefined
  const strange = steps.findIndex((step) => step.startsWith('.') && !STEPS.has(step.slice(1)))
  return [field, ...(strange === -1 ? steps : steps.slice(0, strange))].join('')
}
