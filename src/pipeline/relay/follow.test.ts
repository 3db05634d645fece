import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../core/answer/event.ts'
import type { UpstreamFailure } from '../../core/failure.ts'
import type { EventListener, EventStream } from '../../upstream/eventStream.ts'
import { promptOf } from '../../core/usage.ts'
import { STALL_MS } from './callerStall.ts'
import { follow } from './follow.ts'
import { createMeter } from './meter.ts'

const QUIET_MS = 5 * 60_000

/** A stream that a test plays by hand, and that remembers how it was treated. */
function handStream() {
  const done: string[] = []
  const attached = Promise.withResolvers<EventListener>()
  let listener: EventListener | undefined
  const stream: EventStream = {
    consume(to) {
      listener = to
      attached.resolve(to)
    },
    pause: () => void done.push('pause'),
    resume: () => void done.push('resume'),
    abort: () => void done.push('abort'),
  }
  return {
    stream,
    done,
    attached: () => attached.promise,
    events: (...events: AnswerEvent[]) => listener?.events(events),
    end: () => listener?.done(),
  }
}

const START: AnswerEvent = { type: 'start' }
const STOP: AnswerEvent = { type: 'finish', index: 0, reason: 'stop' }
const USAGE: Extract<AnswerEvent, { type: 'usage' }> = {
  type: 'usage',
  usage: { promptTokens: 1, cachedTokens: 0, cacheWriteTokens: 0, completionTokens: 2, reasoningTokens: 0 },
}
const text = (content: string, index = 0): AnswerEvent => ({ type: 'delta', index, delta: { content } })

async function following(options: {
  covered?: number
  most?: number
  choices?: number
  /** How many of so many tokens are granted, or whether only other calls are in the way. */
  extend?: (tokens: number, least: number) => Promise<number | 'held by others'>
  onEvents?: () => void
}) {
  const hand = handStream()
  const heard: AnswerEvent[] = []
  const asked: number[] = []
  const clock = { now: 0 }
  const followed = follow({
    stream: hand.stream,
    choices: options.choices ?? 1,
    watch: undefined,
    quietMs: QUIET_MS,
    meter: createMeter({ covered: options.covered ?? 100, most: options.most ?? 100 }),
    now: () => clock.now,
    async extend(tokens, least) {
      asked.push(tokens)
      const granted = options.extend ? await options.extend(tokens, least) : tokens
      return granted === 'held by others'
        ? { tokens: 0, heldByOthers: true }
        : { tokens: granted, heldByOthers: false }
    },
    onEvents(events) {
      heard.push(...events)
      options.onEvents?.()
    },
  })
  await hand.attached()
  return { hand, heard, asked, followed, clock }
}

describe('following a stream', () => {
  test('passes on the usage that is known before the text, ahead of the beginning', async () => {
    const { hand, heard, followed } = await following({})
    hand.events(START, USAGE)
    hand.events(text('Hello'), USAGE, STOP)
    hand.end()
    expect((await followed.ended).usage).toEqual(USAGE.usage)
    expect(heard).toEqual([USAGE, START, text('Hello')])
  })

  test('passes the answer on and keeps finish and usage for the end', async () => {
    const { hand, heard, followed } = await following({})
    hand.events(START, text('a'), text('b'), STOP, USAGE)
    hand.end()
    const ended = await followed.ended
    expect(heard).toEqual([START, text('a'), text('b')])
    expect(ended).toMatchObject({ how: 'whole', finishes: [{ index: 0, reason: 'stop' }] })
    expect(ended.usage?.completionTokens).toBe(2)
    expect(hand.done).not.toContain('abort')
  })

  test('of usage that was reported before more text came only the prompt holds, and the rest is waited for', async () => {
    for (const [after, usage] of [
      [[text('c')], promptOf(USAGE.usage)],
      [[text('c'), USAGE], promptOf(USAGE.usage)],
      [[USAGE], USAGE.usage],
    ] as const) {
      const { hand, followed } = await following({})
      hand.events(START, USAGE, text('a'), text('b'))
      followed.leave()
      expect(hand.done).toEqual(['resume'])
      hand.events(...after)
      expect((await followed.ended).usage).toEqual(usage)
    }
  })

  test('a prompt that was reported alone is no end of the wait for the report', async () => {
    const { hand, followed, clock } = await following({})
    hand.events(START, text('a'))
    followed.leave()
    hand.events({ type: 'usage', usage: promptOf(USAGE.usage) })
    expect(hand.done).toEqual(['resume'])
    followed.tick((clock.now += 2_000))
    expect(await followed.ended).toMatchObject({ how: 'left', usage: promptOf(USAGE.usage) })
  })

  test('usage that comes with every piece is known at any moment', async () => {
    const { hand, followed } = await following({})
    hand.events(START, text('a'), USAGE, text('b'), USAGE)
    followed.leave()
    expect((await followed.ended).usage?.completionTokens).toBe(2)
  })

  test('a stream that ends with a choice unfinished has failed', async () => {
    const { hand, followed } = await following({ choices: 2 })
    hand.events(START, text('a'), STOP)
    hand.end()
    expect(await followed.ended).toMatchObject({ how: 'failed', failure: { kind: 'invalid_answer' } })
  })

  test('an error ends it and closes the connection', async () => {
    const { hand, followed } = await following({})
    hand.events(START, text('a'), { type: 'error', failure: { kind: 'server', detail: 'broken' } })
    expect(await followed.ended).toMatchObject({ how: 'failed', failure: { kind: 'server' } })
    expect(hand.done).toContain('abort')
  })

  const LOST: UpstreamFailure[] = [
    { kind: 'connection', code: 'ECONNRESET', detail: 'lost' },
    { kind: 'invalid_answer', code: 'cut', detail: 'no end' },
  ]
  test.each(LOST)('a connection lost because the caller did not read is no failure (%j)', async (failure) => {
    const { hand, followed, clock } = await following({})
    hand.events(START, text('a'))
    followed.pause()
    clock.now += STALL_MS
    followed.resume()
    hand.events(text('b'), { type: 'error', failure })
    expect(await followed.ended).toMatchObject({ how: 'stalled', failure: undefined })
    expect(hand.done).toContain('abort')
  })

  test('the same loss is the failure of the provider of a caller that reads', async () => {
    for (const failure of LOST) {
      const { hand, followed } = await following({})
      hand.events(START, text('a'))
      followed.pause()
      followed.resume()
      hand.events({ type: 'error', failure })
      expect(await followed.ended).toMatchObject({ how: 'failed', failure })
    }
  })

  test('an error that the provider tells is its failure, however its caller reads', async () => {
    const { hand, followed, clock } = await following({})
    hand.events(START, text('a'))
    followed.pause()
    clock.now += STALL_MS
    hand.events({ type: 'error', failure: { kind: 'overloaded', detail: 'too many' } })
    expect(await followed.ended).toMatchObject({ how: 'failed', failure: { kind: 'overloaded' } })
  })

  test('a caller that leaves lets go of the provider at the next text, which is not heard', async () => {
    const { hand, heard, followed } = await following({})
    hand.events(START, text('a'))
    followed.leave()
    expect(hand.done).toEqual(['resume'])
    hand.events(text('late'))
    expect(hand.done).toEqual(['resume', 'abort'])
    expect(heard).not.toContainEqual(text('late'))
    expect(await followed.ended).toMatchObject({ how: 'left', usage: undefined })
  })

  test('a caller that leaves before anything was said lets go of the provider at once', async () => {
    const { hand, followed } = await following({})
    hand.events(START)
    followed.leave()
    expect(hand.done).toEqual(['abort'])
    expect((await followed.ended).how).toBe('left')
  })

  test('the report of an answer that its caller has left is waited for two seconds', async () => {
    for (const after of [[STOP, USAGE], [USAGE], [STOP]]) {
      const { hand, followed, clock } = await following({})
      hand.events(START, text('a'))
      followed.leave()
      followed.tick((clock.now += 1_999))
      expect(hand.done).toEqual(['resume'])
      hand.events(...after)
      followed.tick((clock.now += 1))
      const reported = after.includes(USAGE) ? USAGE.usage : undefined
      expect(await followed.ended).toMatchObject({ how: 'left', usage: reported })
      expect(hand.done).toContain('abort')
    }
  })

  test('whatever ends the stream of a caller that has left is no failure of the provider', async () => {
    for (const end of ['error', 'done'] as const) {
      const { hand, followed } = await following({})
      hand.events(START, text('a'))
      followed.leave()
      if (end === 'done') hand.end()
      else hand.events({ type: 'error', failure: { kind: 'connection', detail: 'scripted' } })
      expect(await followed.ended).toMatchObject({ how: 'left', failure: undefined })
    }
  })

  test('whatever throws on the way ends it, with its cause, and lets go of the provider', async () => {
    const cause = new TypeError('nobody foresaw this')
    function fail(): never {
      throw cause
    }
    const told = await following({ onEvents: fail })
    told.hand.events(START, text('a'))
    expect(await told.followed.ended).toMatchObject({ how: 'broken', cause })
    expect(told.hand.done).toContain('abort')
    const grown = await following({ covered: 10, most: 1000, extend: () => Promise.reject(cause) })
    grown.hand.events(START, ...Array.from({ length: 12 }, () => text('x')))
    expect(await grown.followed.ended).toMatchObject({ how: 'broken', cause })
    expect(grown.hand.done).toContain('abort')
  })

  test('the hold grows while the flow goes on', async () => {
    const { hand, asked, followed } = await following({ covered: 100, most: 1000 })
    hand.events(START, ...Array.from({ length: 50 }, () => text('x')))
    await Promise.resolve()
    expect(asked).toEqual([128])
    expect(hand.done).not.toContain('pause')
    hand.events(STOP)
    hand.end()
    expect((await followed.ended).how).toBe('whole')
  })

  test('a hold that may not grow ends the stream when it is used up', async () => {
    const { hand, asked, followed } = await following({
      covered: 100,
      most: 1000,
      extend: () => Promise.resolve(0),
    })
    hand.events(START, ...Array.from({ length: 120 }, () => text('x')))
    const ended = await followed.ended
    expect(ended.how).toBe('exhausted')
    expect(asked).toEqual([148])
    expect(hand.done).toContain('abort')
  })

  test('nothing is passed on before the hold covers it: one huge piece waits until it has grown', async () => {
    const granted = Promise.withResolvers<number>()
    const { hand, heard, asked, followed } = await following({
      covered: 10,
      most: 10_000,
      extend: () => granted.promise,
    })
    hand.events(START, text('x'.repeat(8_000)), STOP, USAGE)
    hand.end()
    expect(heard).toEqual([])
    expect(asked).toEqual([1_990 + 128])
    granted.resolve(10_000)
    expect(await followed.ended).toMatchObject({ how: 'whole', usage: { completionTokens: 2 } })
    expect(heard).toEqual([START, text('x'.repeat(8_000))])
  })

  test('where it may not grow, what it covers is passed on and the rest is cut: no choice has finished then', async () => {
    const { hand, heard, followed } = await following({
      covered: 10,
      most: 10_000,
      extend: () => Promise.resolve(0),
    })
    hand.events(START, text('abcd'), text('x'.repeat(8_000)), text('y'), STOP)
    hand.end()
    expect(await followed.ended).toMatchObject({ how: 'exhausted', finishes: [] })
    expect(heard).toEqual([START, text('abcd'), text('x'.repeat(36))])
  })

  test('where it may grow by a part only, that part is passed on', async () => {
    const { hand, heard, asked, followed } = await following({
      covered: 10,
      most: 10_000,
      extend: (_, least) => Promise.resolve(asked.length === 1 ? Math.max(100, least) : 0),
    })
    hand.events(START, text('x'.repeat(8_000)), STOP)
    hand.end()
    expect((await followed.ended).how).toBe('exhausted')
    const passed = heard
      .flatMap((event) => (event.type === 'delta' ? (event.delta.content ?? '') : []))
      .join('')
    expect(passed.length).toBe(4 * 110)
  })

  test('where only holds of other calls are in the way, it waits for them, with the provider paused', async () => {
    let free = false
    const { hand, heard, followed, clock } = await following({
      covered: 10,
      most: 10_000,
      extend: (tokens) => Promise.resolve(free ? tokens : 'held by others'),
    })
    hand.events(START, text('x'.repeat(80)))
    expect(hand.done).toEqual(['pause'])
    followed.tick((clock.now += 1_000))
    await Bun.sleep(0)
    expect(hand.done).not.toContain('resume')
    free = true
    followed.tick((clock.now += 1_000))
    while (!hand.done.includes('resume')) await Promise.resolve()
    expect(heard).toEqual([START, text('x'.repeat(80))])
    hand.events(STOP, USAGE)
    hand.end()
    expect((await followed.ended).how).toBe('whole')
  })

  test('after five seconds of others in the way it is cut where its hold ends', async () => {
    const { hand, heard, followed, clock } = await following({
      covered: 10,
      most: 10_000,
      extend: () => Promise.resolve('held by others'),
    })
    hand.events(START, text('x'.repeat(80)))
    for (let i = 0; i < 5; i++) {
      await Bun.sleep(0)
      expect(heard).toEqual([])
      followed.tick((clock.now += 1_000))
    }
    expect((await followed.ended).how).toBe('exhausted')
    expect(heard).toEqual([START, text('x'.repeat(40))])
  })

  test('a cut divides no character, and counts an ideograph for a token', async () => {
    const { hand, heard, followed } = await following({
      covered: 3,
      most: 100,
      extend: () => Promise.resolve(0),
    })
    hand.events(START, text('😀你好😀'))
    await followed.ended
    expect(heard).toEqual([START, text('😀你')])
  })

  test('a flow that ran ahead of its hold waits for the till and goes on when it agrees', async () => {
    const granted = Promise.withResolvers<number>()
    const { hand, followed } = await following({ covered: 10, most: 1000, extend: () => granted.promise })
    hand.events(START, ...Array.from({ length: 12 }, () => text('x')))
    expect(hand.done).toEqual(['pause'])
    granted.resolve(10_000)
    while (!hand.done.includes('resume')) await Promise.resolve()
    hand.events(STOP)
    hand.end()
    expect((await followed.ended).how).toBe('whole')
  })

  test('a provider that keeps its connection lively without an event has failed after minutes', async () => {
    const { hand, followed } = await following({})
    hand.events(START, text('a'))
    followed.tick(1_000)
    followed.tick(1_000 + QUIET_MS - 1)
    hand.events(text('b'))
    followed.tick(2_000 + QUIET_MS)
    followed.tick(2_000 + 2 * QUIET_MS - 1)
    expect(hand.done).toEqual([])
    followed.tick(2_000 + 2 * QUIET_MS)
    expect(await followed.ended).toMatchObject({ how: 'failed', failure: { kind: 'timeout' } })
    expect(hand.done).toEqual(['abort'])
  })
})
