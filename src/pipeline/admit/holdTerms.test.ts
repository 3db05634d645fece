import { expect, test } from 'bun:test'
import type { ChatRequest } from '../../core/chat/request.ts'
import { type Nano, nano } from '../../core/money.ts'
import { createStreamRefusals } from '../../upstream/streamRefusals.ts'
import type { Route } from '../../upstream/route.ts'
import type { Plan } from '../plan/plan.ts'
import { NOON, callerWith, planOf } from '../../../test/support/testPlan.ts'
import type { Admitted } from './admitted.ts'
import { outputTokensFor } from './holdSize.ts'
import { holdTermsOf, outputLimitsOf } from './holdTerms.ts'

const TOOLS = [{ type: 'function', function: { name: 'f' } }]

/** The last route of a plan sends a call of a tool in one piece. */
function planWithWholeCalls(request: Partial<ChatRequest> = {}): Plan {
  const plan = planOf(request)
  const last = plan.routes.at(-1)
  if (!last) throw new Error('no route')
  const whole: Route = { ...last, quirks: { wholeToolCalls: true } }
  return { ...plan, routes: [...plan.routes.slice(0, -1), whole] }
}

function outputOf(plan: Plan) {
  const deps = { streamRefusals: createStreamRefusals(() => NOON), holds: () => 'needed' as const }
  return holdTermsOf(plan, { caller: callerWith(), deps: deps as never }, NOON).output
}

test('one route that sends calls in one piece makes the output of a call with tools unseen', () => {
  expect(outputOf(planOf({ tools: TOOLS }))).toBe('seen')
  expect(outputOf(planWithWholeCalls())).toBe('seen')
  expect(outputOf(planWithWholeCalls({ tools: TOOLS, toolChoice: 'none' }))).toBe('seen')
  expect(outputOf(planWithWholeCalls({ tools: TOOLS }))).toBe('unseen')
})

test('a stream over such a route is limited to four times what its hold covers, any other to what is free', () => {
  const plan = planWithWholeCalls({ tools: TOOLS })
  const [held, affordable] = [nano(2_000_000n), nano(12_000_000n)]
  const admitted: Admitted = {
    id: 'req_1' as Admitted['id'],
    caller: callerWith(),
    startedAt: NOON,
    held,
    affordable,
    coversMost: false,
    extend: () => Promise.resolve({ kind: 'gone' }),
  }
  for (const route of plan.routes) {
    const covered = (amount: Nano): number => outputTokensFor(amount, plan, route, NOON)
    expect(covered(affordable)).toBeGreaterThan(4 * covered(held))
    const unseen = route === plan.routes.at(-1)
    const limit = unseen ? 4 * covered(held) : covered(affordable)
    expect(outputLimitsOf(plan, admitted)(route, 'stream')).toBe(limit)
  }
})
