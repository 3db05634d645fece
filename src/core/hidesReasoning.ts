import type { RequestTraits } from './traits.ts'
import type { Model } from './model.ts'
import { unreachable } from './assert.ts'

/** Whether an answer's tokens are spent out of sight, so that its stream does not show what it costs. */
export function hidesReasoning(
  { reasoningEffort, reasons }: RequestTraits,
  { hiddenReasoning }: Model,
): boolean {
  switch (hiddenReasoning) {
    case undefined:
      return false
    case 'always':
      // A model that always reasons is asked for its least.
      return true
    case 'by_default':
      return reasoningEffort !== 'none'
    case 'on_request':
      return reasons === true || (reasoningEffort !== undefined && reasoningEffort !== 'none')
    default:
      return unreachable(hiddenReasoning)
  }
}
