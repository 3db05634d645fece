import { expect, test } from 'bun:test'
import { rawCaller, chatHead } from '../../support/rawCaller.ts'
import { type Act, openaiChunk, sse } from '../../support/scriptedProvider.ts'
import { MESSAGES, MODEL, startWorld, type World } from '../../support/world.ts'
import { cost, COUNTED_PROMPT, expectChargedOnce, expectLinesExplainCharge, onlyReceipt } from './purse.ts'

/** Fills the buffers between provider and caller in a few hundred chunks, with a token of text each. */
const FILLER = 'x'.repeat(64 * 1024)
const CHUNK = sse(openaiChunk({ content: ' word', filler: FILLER }))
/** A provider whose write is not taken for so long takes its peer for gone. */
const WRITE_PATIENCE_MS = 1_500
const LIMIT_MS = 60_000

/** Writes on and on until nobody takes it, and closes the connection when told to. */
function writesUntilStuck(ending: 'close' | 'reset') {
  const stuck = Promise.withResolvers<void>()
  const givesUp = Promise.withResolvers<void>()
  const act: Act = {
    async play(turn) {
      await turn.head(200, { 'content-type': 'text/event-stream' }, 'chunked')
      await turn.body(sse(openaiChunk({ role: 'assistant', content: '' })))
      let taken = true
      while (taken && !turn.over) {
        const written = turn.body(CHUNK).then(() => true)
        taken = await Promise.race([written, Bun.sleep(WRITE_PATIENCE_MS).then(() => false)])
      }
      stuck.resolve()
      await givesUp.promise
      if (ending === 'close') turn.close()
      else turn.reset()
    },
  }
  return { act, stuck: stuck.promise, giveUp: givesUp.resolve }
}

async function callerThatStops(world: World, headers = '') {
  const caller = await rawCaller(Number(new URL(world.url).port))
  const body = JSON.stringify({ model: MODEL, messages: MESSAGES, stream: true })
  caller.write(chatHead(world.secret, body.length, headers) + body)
  await caller.until(' word')
  caller.stopReading()
  return caller
}

async function metricsOf(world: World): Promise<string> {
  return await (await fetch(`${world.url}/metrics`)).text()
}

test.each(['close', 'reset'] as const)(
  'a caller that stops reading until its provider gives up (%s) pays for what was produced, and the provider has not failed',
  async (ending) => {
    const provider = writesUntilStuck(ending)
    await using world = await startWorld({ provider: provider.act })
    world.clock.set(Date.now())
    const caller = await callerThatStops(world)
    await provider.stuck
    world.clock.advance(10_000)
    provider.giveUp()
    caller.readOn()
    await caller.until('"code":"upstream_error"')
    expect(caller.text()).toContain('did not read')
    expect(caller.text()).not.toContain('[DONE]')
    await world.settled()

    const receipt = await onlyReceipt(world)
    expect(receipt).toMatchObject({
      ending: 'client_left',
      usage: { prompt_tokens: COUNTED_PROMPT, source: 'estimated' },
    })
    expect(receipt.usage.completion_tokens).toBeGreaterThan(1)
    expectLinesExplainCharge(receipt)
    await expectChargedOnce(world, cost(COUNTED_PROMPT, receipt.usage.completion_tokens))
    expect(await metricsOf(world)).not.toMatch(/^tollgate_upstream_failures_total\{.*\} [1-9]/m)
    const [route] = world.gateway.providersHealth().flatMap(({ routes }) => routes)
    expect(route).toMatchObject({ circuit: 'closed', failures: 0 })
  },
  LIMIT_MS,
)

test(
  'a provider that closes a connection that was not read for a moment has failed, and costs nothing',
  async () => {
    const provider = writesUntilStuck('close')
    await using world = await startWorld({ provider: provider.act })
    world.clock.set(Date.now())
    const caller = await callerThatStops(world)
    await provider.stuck
    // No time has passed: nobody has stalled.
    provider.giveUp()
    caller.readOn()
    await caller.until('"code":"upstream_error"')
    await world.settled()
    expect((await onlyReceipt(world)).ending).toBe('provider_failed')
    expect((await world.ledger()).map(({ kind }) => kind)).not.toContain('charge')
    expect(await metricsOf(world)).toContain('tollgate_upstream_failures_total{kind="connection"} 1')
  },
  LIMIT_MS,
)

test(
  'a stream that its caller stalled is not kept under its Idempotency-Key',
  async () => {
    const provider = writesUntilStuck('close')
    await using world = await startWorld({ provider: provider.act })
    world.clock.set(Date.now())
    const caller = await callerThatStops(world, 'idempotency-key: once\r\n')
    await provider.stuck
    world.clock.advance(10_000)
    provider.giveUp()
    caller.readOn()
    await caller.until('"code":"upstream_error"')
    await world.settled()
    world.provider.play({ play: (turn) => turn.reset() })
    const again = await world.chat({ stream: true }, { 'idempotency-key': 'once' })
    expect(again.status).toBe(502)
    expect(again.headers.get('idempotent-replayed')).toBeNull()
  },
  LIMIT_MS,
)
