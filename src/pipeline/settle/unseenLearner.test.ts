import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../../test/support/chatSamples.ts'
import { openaiChunk, sse } from '../../../test/support/scriptedProvider.ts'
import { ZERO, nano } from '../../core/money.ts'
import type { Price } from '../../core/price.ts'
import type { BodySink, HttpResponse } from '../../upstream/http.ts'
import { createUnseenOutput } from '../../upstream/unseenOutput.ts'
import { openEventStream } from '../../upstream/openEventStream.ts'
import { testRoute } from '../../../test/support/testRoute.ts'
import { streamOf } from '../../upstream/eventStream.ts'
import type { Answer } from '../dispatch/answer.ts'
import { follow } from '../relay/follow.ts'
import { createMeter } from '../relay/meter.ts'
import { LOST_TOKENS_MIN, learnFromWriteoff, unseenLearner } from './unseenLearner.ts'

const QUIET_MS = 5 * 60_000

const ROUTE = testRoute()
const PLAN = { request: chatRequest({ stream: true }) }
const BYTES = new TextEncoder()
const LAST = sse(JSON.stringify(openaiChunk({}, { finishReason: 'stop' }))) + sse('[DONE]')

function word(words: number): string {
  return sse(JSON.stringify(openaiChunk({ content: 'word'.repeat(words) })))
}

/** The learner of an answer, and what has come of it. */
function learnerOf(body: Answer['body']) {
  const unseenOutput = createUnseenOutput(() => 0)
  const answered = { answer: { body, route: ROUTE }, plan: PLAN, deps: { unseenOutput } }
  return { answered, learn: unseenLearner(answered), learnt: () => unseenOutput.expects(PLAN.request, ROUTE) }
}

/** Whether the route is learnt from these frames, on a hold of ten tokens that may or may not grow. */
async function learntFrom(frames: string, mayGrow: boolean): Promise<boolean> {
  let sink: BodySink | undefined
  const response: HttpResponse = {
    status: 200,
    headers: new Map(),
    consume: (to) => void (sink = to),
    pause: () => undefined,
    resume: () => undefined,
    firstEventSeen: () => undefined,
    spoken: () => undefined,
    abort: () => undefined,
  }
  const opened = openEventStream(response, ROUTE, 1)
  sink?.data(BYTES.encode(frames + LAST))
  sink?.end()
  const stream = await opened
  const { learn, learnt } = learnerOf({ kind: 'stream', stream })
  const { ended } = follow({
    stream,
    choices: 1,
    quietMs: QUIET_MS,
    meter: createMeter({ covered: 10, most: 10_000 }),
    now: () => 0,
    extend: () => Promise.resolve(mayGrow),
    onUnpaidPiece: learn,
    onEvents: () => undefined,
  })
  await ended
  return learnt()
}

/** The overrun of a call that held nothing for its output, whose text accounts for so much of what was reported. */
function lossOf(seenTokens: number, tokens: number) {
  const price: Price = { input: nano(0n), output: nano(1_000_000n) }
  const line = { class: 'output', tokens, unitPrice: price.output } as const
  const bill = { cost: nano(BigInt(tokens)), lines: [line] }
  const reckonedPrompt = { promptTokens: 1, prompts: 1 }
  return { overrun: () => ({ held: ZERO, bill, price, reckonedPrompt, seenTokens }) }
}

describe('a route is learnt', () => {
  test('from a stream that brings far more than can be paid, in pieces of any size', async () => {
    expect(await learntFrom(word(2_000), false)).toBe(true)
    expect(await learntFrom(word(1).repeat(2_000), false)).toBe(true)
  })

  test('never from what is paid, however much comes at once', async () => {
    expect(await learntFrom(word(2_000), true)).toBe(false)
    expect(await learntFrom(word(1).repeat(2_000), true)).toBe(false)
  })

  test.each([0, 5_000])('from what was written off, whether or not it was seen (%d tokens)', (seenTokens) => {
    for (const [tokens, expected] of [
      [LOST_TOKENS_MIN, false],
      [LOST_TOKENS_MIN + 1, true],
    ] as const) {
      const { answered, learnt } = learnerOf({ kind: 'stream', stream: streamOf([]) })
      learnFromWriteoff(answered, lossOf(seenTokens, tokens), { writeoff: nano(BigInt(tokens)) })
      expect(learnt()).toBe(expected)
    }
  })

  test('never from a call that cost no more than it held', () => {
    const { answered, learnt } = learnerOf({ kind: 'stream', stream: streamOf([]) })
    learnFromWriteoff(answered, { overrun: undefined }, { writeoff: nano(1_000_000n) })
    learnFromWriteoff(answered, lossOf(0, 5_000), { writeoff: ZERO })
    expect(learnt()).toBe(false)
  })

  test('never from an answer that was asked for as a whole', () => {
    const whole = learnerOf({ kind: 'whole', response: { choices: [], extra: {} } })
    whole.learn()
    expect(whole.learnt()).toBe(false)
    const json = learnerOf({ kind: 'stream', stream: streamOf([]) })
    json.learn()
    expect(json.learnt()).toBe(true)
  })
})
