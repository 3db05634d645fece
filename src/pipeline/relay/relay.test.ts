import { describe, expect, test } from 'bun:test'
import type { AnswerEvent } from '../../core/answer/event.ts'
import type { EventListener } from '../../upstream/eventStream.ts'
import { createMeter } from './meter.ts'
import { CALLER_STALL_MS, KEEP_ALIVE_MS, relay } from './relay.ts'
import type { ClientSink } from '../reply.ts'

const QUIET_MS = 5 * 60_000

/** A relay between a stream and a sink that a test plays by hand, with a clock that it sets. */
function handRelay() {
  const flow: string[] = []
  const written: string[] = []
  const clock = { now: 0 }
  const attached = Promise.withResolvers<EventListener>()
  const concluded = Promise.withResolvers<void>()
  let onResume: () => void = () => undefined
  let listener: EventListener | undefined
  let room: PromiseWithResolvers<void> | undefined
  let endings = 0
  let torn = false
  const sink: ClientSink = {
    write(text) {
      if (torn) throw new Error('the socket is gone')
      written.push(text)
      return room?.promise
    },
    end: () => void written.push('<end>'),
  }
  const relayed = relay({
    stream: {
      consume(to) {
        listener = to
        attached.resolve(to)
      },
      pause: () => void flow.push('pause'),
      resume() {
        flow.push('resume')
        onResume()
      },
      abort: () => void flow.push('abort'),
    },
    choices: 1,
    watch: undefined,
    quietMs: QUIET_MS,
    meter: createMeter({ covered: 100, most: 100 }),
    extend: (tokens) => Promise.resolve({ tokens, heldByOthers: false }),
    encoder: {
      push: (event: AnswerEvent) => (event.type === 'delta' ? [event.delta.content ?? ''] : []),
    },
    conclude(ended) {
      endings += 1
      concluded.resolve()
      return Promise.resolve(`<${ended.how}>`)
    },
    now: () => clock.now,
  })
  return {
    relayed,
    sink,
    flow,
    written,
    clock,
    endings: () => endings,
    concluded: concluded.promise,
    whenResumed: (then: () => void) => void (onResume = then),
    attached: () => attached.promise,
    text: (content: string) => listener?.events([{ type: 'delta', index: 0, delta: { content } }]),
    finish() {
      listener?.events([{ type: 'finish', index: 0, reason: 'stop' }])
      listener?.done()
    },
    tear: () => void (torn = true),
    fill: () => void (room = Promise.withResolvers()),
    drain() {
      room?.resolve()
      room = undefined
    },
  }
}

describe('a relay', () => {
  test('writes as events come, and the last bytes after the conclusion', async () => {
    const hand = handRelay()
    await hand.attached()
    const over = hand.relayed.start(hand.sink)
    hand.text('a')
    hand.text('b')
    hand.finish()
    await over
    expect(hand.written).toEqual(['a', 'b', '<whole>', '<end>'])
  })

  test('takes a socket that cannot be written to for a caller that has gone', async () => {
    const hand = handRelay()
    await hand.attached()
    const over = hand.relayed.start(hand.sink)
    hand.text('a')
    hand.tear()
    hand.text('b')
    await over
    hand.text('c')
    await hand.concluded
    expect(hand.flow).toEqual(['resume', 'abort'])
    expect(hand.written).toEqual(['a'])
  })

  test('keeps what came before the caller was there, without reading on', async () => {
    const hand = handRelay()
    await hand.attached()
    hand.text('early')
    expect(hand.flow).toEqual(['pause'])
    const over = hand.relayed.start(hand.sink)
    expect(hand.written).toEqual(['early'])
    expect(hand.flow).toEqual(['pause', 'resume'])
    hand.finish()
    await over
  })

  test('does not read on while the bytes kept for the caller fill its socket', async () => {
    const hand = handRelay()
    await hand.attached()
    hand.text('early')
    hand.fill()
    void hand.relayed.start(hand.sink)
    expect(hand.written).toEqual(['early'])
    expect(hand.flow).not.toContain('resume')
    const resumed = new Promise<void>(hand.whenResumed)
    hand.drain()
    await resumed
  })

  test('writes what came early first, also when resuming delivers at once', async () => {
    const hand = handRelay()
    await hand.attached()
    hand.text('early')
    hand.whenResumed(() => hand.text('late'))
    const over = hand.relayed.start(hand.sink)
    expect(hand.written).toEqual(['early', 'late'])
    hand.finish()
    await over
  })

  test('a caller that reads slowly slows the provider down', async () => {
    const hand = handRelay()
    await hand.attached()
    void hand.relayed.start(hand.sink)
    hand.fill()
    hand.text('a')
    expect(hand.flow).toEqual(['pause'])
    const resumed = new Promise<void>(hand.whenResumed)
    hand.drain()
    await resumed
  })

  test('silence is filled with comments, and not before its time', async () => {
    const hand = handRelay()
    await hand.attached()
    void hand.relayed.start(hand.sink)
    hand.text('a')
    hand.relayed.tick((hand.clock.now = KEEP_ALIVE_MS - 1))
    expect(hand.written).toEqual(['a'])
    hand.relayed.tick((hand.clock.now = KEEP_ALIVE_MS))
    expect(hand.written).toEqual(['a', ': keep-alive\n\n'])
  })

  test('a caller that left before it was served is settled all the same, once', async () => {
    const hand = handRelay()
    await hand.attached()
    hand.relayed.leave()
    hand.relayed.leave()
    await hand.concluded
    expect(hand.flow).toContain('abort')
    expect(hand.endings()).toBe(1)
    await hand.relayed.start(hand.sink)
    expect(hand.written).toEqual([])
  })

  test('a caller that has not read for minutes is taken for gone', async () => {
    const hand = handRelay()
    await hand.attached()
    const over = hand.relayed.start(hand.sink)
    hand.fill()
    hand.text('a')
    hand.relayed.tick((hand.clock.now = CALLER_STALL_MS - 1))
    expect(hand.flow).not.toContain('abort')
    hand.relayed.tick((hand.clock.now = CALLER_STALL_MS))
    await over
    hand.relayed.tick((hand.clock.now += 2_000))
    expect(hand.flow).toContain('abort')
  })
})
