import type { PipelineDeps } from './deps.ts'
import type { Answer } from './dispatch.ts'
import type { Plan } from './plan.ts'

/** Remembers the route of an answer whose stream brought far more in one piece than its hold covered. */
export function pieceLearner({
  answer: { body, route },
  plan,
  deps,
}: {
  readonly answer: Pick<Answer, 'body' | 'route'>
  readonly plan: Pick<Plan, 'request'>
  readonly deps: Pick<PipelineDeps, 'largePieces'>
}): () => void {
  // A target that was asked for a whole answer gave what it was asked for.
  const streamed = body.kind === 'stream'
  return () => {
    if (streamed) deps.largePieces.learn(plan.request, route)
  }
}
