import { expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { testModel, testRoute } from '../../test/support/testRoute.ts'
import { timeoutsInForce } from '../providers/timeouts.ts'
import type { Route } from './route.ts'
import { timeoutsOf } from './timeouts.ts'

const TIMEOUTS = timeoutsInForce({ wholeMs: 40_000 })
const routeTo = (model = testModel()): Route => {
  const route = testRoute({ model })
  return { ...route, provider: { ...route.provider, timeouts: TIMEOUTS } }
}

test('an answer that is asked whole has one limit for all of it', () => {
  expect(timeoutsOf(routeTo(), chatRequest({ stream: false }))).toEqual({
    connectMs: 5_000,
    firstEventMs: 40_000,
    idleMs: 40_000,
    totalMs: 40_000,
  })
})

test('a stream is left after a silence, and a model that reasons out of sight only after a long one', () => {
  const { usual, patient } = TIMEOUTS
  const request = chatRequest({ stream: true })
  expect(timeoutsOf(routeTo(), request)).toMatchObject({
    firstByteMs: usual.firstByteMs,
    idleMs: usual.idleMs,
  })
  expect(timeoutsOf(routeTo(testModel({ hiddenReasoning: 'always' })), request)).toMatchObject({
    firstByteMs: patient.firstByteMs,
    firstEventMs: patient.firstEventMs,
    idleMs: patient.idleMs,
    spokenIdleMs: usual.idleMs,
  })
})

test('a tool call that comes in one piece may take long to write, behind text too', () => {
  const { usual, patient } = TIMEOUTS
  const tools = [{ type: 'function', function: { name: 'f' } }]
  const route = routeTo()
  const whole: Route = { ...route, quirks: { wholeToolCalls: true } }
  const offered = chatRequest({ stream: true, tools })
  expect(timeoutsOf(whole, offered)).toMatchObject({ idleMs: patient.idleMs, spokenIdleMs: patient.idleMs })
  for (const [other, request] of [
    [route, offered],
    [whole, chatRequest({ stream: true })],
    [whole, chatRequest({ stream: true, tools, toolChoice: 'none' })],
  ] as const)
    expect(timeoutsOf(other, request)).toMatchObject({ idleMs: usual.idleMs, spokenIdleMs: usual.idleMs })
})
