import type { ChatRequest } from './chat/request.ts'
import type { Model } from './model.ts'

/** Whether an answer's tokens are spent out of sight, so that its stream does not show what it costs. */
export function hidesReasoning({ reasoningEffort }: ChatRequest, { hiddenReasoning }: Model): boolean {
  // A model that always reasons is asked for its least.
  if (hiddenReasoning === 'always') return true
  return hiddenReasoning !== undefined && reasoningEffort !== undefined && reasoningEffort !== 'none'
}
