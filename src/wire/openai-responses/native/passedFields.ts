import { ENCRYPTED_REASONING, LOGPROBS } from '../include.ts'

/**
 * Request fields that cost nothing but tokens of the usual kinds, and name nothing of the operator's account. Of the fields of
 * `ResponseCreateParams` in openai 6.49.0 these are not among them: `background`, `conversation`, `previous_response_id`, `prompt`
 * and `store`, which read or keep something at the vendor, and `context_management`, whose compaction reads the prompt again.
 */
export const PASSED_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'input',
  'instructions',
  'stream',
  'stream_options',
  'max_output_tokens',
  'max_tool_calls',
  'temperature',
  'top_p',
  'top_logprobs',
  'tools',
  'tool_choice',
  'parallel_tool_calls',
  'text',
  'reasoning',
  'include',
  'truncation',
  'metadata',
  'moderation',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'prompt_cache_options',
  'prompt_cache_retention',
  'service_tier',
])

/** Fields that the gateway answers for itself: they are neither passed nor named. */
export const OWN_FIELDS: ReadonlySet<string> = new Set([
  'store',
  'background',
  'conversation',
  'previous_response_id',
  'prompt',
])

/** Fields of `reasoning`. `mode` is not among them: a mode other than the usual one reasons far more. */
export const PASSED_IN_REASONING: ReadonlySet<string> = new Set([
  'effort',
  'summary',
  'generate_summary',
  'context',
])

/** Values of `include`. The others ask for what tools that run at the vendor have found. */
export const PASSED_IN_INCLUDE: ReadonlySet<unknown> = new Set([
  ENCRYPTED_REASONING,
  LOGPROBS,
  'message.input_image.image_url',
])
