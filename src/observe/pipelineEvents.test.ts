import { expect, test } from 'bun:test'
import { StoreUnavailable } from '../core/ports/till.ts'
import { createErrorLog } from './errorLog.ts'
import { createMetrics } from './metrics.ts'
import { createPipelineEvents } from './pipelineEvents.ts'
import { createTestLog } from './testLog.ts'

function createEvents() {
  const { log, sentences } = createTestLog()
  const metrics = createMetrics({ openCalls: () => 0, bodyBytes: () => 0 })
  const prompts = () => false
  const errors = createErrorLog({ log, secrets: () => [], prompts })
  const events = createPipelineEvents({ log, errors, metrics, prompts })
  return { events, sentences, counted: async () => (await metrics.render()).body.split('\n') }
}

test('a settlement that waits is logged at its first delay and when it is given up; each delay is counted', async () => {
  const { events, sentences, counted } = createEvents()
  const delay = { id: 'chatcmpl-1', first: false, lost: false, cause: new StoreUnavailable('gone') }
  events.settlementDelayed({ ...delay, first: true })
  events.settlementDelayed(delay)
  events.settlementDelayed(delay)
  events.settlementDelayed({ ...delay, lost: true })
  expect(sentences()).toEqual(['a settlement waits for the store', 'a settlement was given up'])
  expect(await counted()).toContain('tollgate_settlement_retries_total{lost="false"} 3')
  expect(await counted()).toContain('tollgate_settlement_retries_total{lost="true"} 1')
})

test('failures of providers are counted before and after their answers begin', async () => {
  const { events, counted } = createEvents()
  const failed = { id: 'chatcmpl-1', route: 'openai/gpt-5', failure: { kind: 'server', detail: '' } } as const
  events.attemptFailed(failed)
  events.answerFailed(failed)
  expect(await counted()).toContain('tollgate_upstream_failures_total{kind="server"} 2')
})
