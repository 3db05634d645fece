/**
 * Request fields that cost nothing but tokens of the usual kinds, and name nothing of the operator's account. Of the fields of
 * `MessageCreateParams` in @anthropic-ai/sdk 1.11.0 these are not among them: `speed`, `inference_geo`, `fallbacks` and
 * `service_tier`, which have prices of their own, and `diagnostics`, which names earlier messages.
 */
export const PASSED_FIELDS: ReadonlySet<string> = new Set([
  'model',
  'messages',
  'max_tokens',
  'system',
  'temperature',
  'top_p',
  'top_k',
  'stop_sequences',
  'stream',
  'metadata',
  'thinking',
  'output_config',
  'output_format',
  'tools',
  'tool_choice',
  'context_management',
  'cache_control',
])

/** Edits of `context_management` that only leave something out: others read the prompt again. */
export const PASSED_EDITS = /^clear_(?:tool_uses|thinking)_/

/**
 * Features of `anthropic-beta` that change neither prices nor whose account is read, by their names without the date. The
 * names are those of `AnthropicBeta` in @anthropic-ai/sdk 1.11.0, and those that clients send beside them.
 */
const PASSED_BETAS: ReadonlySet<string> = new Set([
  'advanced-tool-use',
  'context-management',
  'effort',
  'extended-cache-ttl',
  'fine-grained-tool-streaming',
  'interleaved-thinking',
  'mid-conversation-output-config',
  'mid-conversation-system',
  'mid-conversation-system-clear-at',
  'mid-conversation-tool-changes',
  'model-context-window-exceeded',
  'output-128k',
  'output-300k',
  'pdfs',
  'per-turn-control',
  'prompt-caching',
  'prompt-caching-scope',
  'redact-thinking',
  'structured-outputs',
  'task-budgets',
  'thinking-binding-controls',
  'thinking-display-updates',
  'thinking-token-count',
  'token-counting',
  'token-efficient-tools',
  'tool-examples',
])

/** By this the vendor's own coding agent names itself. */
const CODING_AGENT = /^[a-z]+-code$/

export function isPassedBeta(beta: string): boolean {
  const feature = beta.replace(/-\d{4}-?\d{2}-?\d{2}$/, '')
  return PASSED_BETAS.has(feature) || CODING_AGENT.test(feature)
}
