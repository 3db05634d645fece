import { expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { testRoute } from '../../test/support/testRoute.ts'
import type { ChatEvent } from '../core/chat/event.ts'
import type { ChatResponse } from '../core/chat/response.ts'
import { UpstreamError } from '../core/failure.ts'
import { NO_USAGE, type Usage } from '../core/usage.ts'
import { openai } from '../providers/openai.ts'
import { WIRE_FORMAT_IDS, WIRE_FORMATS } from '../wire/formats.ts'
import type { EventListener, EventStream } from './eventStream.ts'
import { callsFor, joinResponses, joinStreams } from './fanOut.ts'

/** Two joined streams that a test plays by hand. */
function joined() {
  const listeners: EventListener[] = []
  const heard: ChatEvent[] = []
  const stream: EventStream = {
    consume: (listener) => void listeners.push(listener),
    pause: () => undefined,
    resume: () => undefined,
    abort: () => undefined,
  }
  let over = false
  joinStreams([stream, stream]).consume({
    events: (events) => void heard.push(...events),
    done: () => (over = true),
  })
  const tell = (index: number, event: ChatEvent): void => listeners[index]?.events([event])
  return { heard, tell, end: (index: number) => listeners[index]?.done(), over: () => over }
}

function usageOf(promptTokens: number, completionTokens: number): Usage {
  return { ...NO_USAGE, promptTokens, completionTokens }
}

test('usage of joined streams is told as one, as soon as all have told theirs, and again when one corrects itself', () => {
  const { heard, tell, end, over } = joined()
  tell(0, { type: 'usage', usage: usageOf(5, 1) })
  expect(heard).toEqual([])
  tell(1, { type: 'usage', usage: usageOf(5, 10) })
  expect(heard).toEqual([{ type: 'usage', usage: usageOf(10, 11) }])
  tell(0, { type: 'usage', usage: usageOf(5, 2) })
  expect(heard.at(-1)).toEqual({ type: 'usage', usage: usageOf(10, 12) })
  end(0)
  expect(over()).toBe(false)
  end(1)
  expect(over()).toBe(true)
})

test('a call that goes on after its report has to report again', () => {
  const { heard, tell } = joined()
  const text = (content: string): ChatEvent => ({ type: 'delta', index: 0, delta: { content } })
  tell(0, { type: 'usage', usage: usageOf(5, 1) })
  tell(0, text('and more'))
  tell(1, { type: 'usage', usage: usageOf(5, 10) })
  expect(heard.filter(({ type }) => type === 'usage')).toEqual([])
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

test('parallel calls of which one has no choice are no answer', () => {
  const message = { role: 'assistant', content: 'Hello' } as const
  const whole: ChatResponse = { choices: [{ index: 0, message, finishReason: 'stop' }], extra: {} }
  const twice = joinResponses([whole, { ...whole, choices: [...whole.choices, ...whole.choices] }])
  expect(twice.choices.map(({ index }) => index)).toEqual([0, 1])
  expect(() => joinResponses([whole, { ...whole, choices: [] }])).toThrow(UpstreamError)
})
