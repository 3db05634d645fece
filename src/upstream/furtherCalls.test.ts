import { expect, test } from 'bun:test'
import type { AnswerEvent } from '../core/answer/event.ts'
import { reportAfter } from '../core/answer/reportAfter.ts'
import { type ReportedUsage, promptOf } from '../core/usage.ts'
import { UpstreamError } from '../core/failure.ts'
import { fewerChoices } from '../wire/fewerChoices.ts'
import { type EventStream, streamOf } from './eventStream.ts'
import { completeStream } from './furtherCalls.ts'

const FEWER: AnswerEvent = { type: 'error', failure: fewerChoices(1, 3) }
const usage = {
  promptTokens: 9,
  cachedTokens: 0,
  cacheWriteTokens: 0,
  completionTokens: 12,
  reasoningTokens: 0,
}

function choice(index: number, text: string): AnswerEvent[] {
  return [
    { type: 'delta', index, delta: { content: text } },
    { type: 'finish', index, reason: 'stop' },
    { type: 'usage', usage },
  ]
}

function read(stream: EventStream): Promise<AnswerEvent[]> {
  const events: AnswerEvent[] = []
  return new Promise((resolve) =>
    stream.consume({ events: (more) => void events.push(...more), done: () => resolve(events) }),
  )
}

test('a stream that ends with choices missing goes on with theirs, numbered behind, with the usage of all', async () => {
  const asked: number[] = []
  const first = streamOf([...choice(0, 'one'), FEWER])
  const stream = completeStream(first, 3, (count) => {
    asked.push(count)
    return Promise.resolve(streamOf([...choice(0, 'two'), ...choice(1, 'three')]))
  })
  const events = await read(stream)
  expect(asked).toEqual([2])
  expect(events.flatMap((event) => (event.type === 'finish' ? [event.index] : []))).toEqual([0, 1, 2])
  expect(events.at(-1)).toMatchObject({ usage: { promptTokens: 18, completionTokens: 24 } })
  expect(events.some(({ type }) => type === 'error')).toBe(false)
})

test('the report lacks calls until all have reported, and is the least of all', async () => {
  const counted: AnswerEvent = { type: 'usage', usage: promptOf(usage) }
  const text: AnswerEvent = { type: 'delta', index: 0, delta: { content: 'two' } }
  const reportOf = async (first: readonly AnswerEvent[], further: readonly AnswerEvent[]) => {
    let report: ReportedUsage | undefined
    const stream = completeStream(streamOf([...first, FEWER]), 3, () => Promise.resolve(streamOf(further)))
    for (const event of await read(stream)) report = reportAfter(report, event)
    return report
  }
  const one = choice(0, 'one')
  const twice = { ...usage, promptTokens: 18 }
  expect(await reportOf(one, [text])).toEqual({ ...usage, lacks: 'calls' })
  expect(await reportOf(one, [counted, text])).toEqual({ ...twice, lacks: 'output' })
  expect(await reportOf(one.slice(0, 2), choice(0, 'two'))).toEqual({ ...usage, lacks: 'calls' })
  expect(await reportOf([counted, ...one.slice(0, 2)], choice(0, 'two'))).toEqual({
    ...twice,
    lacks: 'output',
  })
})

test('choices that are not paid for end with `length`', async () => {
  const stream = completeStream(streamOf([...choice(0, 'one'), FEWER]), 3, () => Promise.resolve(undefined))
  const after = (await read(stream)).slice(choice(0, 'one').length)
  // While it is asked whether they are paid for, their prompts are not in the report.
  expect(after.filter(({ type }) => type === 'usage')).toMatchObject([
    { usage: { lacks: 'calls' } },
    { usage: { promptTokens: 9, completionTokens: 12 } },
  ])
  expect(after.filter(({ type }) => type !== 'usage')).toEqual([
    { type: 'finish', index: 1, reason: 'length' },
    { type: 'finish', index: 2, reason: 'length' },
  ])
})

test('a stream with all choices stays as it is', async () => {
  const stream = completeStream(streamOf(choice(0, 'one')), 1, () => Promise.reject(new Error('not asked')))
  expect(await read(stream)).toEqual(choice(0, 'one'))
})

test('what keeps the further choices from being made ends the stream', async () => {
  const failure = { kind: 'server', detail: 'no' } as const
  const first = streamOf([...choice(0, 'one'), FEWER])
  const stream = completeStream(first, 3, () => Promise.reject(new UpstreamError(failure)))
  expect((await read(stream)).at(-1)).toEqual({ type: 'error', failure: { ...failure, afterOthers: true } })
})

test('a stream that is left while its further choices are asked for leaves them, too', async () => {
  const further = Promise.withResolvers<EventStream>()
  const left = Promise.withResolvers<void>()
  const stream = completeStream(streamOf([...choice(0, 'one'), FEWER]), 3, () => further.promise)
  stream.consume({ events: () => undefined, done: () => undefined })
  stream.abort()
  further.resolve({ ...streamOf([]), abort: left.resolve })
  await left.promise
})
