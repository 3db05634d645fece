import { EXTRA_FIELD_NAMES } from './requestExtras.ts'

/** Fields that no chat completion request can be without: every provider is sent them. */
export const NEEDED_FIELDS: readonly string[] = ['model', 'messages', 'stream']

/** The other fields that a provider can be sent, by the caller's names: a provider or a model may refuse any of them. */
export const OPTIONAL_FIELDS: readonly string[] = [
  'max_completion_tokens',
  'max_tokens',
  'temperature',
  'top_p',
  'frequency_penalty',
  'presence_penalty',
  'stop',
  'n',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'response_format',
  'reasoning_effort',
  'seed',
  'logprobs',
  'top_logprobs',
  'user',
  'prompt_cache_key',
  ...EXTRA_FIELD_NAMES,
]

/** Fields of a message that say what it is: without one of them it says something else, or nothing. */
export const NEEDED_MESSAGE_FIELDS: readonly string[] = [
  'role',
  'content',
  'tool_calls',
  'tool_call_id',
  'function_call',
]

/** Other fields of messages that are known. Callers may send more, which are passed on. */
export const OPTIONAL_MESSAGE_FIELDS: readonly string[] = [
  'name',
  'refusal',
  'audio',
  'images',
  'annotations',
  'reasoning_content',
  'reasoning_details',
  'is_error',
  'cache_control',
]
