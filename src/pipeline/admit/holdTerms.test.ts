import { expect, test } from 'bun:test'
import type { ChatRequest } from '../../core/chat/request.ts'
import { type Nano, nano } from '../../core/money.ts'
import { createUnseenOutput } from '../../upstream/unseenOutput.ts'
import { createStreamRefusals } from '../../upstream/streamRefusals.ts'
import type { Admitted } from './admitted.ts'
import { outputTokensFor } from './holdSize.ts'
import { holdTermsOf, outputLimitsOf } from './holdTerms.ts'
import { createLearntNeeds } from './learntNeeds.ts'
import type { Plan } from '../plan/plan.ts'
import { NOON, callerWith, planOf } from '../../../test/support/testPlan.ts'

const TOOLS = [{ type: 'function', function: { name: 'f' } }]

function terms() {
  const unseenOutput = createUnseenOutput(() => NOON)
  const deps = {
    unseenOutput,
    streamRefusals: createStreamRefusals(() => NOON),
    learntNeeds: createLearntNeeds(),
    holds: () => 'needed' as const,
  }
  return {
    unseenOutput,
    outputOf: (request: Partial<ChatRequest>) =>
      holdTermsOf(planOf(request), callerWith(), deps, NOON).output,
    /** The limit that the first route is sent, with so much held of so much that is free. */
    limitOf(plan: Plan, held: Nano, affordable: Nano): number | undefined {
      const [route] = plan.routes
      if (!route) throw new Error('no route')
      const admitted: Admitted = {
        id: 'req_1' as Admitted['id'],
        caller: callerWith(),
        startedAt: NOON,
        held,
        affordable,
        coversMost: false,
        extend: () => Promise.resolve(false),
      }
      return outputLimitsOf(plan, admitted, deps)(route, 'stream')
    },
  }
}

test('a route that once sent far more in one piece makes output unseen, on any place of the plan', () => {
  const { unseenOutput, outputOf } = terms()
  const last = planOf({}).routes.at(-1)
  if (!last) throw new Error('no route')
  expect(outputOf({})).toBe('seen')
  unseenOutput.learn({ ...planOf({}).request, tools: TOOLS }, last)
  expect([outputOf({}), outputOf({ tools: TOOLS })]).toEqual(['seen', 'unseen'])
  unseenOutput.learn(planOf({}).request, last)
  expect([outputOf({}), outputOf({ tools: TOOLS })]).toEqual(['unseen', 'unseen'])
})

test('a stream over such a route is limited to four times what its hold covers, any other to what is free', () => {
  const { unseenOutput, limitOf } = terms()
  const plan = planOf({})
  const [route] = plan.routes
  if (!route) throw new Error('no route')
  const [held, affordable] = [nano(2_000_000n), nano(12_000_000n)]
  const covered = (amount: Nano): number =>
    outputTokensFor(amount, plan.request, route, plan.promptSize, NOON)
  expect(covered(affordable)).toBeGreaterThan(4 * covered(held))
  expect(limitOf(plan, held, affordable)).toBe(covered(affordable))
  unseenOutput.learn(plan.request, route)
  expect(limitOf(plan, held, affordable)).toBe(4 * covered(held))
})
