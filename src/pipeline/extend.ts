import { StoreUnavailable } from '../core/ports/till.ts'
import type { CallScope } from './callScope.ts'
import type { PipelineDeps } from './deps.ts'
import type { Answer } from './dispatch.ts'
import { extensionAmount } from './holdSize.ts'
import type { Plan } from './plan.ts'

/** Lets a call's hold grow by output tokens of the answering model. A store that is away means no. */
export function extender(
  call: CallScope,
  answer: Answer,
  plan: Plan,
  deps: PipelineDeps,
): (tokens: number) => Promise<boolean> {
  const { admitted } = call
  return async (tokens) => {
    const amount = extensionAmount(answer.route, plan.promptSize, tokens, admitted.startedAt)
    try {
      return await admitted.extend(amount, deps.now())
    } catch (error) {
      if (error instanceof StoreUnavailable) return false
      throw error
    }
  }
}
