import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { rejectionOf } from '../../test/support/rejection.ts'
import { testRoute } from '../../test/support/testRoute.ts'
import type { AnswerEvent } from '../core/answer/event.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import { UpstreamError, type UpstreamFailure } from '../core/failure.ts'
import { NO_USAGE, type Usage } from '../core/usage.ts'
import { openai } from '../providers/openai.ts'
import { WIRE_FORMAT_IDS, WIRE_FORMATS } from '../wire/formats.ts'
import { type EventListener, streamOf } from './eventStream.ts'
import { type Together, callAllStreams, callAllWhole, callsFor } from './fanOut.ts'

const AT_ONCE: Omit<Together, 'count'> = {
  roomFor: () => 8,
  signal: new AbortController().signal,
  sleep: () => Promise.resolve(),
  onLimited: () => undefined,
  onRunning: () => undefined,
}

const SCRIPTED: UpstreamFailure = { kind: 'server', detail: 'scripted' }

/** Joined streams that a test plays by hand. */
async function joined({
  count = 2,
  fails = () => undefined,
  ...more
}: Partial<Together> & { fails?: (index: number) => UpstreamError | undefined } = {}) {
  const listeners: EventListener[] = []
  const heard: AnswerEvent[] = []
  const aborted: number[] = []
  let begun = 0
  const stream = await callAllStreams(
    { ...AT_ONCE, count, ...more },
    () => {
      const index = begun++
      const error = fails(index)
      if (error) return Promise.reject(error)
      return Promise.resolve({
        consume: (listener) => void (listeners[index] = listener),
        pause: () => undefined,
        resume: () => undefined,
        abort: () => void aborted.push(index),
      })
    },
    { onPart: () => undefined },
  )
  let over = false
  stream.consume({
    events: (events) => void heard.push(...events),
    done: () => (over = true),
  })
  const tell = (index: number, event: AnswerEvent): void => listeners[index]?.events([event])
  const end = (index: number): void => listeners[index]?.done()
  return { heard, tell, end, aborted, begun: () => begun, over: () => over }
}

function usageOf(promptTokens: number, completionTokens: number): Usage {
  return { ...NO_USAGE, promptTokens, completionTokens }
}

test('usage of joined streams is the sum of what each has reported, and lacks calls until all have', async () => {
  const { heard, tell, end, over } = await joined()
  tell(0, { type: 'usage', usage: usageOf(5, 1) })
  expect(heard).toEqual([{ type: 'usage', usage: { ...usageOf(5, 1), lacks: 'calls' } }])
  tell(1, { type: 'usage', usage: usageOf(5, 10) })
  expect(heard.at(-1)).toEqual({ type: 'usage', usage: usageOf(10, 11) })
  tell(0, { type: 'usage', usage: usageOf(5, 2) })
  expect(heard.at(-1)).toEqual({ type: 'usage', usage: usageOf(10, 12) })
  end(0)
  expect(over()).toBe(false)
  end(1)
  expect(over()).toBe(true)
})

test('of a call that goes on after its report the output is not known, and that of the others is', async () => {
  const { heard, tell } = await joined()
  const text = (content: string): AnswerEvent => ({ type: 'delta', index: 0, delta: { content } })
  tell(0, { type: 'usage', usage: usageOf(5, 1) })
  tell(1, { type: 'usage', usage: usageOf(5, 10) })
  tell(0, text('and more'))
  expect(heard.at(-1)).toEqual({ type: 'usage', usage: { ...usageOf(10, 10), lacks: 'output' } })
  tell(0, { type: 'usage', usage: usageOf(5, 3) })
  expect(heard.at(-1)).toEqual({ type: 'usage', usage: usageOf(10, 13) })
})

test.each(WIRE_FORMAT_IDS)(
  'several choices of %s are one call if the format has n, unless a quirk differs',
  (wire) => {
    const callsOf = (n: number, supportsN?: boolean): number => {
      const quirks = supportsN === undefined ? {} : { supportsN }
      return callsFor(chatRequest({ n }), testRoute({ provider: { ...openai, wire, quirks } }))
    }
    expect(callsOf(3)).toBe(WIRE_FORMATS[wire].choices === 'n' ? 1 : 3)
    expect([callsOf(3, false), callsOf(1, false)]).toEqual([3, 1])
    if (WIRE_FORMATS[wire].quirks.includes('supportsN')) expect(callsOf(3, true)).toBe(1)
  },
)

test('parallel calls of which one has no choice are no answer', async () => {
  const message = { role: 'assistant', content: 'Hello' } as const
  const whole: WholeAnswer = { choices: [{ index: 0, message, finishReason: 'stop' }], extra: {} }
  const answer = (responses: WholeAnswer[]): Promise<WholeAnswer> =>
    callAllWhole(
      { ...AT_ONCE, count: responses.length },
      () => Promise.resolve(responses.shift() ?? whole),
      () => undefined,
    )
  const twice = await answer([whole, { ...whole, choices: [...whole.choices, ...whole.choices] }])
  expect(twice.choices.map(({ index }) => index)).toEqual([0, 1])
  expect(await rejectionOf(answer([whole, { ...whole, choices: [] }]))).toBeInstanceOf(UpstreamError)
})

test('streams that find no room begin when others have ended, each under its own index', async () => {
  const { heard, tell, end, begun, over } = await joined({ count: 3, roomFor: () => 2 })
  expect(begun()).toBe(2)
  end(0)
  await Promise.resolve()
  expect([begun(), over()]).toEqual([3, false])
  await Promise.resolve()
  tell(2, { type: 'delta', index: 0, delta: { content: 'third' } })
  expect(heard).toEqual([{ type: 'delta', index: 2, delta: { content: 'third' } }])
  end(1)
  end(2)
  expect(over()).toBe(true)
})

test('an error of one stream ends all, and none begins after it', async () => {
  const { heard, tell, begun, aborted, over } = await joined({ count: 5, roomFor: () => 2 })
  tell(1, { type: 'error', failure: SCRIPTED })
  expect(heard).toEqual([{ type: 'error', failure: SCRIPTED }])
  expect([aborted, over()]).toEqual([[0, 1], true])
  await Promise.resolve()
  expect(begun()).toBe(2)
})

describe('that one of several calls failed after others is known', () => {
  test('where a choice was whole before', async () => {
    const { heard, tell } = await joined()
    tell(0, { type: 'finish', index: 0, reason: 'stop' })
    tell(1, { type: 'error', failure: SCRIPTED })
    expect(heard.at(-1)).toEqual({ type: 'error', failure: { ...SCRIPTED, afterOthers: true } })
  })

  test('where it began after them', async () => {
    const failing: Parameters<typeof joined>[0] = {
      count: 3,
      roomFor: () => 2,
      fails: (index) => (index === 2 ? new UpstreamError(SCRIPTED) : undefined),
    }
    const { heard, end, over } = await joined(failing)
    end(0)
    while (!over()) await Promise.resolve()
    expect(heard.at(-1)).toEqual({ type: 'error', failure: { ...SCRIPTED, afterOthers: true } })
  })
})

describe('streams that have begun, of which one is silent', () => {
  const choice: readonly AnswerEvent[] = [
    { type: 'start' },
    { type: 'delta', index: 0, delta: { content: 'Hello' } },
    { type: 'usage', usage: usageOf(5, 3) },
    { type: 'finish', index: 0, reason: 'stop' },
  ]

  function oneSilent(patienceMs: number, fails = Promise.withResolvers<never>()) {
    const caller = new AbortController()
    const parts: WholeAnswer[] = []
    let begun = 0
    const joining = callAllStreams(
      { ...AT_ONCE, count: 3, signal: caller.signal },
      (signal) => {
        if (begun++ < 2) return Promise.resolve(streamOf(choice))
        signal.addEventListener('abort', () => fails.reject(new Error('aborted')))
        return fails.promise
      },
      { patienceMs, onPart: (part) => void parts.push(part) },
    )
    return { joining, caller, parts, fails }
  }

  test('are handed over after a while, with all that has come of them', async () => {
    const stream = await oneSilent(20).joining
    const heard: AnswerEvent[] = []
    stream.consume({ events: (events) => void heard.push(...events), done: () => undefined })
    expect(heard.filter(({ type }) => type === 'finish')).toHaveLength(2)
    expect(heard.filter(({ type }) => type === 'usage').at(-1)).toEqual({
      type: 'usage',
      usage: { ...usageOf(10, 6), lacks: 'calls' },
    })
  })

  test('are handed over when all have ended before anyone asked', async () => {
    const stream = await callAllStreams(
      { ...AT_ONCE, count: 3, roomFor: () => 1 },
      () => Promise.resolve(streamOf(choice)),
      { patienceMs: 60_000, onPart: () => undefined },
    )
    let over = false
    stream.consume({ events: () => undefined, done: () => (over = true) })
    expect(over).toBe(true)
  })

  test('fail together before that, so that another target can make all choices', async () => {
    const { joining, fails, parts } = oneSilent(60_000)
    fails.reject(new UpstreamError(SCRIPTED))
    expect(await rejectionOf(joining)).toMatchObject({ failure: SCRIPTED })
    expect(parts).toEqual([])
  })

  test('leave behind what was in hand, and its reports, when their caller leaves before that', async () => {
    const { joining, caller, parts } = oneSilent(60_000)
    await Promise.resolve()
    await Promise.resolve()
    caller.abort()
    await rejectionOf(joining)
    expect(parts).toMatchObject([
      {
        choices: [{ message: { content: 'Hello' } }, { message: { content: 'Hello' } }],
        usage: { ...usageOf(10, 6), lacks: 'calls' },
      },
    ])
  })
})
