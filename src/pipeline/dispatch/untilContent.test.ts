import { describe, expect, test } from 'bun:test'
import { testRoute } from '../../../test/support/testRoute.ts'
import type { AnswerEvent } from '../../core/answer/event.ts'
import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { EventListener, EventStream } from '../../upstream/eventStream.ts'
import { HELD_BACK_LENGTH_MAX } from '../../upstream/openEventStream.ts'
import type { Answer } from './answer.ts'
import { WAITING_MAX, untilContent } from './untilContent.ts'

const START: AnswerEvent = { type: 'start' }
const EMPTY: AnswerEvent = { type: 'delta', index: 0, delta: {}, logprobs: { content: [] } }
const HELLO: AnswerEvent = { type: 'delta', index: 0, delta: { content: 'Hello' } }
const FINISH: AnswerEvent = { type: 'finish', index: 0, reason: 'stop' }
const FAILURE: UpstreamFailure = { kind: 'overloaded', detail: 'busy' }
const ERROR: AnswerEvent = { type: 'error', failure: FAILURE }

/** A stream that is played by hand, and what was asked of it. */
function played(name: string) {
  const asked: string[] = []
  let listener: EventListener | undefined
  const stream: EventStream = {
    consume: (to) => void (listener = to),
    pause: () => void asked.push('pause'),
    resume: () => void asked.push('resume'),
    abort: () => void asked.push('abort'),
  }
  const answer: Answer<WholeAnswer> = {
    route: testRoute({ name }),
    body: { kind: 'stream', stream },
    sentAt: 0,
    firstEventAt: 1,
    calls: 1,
    limit: undefined,
    credential: undefined,
    isLimited: false,
  }
  return {
    asked,
    stream,
    answer,
    events: (...events: AnswerEvent[]) => listener?.events(events),
    done: () => listener?.done(),
  }
}

/** An answer under test, and what its listener gets. */
function underTest() {
  const first = played('first')
  const second = played('second')
  const next = Promise.withResolvers<Answer<WholeAnswer>>()
  const answer = untilContent(first.answer, first.stream, () => next.promise)
  const heard: (AnswerEvent | 'done')[] = []
  if (answer.body.kind !== 'stream') throw new Error('it is a stream')
  const { stream } = answer.body
  stream.consume({ events: (events) => void heard.push(...events), done: () => void heard.push('done') })
  return {
    first,
    second,
    answer,
    stream,
    heard,
    replace: async () => {
      next.resolve(second.answer)
      await next.promise
    },
    refuse: async () => {
      next.reject(new Error('no other'))
      await next.promise.catch(() => undefined)
    },
  }
}

describe('an answer until its first content', () => {
  test('is passed on as it comes once it has content', () => {
    const { first, heard, answer } = underTest()
    first.events(START, EMPTY)
    expect(heard).toEqual([START])
    first.events(EMPTY, HELLO, EMPTY)
    first.events(FINISH, ERROR)
    first.done()
    expect(heard).toEqual([START, EMPTY, EMPTY, HELLO, EMPTY, FINISH, ERROR, 'done'])
    expect([answer.route.provider.name, answer.replacement]).toEqual(['first', undefined])
  })

  test('is replaced if it fails: it begins once, and nothing of the first is left', async () => {
    const { first, second, heard, answer, replace } = underTest()
    first.events(START, EMPTY, ERROR)
    first.done()
    expect(answer.replacement).toBe('awaited')
    await replace()
    second.events(START, HELLO)
    second.events(FINISH)
    second.done()
    expect(heard).toEqual([START, HELLO, FINISH, 'done'])
    expect([answer.route.provider.name, answer.replacement]).toEqual(['second', undefined])
  })

  test('fails where no other comes, once', async () => {
    const { first, heard, answer, refuse } = underTest()
    first.events(START, ERROR)
    first.done()
    await refuse()
    expect(heard).toEqual([START, ERROR, 'done'])
    expect(answer.replacement).toBe('none')
  })

  test('passes pauses and the end on to whichever stream counts', async () => {
    const { first, second, stream, heard, replace } = underTest()
    first.events(START, ERROR)
    stream.pause()
    await replace()
    stream.resume()
    stream.abort()
    expect([first.asked, second.asked]).toEqual([[], ['pause', 'resume', 'abort']])
    expect(heard).toEqual([START])
  })

  test('ends the answer that comes after the end, and the failure of one that does not come is heard by no one', async () => {
    const late = underTest()
    late.first.events(START, ERROR)
    late.stream.abort()
    await late.replace()
    expect([late.second.asked, late.heard]).toEqual([['abort'], [START]])
    const none = underTest()
    none.first.events(START, ERROR)
    none.stream.abort()
    await none.refuse()
    expect(none.heard).toEqual([START])
  })

  test('keeps no more than a bound of it back', () => {
    const { first, heard } = underTest()
    first.events(START)
    for (let i = 0; i <= WAITING_MAX; i++) first.events(EMPTY)
    first.events(ERROR)
    expect(heard).toHaveLength(WAITING_MAX + 3)
    expect(heard.at(-1)).toEqual(ERROR)
  })

  test('keeps no more than a bound of text back', () => {
    const { first, heard } = underTest()
    const logprobs = { content: [{ token: 'x'.repeat(HELD_BACK_LENGTH_MAX / 2) }] }
    const large: AnswerEvent = { type: 'delta', index: 0, delta: {}, logprobs }
    first.events(START, large)
    expect(heard).toEqual([START])
    first.events(large, ERROR)
    expect(heard).toEqual([START, large, large, ERROR])
  })
})
