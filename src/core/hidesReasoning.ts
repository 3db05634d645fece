import type { ChatRequest } from './chat/request.ts'
import type { Model } from './model.ts'

/** Whether an answer's tokens are spent out of sight, so that its stream does not show what it costs. */
export function hidesReasoning({ reasoningEffort }: ChatRequest, { hiddenReasoning }: Model): boolean {
  if (hiddenReasoning === undefined || reasoningEffort === 'none') return false
  return hiddenReasoning === 'always' || reasoningEffort !== undefined
}
