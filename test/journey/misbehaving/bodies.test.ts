import { gzipSync } from 'node:zlib'
import { expect, test } from 'bun:test'
import { ANSWER_LENGTH_MAX } from '../../../src/wire/frame.ts'
import { errorOf } from '../../support/readAnswer.ts'
import { TEST_LIMIT_MS } from '../../support/scale.ts'
import { hang, openaiChunk, respond, sse, stream } from '../../support/scriptedProvider.ts'
import { STREAMS, startMisbehaving, testMisbehaviours } from './misbehaviour.ts'

const COMPRESSED = { 'content-type': 'text/event-stream', 'content-encoding': 'gzip' }
const BEGUN = sse(openaiChunk({ role: 'assistant', content: '' })) + sse(openaiChunk({ content: 'Hello' }))
/** More than any event may have; it travels as some kilobytes. */
const ENDLESS_EVENT = `data: ${'x'.repeat(ANSWER_LENGTH_MAX + 1_024)}`
const TRICKLE_MS = 400

// The reader of the events throws at these, behind the decompressor.
testMisbehaviours([
  {
    provider: 'sends a compressed event that is too long',
    act: respond({ headers: COMPRESSED, body: gzipSync(ENDLESS_EVENT) }),
    modes: STREAMS,
    code: 'upstream_error',
    attempts: ['invalid_answer'],
    // The compressed body came whole.
    keptAlive: 1,
  },
  {
    provider: 'sends a compressed event that is too long, in the middle of its answer',
    act: stream([gzipSync(BEGUN + ENDLESS_EVENT), hang()], { headers: COMPRESSED }),
    modes: STREAMS,
    breaksOff: 'in its text',
    code: 'upstream_error',
    attempts: ['invalid_answer'],
  },
])

test(
  'an error body that trickles is given up after ten seconds, whatever the idle timeout, and its status counts',
  async () => {
    const act = stream(Array<string>(1_000).fill('x'), { status: 400, gapMs: TRICKLE_MS })
    await using world = await startMisbehaving(act)
    const response = await world.chat({ max_tokens: 20 })
    expect(response.status).toBe(400)
    expect((await errorOf(response)).code).toBe('invalid_request')
    await world.settled()
    await world.provider.until(({ connectionsOpen }) => connectionsOpen === 0)
    expect(await world.balance()).toEqual({ balance: '10.00', held: '0.00' })
  },
  TEST_LIMIT_MS,
)
