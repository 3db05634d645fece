import { expect, test } from 'bun:test'
import { WRITEOFF_CAUSES } from '../core/writeoff.ts'
import { type BlockLabels, createMetrics } from './metrics.ts'
import { IDLE } from '../../test/support/idleGauges.ts'
import { ENDINGS } from '../core/ports/books.ts'

async function linesOf(metrics: ReturnType<typeof createMetrics>): Promise<string[]> {
  const { body } = await metrics.render()
  return body.split('\n').filter((line) => line.startsWith('tollgate_'))
}

test('answers, settlements and charges are counted, and keep growing from scrape to scrape', async () => {
  const metrics = createMetrics({ ...IDLE, openCalls: () => 3, bodyBytes: () => 4096 })
  metrics.answered('/v1/models', 200)
  metrics.answered('/v1/models', 200)
  metrics.answered('/v1/models', 429)
  metrics.settled('completed', 1_500n, false)
  metrics.settled('client_left', 500n, true)
  const first = await linesOf(metrics)
  expect(first).toContain('tollgate_requests_total{path="/v1/models",status="200"} 2')
  expect(first).toContain('tollgate_requests_total{path="/v1/models",status="429"} 1')
  expect(first).toContain('tollgate_settlements_total{ending="completed",usage="reported"} 1')
  expect(first).toContain('tollgate_settlements_total{ending="client_left",usage="estimated"} 1')
  expect(first).toContain('tollgate_charges_nano_usd_total 2000')
  expect(first).toContain('tollgate_open_calls 3')
  expect(first).toContain('tollgate_request_body_bytes 4096')

  metrics.answered('/v1/models', 200)
  metrics.settled('completed', 1n, false)
  const second = await linesOf(metrics)
  expect(second).toContain('tollgate_requests_total{path="/v1/models",status="200"} 3')
  expect(second).toContain('tollgate_settlements_total{ending="completed",usage="reported"} 2')
  expect(second).toContain('tollgate_charges_nano_usd_total 2001')
})

test('every ending has its series before its first call, so that an alert sees that one', async () => {
  const lines = await linesOf(createMetrics(IDLE))
  for (const ending of ENDINGS)
    expect(lines).toContain(`tollgate_settlements_total{ending="${ending}",usage="reported"} 0`)
})

test('memory and CPU time are read when they are asked for', async () => {
  const lines = await linesOf(createMetrics(IDLE))
  const valueOf = (name: string): number =>
    Number(lines.find((line) => line.startsWith(`${name} `))?.split(' ')[1])
  expect(valueOf('tollgate_resident_memory_bytes')).toBeGreaterThan(1_000_000)
  expect(valueOf('tollgate_cpu_seconds')).toBeGreaterThan(0)
})

test('output beyond what was asked for is counted by provider', async () => {
  const metrics = createMetrics(IDLE)
  metrics.outputExceeded('acme', 80)
  metrics.outputExceeded('acme', 5)
  expect(await linesOf(metrics)).toContain('tollgate_excess_output_tokens_total{provider="acme"} 85')
})

test('what is blocked is shown by provider and for whom, and counted when it begins; no workspace is named', async () => {
  let blocks: readonly BlockLabels[] = [
    { provider: 'acme', what: 'circuit', scope: 'ws_1' },
    { provider: 'acme', what: 'circuit', scope: 'ws_2' },
    { provider: 'acme', what: 'credential', scope: 'everyone' },
  ]
  const metrics = createMetrics({ ...IDLE, blocks: () => blocks })
  for (const block of blocks) metrics.blocked(block)
  const lines = await linesOf(metrics)
  expect(lines).toContain('tollgate_blocks{provider="acme",what="circuit",for="workspace"} 2')
  expect(lines).toContain('tollgate_blocks{provider="acme",what="credential",for="everyone"} 1')
  expect(lines).toContain('tollgate_blocks_total{provider="acme",what="circuit",for="workspace"} 2')
  expect(lines.join()).not.toContain('ws_1')
  blocks = []
  const later = await linesOf(metrics)
  expect(later.filter((line) => line.startsWith('tollgate_blocks{'))).toEqual([])
  expect(later).toContain('tollgate_blocks_total{provider="acme",what="circuit",for="workspace"} 2')
})

test('write-offs are counted by cause, and every cause stands at 0 before its first', async () => {
  const metrics = createMetrics(IDLE)
  const before = await linesOf(metrics)
  for (const cause of WRITEOFF_CAUSES) {
    expect(before).toContain(`tollgate_writeoffs_total{cause="${cause}"} 0`)
    expect(before).toContain(`tollgate_writeoffs_nano_usd_total{cause="${cause}"} 0`)
  }
  metrics.writtenOff('prompt', 70n)
  metrics.writtenOff('prompt', 5n)
  const after = await linesOf(metrics)
  expect(after).toContain('tollgate_writeoffs_total{cause="prompt"} 2')
  expect(after).toContain('tollgate_writeoffs_nano_usd_total{cause="prompt"} 75')
  expect(after).toContain('tollgate_writeoffs_total{cause="hold_gone"} 0')
})

test('failures, settlements and faults stand at 0 before their first', async () => {
  const lines = await linesOf(createMetrics(IDLE))
  expect(lines).toContain('tollgate_upstream_failures_total{kind="credential"} 0')
  expect(lines).toContain('tollgate_settlement_retries_total{lost="true"} 0')
  expect(lines).toContain('tollgate_gateway_failures_total{at="settlement"} 0')
})

test('refused calls that were lost are counted', async () => {
  const metrics = createMetrics(IDLE)
  expect(await linesOf(metrics)).toContain('tollgate_refusals_lost_total 0')
  metrics.refusalsLost(3)
  expect(await linesOf(metrics)).toContain('tollgate_refusals_lost_total 3')
})

test.each([
  [true, 1],
  [false, 0],
])('whether the process can serve is a gauge: %p is %p', async (ready, value) => {
  const lines = await linesOf(createMetrics({ ...IDLE, ready: () => Promise.resolve(ready) }))
  expect(lines).toContain(`tollgate_ready ${value}`)
})
