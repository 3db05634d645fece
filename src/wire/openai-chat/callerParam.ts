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

/**
 * A provider's `param` in our spelling (`messages.[0].content` and `messages.0.content` become
 * `messages[0].content`); undefined when it names no field of the caller's.
 */
export function callerParam(param: string | undefined): string | undefined {
  if (param === undefined || param.length > PARAM_LENGTH_MAX) return undefined
  const path = param.replaceAll('.[', '[').replaceAll(/\.(\d+)(?=\.|$|\[)/g, '[$1]')
  if (!/^[a-z_]+(?:\[\d+\]|\.[A-Za-z_][A-Za-z0-9_]*)*$/.test(path)) return undefined
  const field = /^[a-z_]+/.exec(path)?.[0] ?? ''
  return CALLER_FIELDS.has(field) ? path : undefined
}
