import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { openaiChunk, sse } from '../../test/support/scriptedProvider.ts'
import type { BodySink, HttpResponse } from '../upstream/http.ts'
import { createLargePieces } from '../upstream/largePieces.ts'
import { openEventStream } from '../upstream/openEventStream.ts'
import { testRoute } from '../upstream/testRoute.ts'
import { streamOf } from '../upstream/eventStream.ts'
import type { Answer } from './dispatch.ts'
import { follow } from './follow.ts'
import { createMeter } from './meter.ts'
import { pieceLearner } from './pieceLearner.ts'

const ROUTE = testRoute()
const PLAN = { request: chatRequest({ stream: true }) }
const BYTES = new TextEncoder()

function word(words: number): string {
  return sse(JSON.stringify(openaiChunk({ content: 'word'.repeat(words) })))
}

/** The learner of an answer, and what has come of it. */
function learnerOf(body: Answer['body']) {
  const largePieces = createLargePieces(() => 0)
  const learn = pieceLearner({ answer: { body, route: ROUTE }, plan: PLAN, deps: { largePieces } })
  return { learn, learnt: () => largePieces.expects(PLAN.request, ROUTE) }
}

/** Whether the route is learnt from a stream that begins with one read and goes on with another, on a hold of ten tokens. */
async function learntFrom(first: string, then: string): Promise<boolean> {
  const consumed = Promise.withResolvers<void>()
  let sink: BodySink | undefined
  const response: HttpResponse = {
    status: 200,
    headers: new Map(),
    consume: (to) => void (sink = to),
    pause: () => undefined,
    resume: () => consumed.resolve(),
    firstEventSeen: () => undefined,
    abort: () => undefined,
  }
  const opened = openEventStream(response, ROUTE, 1)
  sink?.data(BYTES.encode(first))
  const stream = await opened
  const { learn, learnt } = learnerOf({ kind: 'stream', stream })
  const { leave } = follow({
    stream,
    choices: 1,
    meter: createMeter({ covered: 10, most: 10_000 }),
    now: () => 0,
    extend: () => new Promise(() => undefined),
    onLargePiece: learn,
    onEvents: () => undefined,
  })
  await consumed.promise
  if (then !== '') sink?.data(BYTES.encode(then))
  leave()
  return learnt()
}

describe('a route is learnt', () => {
  test('from a stream that brings one large piece, at once or later', async () => {
    expect(await learntFrom(word(2_000), '')).toBe(true)
    expect(await learntFrom(word(1), word(2_000))).toBe(true)
  })

  test('from a stream that is there as a whole when it begins, however small its pieces are', async () => {
    expect(await learntFrom(word(1).repeat(2_000), '')).toBe(true)
  })

  test('never from small pieces that queued up, as they do while a caller does not read', async () => {
    expect(await learntFrom(word(1), word(1).repeat(2_000))).toBe(false)
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
