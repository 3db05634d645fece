import { expect, test } from 'bun:test'
import { OutcomeUnknown, StoreUnavailable } from '../core/ports/till.ts'
import { createErrorLog } from './errorLog.ts'
import { createMetrics } from './metrics.ts'
import { IDLE } from '../../test/support/idleGauges.ts'
import { createPipelineEvents } from './pipelineEvents.ts'
import { createTestLog } from '../../test/support/testLog.ts'

function createEvents() {
  const { log, lines, sentences } = createTestLog()
  const clock = { at: 0 }
  const metrics = createMetrics(IDLE)
  const prompts = () => false
  const errors = createErrorLog({ log, secrets: () => [], prompts })
  const events = createPipelineEvents({ log, errors, metrics, prompts, now: () => clock.at })
  return { clock, events, lines, sentences, counted: async () => (await metrics.render()).body.split('\n') }
}

test('a settlement that waits is logged at its first delay and when it is given up; each delay is counted', async () => {
  const { events, sentences, counted } = createEvents()
  const delay = { id: 'chatcmpl-1', first: false, lost: false, cause: new StoreUnavailable('gone') }
  events.settlementDelayed({ ...delay, first: true })
  events.settlementDelayed(delay)
  events.settlementDelayed(delay)
  events.settlementDelayed({ ...delay, lost: true })
  expect(sentences()).toEqual(['a settlement waits for the database', 'a settlement was given up'])
  expect(await counted()).toContain('tollgate_settlement_retries_total{lost="false"} 3')
  expect(await counted()).toContain('tollgate_settlement_retries_total{lost="true"} 1')
})

test('a settlement that may have been committed says so when it is given up, and when it is found and refunded', () => {
  const { events, lines, sentences } = createEvents()
  const cause = new OutcomeUnknown('gone')
  events.settlementDelayed({ id: 'chatcmpl-1', first: false, lost: true, cause })
  const settled = { id: 'chatcmpl-1', workspaceId: 'ws_1', route: null, ending: 'gateway_failed' }
  events.settled({ ...settled, charge: 0n, refund: 7n, writeoff: undefined, estimated: false })
  expect(sentences()).toEqual([
    'a settlement was given up that may have been committed',
    'a charge in doubt was found committed and was refunded, because the answer was not sent',
  ])
  expect(lines()[1]).toMatchObject({ id: 'chatcmpl-1', workspace_id: 'ws_1', refund_nano_usd: '7' })
})

test('failures of providers are counted before and after their answers begin', async () => {
  const { events, counted } = createEvents()
  const failed = { id: 'chatcmpl-1', route: 'openai/gpt-5', failure: { kind: 'server', detail: '' } } as const
  events.attemptFailed(failed)
  events.answerFailed(failed)
  expect(await counted()).toContain('tollgate_upstream_failures_total{kind="server"} 2')
})

test('a write-off is logged with its cause, and counted', async () => {
  const { events, lines, counted } = createEvents()
  const call = { workspaceId: 'ws_1', route: 'openai/gpt-5' }
  const settled = { ...call, ending: 'completed', charge: 5n, estimated: false }
  events.settled({ ...settled, id: 'chatcmpl-1', writeoff: undefined })
  const writeoff = { amount: 27n, cause: 'unseen_output' } as const
  events.settled({ ...settled, id: 'chatcmpl-2', writeoff })
  expect(lines()).toMatchObject([
    {
      id: 'chatcmpl-2',
      route: 'openai/gpt-5',
      workspace_id: 'ws_1',
      msg: 'part of a charge was written off',
      writeoff_nano_usd: '27',
      cause: 'unseen_output',
    },
  ])
  expect(await counted()).toContain('tollgate_writeoffs_total{cause="unseen_output"} 1')
  expect(await counted()).toContain('tollgate_writeoffs_nano_usd_total{cause="unseen_output"} 27')
  expect(await counted()).toContain('tollgate_writeoffs_total{cause="seen_output"} 0')
})

test('while connections fail for want of files, one line in ten seconds names the limit', () => {
  const { clock, events, sentences } = createEvents()
  const failure = { kind: 'no_files', code: 'out_of_files', detail: 'x' } as const
  for (clock.at = 0; clock.at < 20_000; clock.at += 1_000)
    events.attemptFailed({ id: 'chatcmpl-1', route: 'acme/chat', failure })
  expect(sentences().filter((sentence) => sentence.includes('ulimit -n'))).toHaveLength(2)
})

test('a request that alone exceeds a limit of the account has a line with both numbers, one in ten seconds for each route', () => {
  const { clock, events, lines } = createEvents()
  const failure = { kind: 'over_limit', status: 429, limit: 6_000, requested: 9_000, detail: 'x' } as const
  for (clock.at = 0; clock.at < 20_000; clock.at += 1_000)
    for (const route of ['acme/chat', 'acme/other'])
      events.attemptFailed({ id: 'chatcmpl-1', route, failure })
  const advice = lines().filter(({ msg }) => msg.includes('raise the limit'))
  expect(advice).toHaveLength(4)
  expect(advice[0]).toMatchObject({ route: 'acme/chat', status: 429, limit: 6_000, requested: 9_000 })
})

test('a model that a provider does not have, or a wrong address, has a line that says what to check', () => {
  const { events, lines } = createEvents()
  const failure = { kind: 'not_found', status: 405, detail: 'x' } as const
  events.attemptFailed({ id: 'chatcmpl-1', route: 'acme/chat', failure })
  expect(lines().at(-1)).toMatchObject({ route: 'acme/chat', status: 405, level: 40 })
  expect(String(lines().at(-1)?.['msg'])).toContain('base_url')
})

test('while connections fail for want of local ports, the line names these, and not the files', () => {
  const { events, sentences } = createEvents()
  const failure = { kind: 'no_ports', code: 'out_of_ports', detail: 'x' } as const
  events.attemptFailed({ id: 'chatcmpl-1', route: 'acme/chat', failure })
  const advice = sentences().find((sentence) => sentence.includes('troubleshooting.md'))
  expect(advice).toContain('ip_local_port_range')
  expect(advice).not.toContain('ulimit')
})
