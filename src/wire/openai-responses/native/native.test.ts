import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { AnswerEvent } from '../../../core/answer/event.ts'
import type { Frame } from '../../../core/answer/frame.ts'
import { type JsonObject, isJsonObject } from '../../../core/json.ts'
import { responsesFrame, responsesFrames } from '../../../../test/support/responsesFrames.ts'
import { cutBytes, framesOfBytes } from '../../../../test/support/streamBytes.ts'
import { fixturesIn } from '../../../../test/support/wireFixtures.ts'
import { readObject, readObjects, readText } from '../../read.ts'
import { encodeSseData } from '../../sse.ts'
import { decodeResponse } from '../decodeResponse.ts'
import { decodeStream } from '../decodeStream.ts'
import { encodeStream } from '../encodeStream.ts'
import { nativeLane } from './nativeLane.ts'

const { json, frames: fixture } = fixturesIn(`${import.meta.dir}/..`)
const { answers } = nativeLane
if (!answers) throw new Error('the lane passes answers on')
const native = answers

/** What the fixture says of the operator's business, which stays inside. */
const BILLING = '"billing":{"payer":"developer"},'

/** One response for each shape of output that the fixtures have. */
const OUTPUTS = Object.values(json('outputs.json') as JsonObject).map((response): JsonObject => ({
  ...readObject(response),
  id: 'resp_upstream',
  model: 'upstream-model',
}))
const STREAMS: (readonly [readonly Frame[]])[] = [
  [fixture('stream.sse').map(({ event, data }) => ({ event, data: data.replace(BILLING, '') }))],
  ...OUTPUTS.map((response) => [responsesFrames(response)] as const),
]

/** Pieces of two calls in turn. */
const INTERLEAVED = [
  { type: 'response.created', response: { id: 'resp_upstream', output: [] } },
  ...[0, 1].map((place) => ({
    type: 'response.output_item.added',
    output_index: place,
    item: anItem(place),
  })),
  ...[0, 1, 0, 1].map((place) => ({
    type: 'response.function_call_arguments.delta',
    output_index: place,
    item_id: `fc_${place}`,
    delta: `${place}`,
  })),
  ...[0, 1].flatMap((place) => [
    {
      type: 'response.function_call_arguments.done',
      output_index: place,
      item_id: `fc_${place}`,
      name: 'f',
      arguments: `${place}${place}`,
    },
    {
      type: 'response.output_item.done',
      output_index: place,
      item: { ...anItem(place), arguments: `${place}${place}` },
    },
  ]),
].map((event, sequence_number) => responsesFrame({ ...event, sequence_number }))

function anItem(place: number): JsonObject {
  return { id: `fc_${place}`, type: 'function_call', call_id: `call_${place}`, name: 'f', arguments: '' }
}

const ENVELOPE = { id: 'resp_caller', created: 1, model: 'acme/chat-1', includeUsage: true, requestBody: {} }

function read(frames: readonly Frame[], isNative: boolean): AnswerEvent[] {
  const decoder = isNative ? native.decodeStream(1) : decodeStream(1)
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function withoutRaw(events: readonly AnswerEvent[]): AnswerEvent[] {
  return events
    .map((event) => {
      if (!('raw' in event)) return event
      const { raw: _raw, ...rest } = event
      return rest
    })
    .filter((event) => event.type !== 'delta' || !isBeside(event))
}

function isBeside({ delta, logprobs }: Extract<AnswerEvent, { type: 'delta' }>): boolean {
  return Object.keys(delta).length === 0 && logprobs === undefined
}

function rawOf(events: readonly AnswerEvent[]): Frame[] {
  return events.flatMap((event) => ('raw' in event ? (event.raw ?? []) : []))
}

function written(events: readonly AnswerEvent[]): string {
  const encoder = encodeStream(ENVELOPE)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()].join('')
}

function textOf(frames: readonly Frame[]): string {
  return frames.map(({ event, data }) => encodeSseData(data, event)).join('')
}

describe('a recorded stream', () => {
  test.each(STREAMS)('is counted as without the lane', (frames) => {
    expect(withoutRaw(read(frames, true))).toEqual(withoutRaw(read(frames, false)))
  })

  test.each(STREAMS)('passes frame by frame, in its order', (frames) => {
    expect(rawOf(read(frames, true))).toEqual([...frames])
  })

  test.each(STREAMS)('is whole however its bytes are cut', (frames) => {
    const whole = written(read(frames, true))
    const all = new TextEncoder().encode(textOf(frames))
    for (const size of [1, 7, 100]) {
      const cuts = Array.from({ length: Math.floor(all.length / size) }, (_, i) => i * size)
      expect(written(read(framesOfBytes(cutBytes(all, cuts)), true))).toBe(whole)
    }
  })

  test.each(STREAMS)('gathers into the response that it says', (frames) => {
    const said = readObject(JSON.parse(frames.at(-1)?.data ?? 'null'))?.response
    const end = responsesFrame({ type: 'response.completed', response: bare(said) })
    for (const sent of [frames, [...frames.slice(0, -1), end]])
      expect(JSON.parse(native.gather(rawOf(read(sent, true))) ?? 'null')).toEqual(said)
  })
})

/** Some servers leave the items out of their last event. */
function bare(response: unknown): JsonObject {
  return { ...readObject(response), output: [] }
}

/** Frames that may be anything: pieces of real ones, in any order, with types that lie. */
const anyFrame = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...STREAMS.flatMap(([frames]) => frames)) },
  fc
    .record({
      type: fc.oneof(
        fc.constantFrom('response.created', 'response.output_item.added', 'response.output_text.delta'),
        fc.constantFrom('response.content_part.added', 'response.output_item.done', 'response.novel'),
        fc.constantFrom('response.completed', 'response.failed', 'keepalive', 'error'),
        fc.constantFrom('x\n\nevent: response.completed', 'constructor', '__proto__'),
      ),
      output_index: fc.constantFrom<unknown>(0, 1, -1, 'x', null, 1e9),
      sequence_number: fc.constantFrom<unknown>(0, 5, null, 'x'),
      response: fc.constantFrom<unknown>(null, {}, { id: 'r' }, { id: 1, usage: { cost: 1 } }),
      item: fc.constantFrom<unknown>(null, {}, { type: 'message' }, { type: 'odd', a: ['b'] }),
      part: fc.constantFrom<unknown>(null, { type: 'output_text' }, { type: 'odd' }),
      delta: fc.constantFrom<unknown>(null, {}, 'hi'),
    })
    .map((data): Frame => ({ event: undefined, data: JSON.stringify(data) })),
)

test('no frames make the lane throw, write what is no event, or say that a broken answer is whole', () => {
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 12 }), (frames) => {
      const events = read(frames, true)
      const broken = events.some((event) => event.type === 'error')
      expect(broken).toBe(events.at(-1)?.type === 'error')
      const text = written(events)
      expect(broken && /event: response\.(?:completed|incomplete)\n/.test(text)).toBe(false)
      for (const event of text.split('\n\n').filter(Boolean)) {
        expect(event).toMatch(/^(?:event: [\w.]+\n)?data: [^\n]*$/)
        expect(isJsonObject(JSON.parse(event.slice(event.indexOf('data: ') + 6)))).toBe(true)
      }
      expect(text.match(/event: response\.created\n/g)?.length ?? 0).toBeLessThanOrEqual(1)
      native.gather(rawOf(events))
    }),
    { numRuns: 3_000 },
  )
})

test('wherever a stream is cut, its items and parts end once, with what came of them', () => {
  const streams = fc.constantFrom<readonly Frame[]>(...STREAMS.map(([frames]) => frames), INTERLEAVED)
  fc.assert(
    fc.property(streams, fc.nat(), (frames, at) => {
      const decoder = native.decodeStream(1)
      const cut = frames.slice(0, 1 + (at % (frames.length - 1))).flatMap((frame) => decoder.push(frame))
      const events = dataOf(written([...cut, { type: 'finish', index: 0, reason: 'length' }]))
      expectRisingNumbers(events)
      for (const [begin, end] of [
        [/output_item\.added$/, /output_item\.done$/],
        [/_part\.added$/, /_part\.done$/],
      ] as const)
        expect(keysOf(events, end)).toEqual(keysOf(events, begin))
      for (const event of events.filter(({ type }) => TEXT_DONE.test(readText(type) ?? ''))) {
        const pieces = events.filter(({ type }) => type === readText(event.type)?.replace('.done', '.delta'))
        const said = pieces
          .filter((piece) => keyOf(piece) === keyOf(event))
          .map(({ delta }) => readText(delta))
        expect(event.text ?? event.refusal ?? event.arguments ?? event.input).toBe(said.join(''))
      }
      expect(events.at(-1)).toMatchObject({
        type: 'response.incomplete',
        response: { id: 'resp_caller', incomplete_details: { reason: 'max_output_tokens' } },
      })
    }),
    { numRuns: 500 },
  )
})

const TEXT_DONE = /(?:text|refusal|arguments|input)\.done$/

/** Of items that have a place in the canonical language. */
function keysOf(events: readonly JsonObject[], type: RegExp): readonly string[] {
  const known: readonly unknown[] = ['message', 'reasoning', 'function_call', 'custom_tool_call', undefined]
  return events
    .filter((event) => type.test(readText(event.type) ?? '') && known.includes(readObject(event.item)?.type))
    .map(keyOf)
    .toSorted((a, b) => a.localeCompare(b))
}

/** Which item or part an event is about. */
function keyOf({ output_index: item, content_index: part, summary_index: summary }: JsonObject): string {
  return JSON.stringify([item, part ?? null, summary ?? null])
}

function dataOf(text: string): JsonObject[] {
  const events = text.split('\n\n').filter(Boolean)
  return events.map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as JsonObject)
}

function expectRisingNumbers(events: readonly JsonObject[]): void {
  const numbers = events.map(({ sequence_number: number }) => number as number)
  expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b))
}

const START: AnswerEvent = { type: 'start' }
const SAID: AnswerEvent = { type: 'delta', index: 0, delta: { content: 'Hi' } }
const FINISH: AnswerEvent = { type: 'finish', index: 0, reason: 'stop' }

test('frames behind words of the gateway, and words behind frames, are one stream', () => {
  const [[frames] = [[]]] = STREAMS
  const [start, ...rest] = read(frames, true)
  const behindWords = dataOf(written([START, ...rest]))
  const behindFrames = dataOf(written([...(start ? [start] : []), SAID, FINISH]))
  for (const events of [behindWords, behindFrames]) {
    expectRisingNumbers(events)
    expect(events.filter(({ type }) => type === 'response.created')).toHaveLength(1)
    expect(events.at(-1)).toMatchObject({ type: 'response.completed', response: { id: 'resp_caller' } })
  }
})

test('an item of the gateway comes behind those that were passed', () => {
  const [[frames] = [[]]] = STREAMS
  const decoder = native.decodeStream(1)
  const ended = frames.findIndex(({ event }) => event === 'response.output_item.done')
  const passed = frames.slice(0, ended + 1).flatMap((frame) => decoder.push(frame))
  const added = dataOf(written([...passed, SAID, FINISH])).filter(
    ({ type }) => type === 'response.output_item.added',
  )
  expect(added.map(({ output_index: place }) => place)).toEqual([0, 1])
})

test('signs of life are silence, and one of them is passed on with the next event', () => {
  const [[frames] = [[]]] = STREAMS
  const decoder = native.decodeStream(1)
  const start = frames.slice(0, 1).flatMap((frame) => decoder.push(frame))
  const alive = responsesFrame({ type: 'keepalive', sequence_number: 1 })
  for (let i = 0; i < 50; i++) expect(decoder.push(alive)).toEqual([])
  const next = frames.slice(1, 2).flatMap((frame) => decoder.push(frame))
  expect(rawOf([...start, ...next])).toEqual([...frames.slice(0, 1), alive, ...frames.slice(1, 2)])
})

test('an item that is cut has what came of it', () => {
  const [response = {}] = OUTPUTS.filter(({ output }) => readObjects(output)[0]?.type === 'message')
  const frames = responsesFrames(response)
  const decoder = native.decodeStream(1)
  const first = frames.findIndex(({ event }) => event === 'response.output_text.delta')
  const cut = frames.slice(0, first + 1).flatMap((frame) => decoder.push(frame))
  const { delta, item_id: id } = JSON.parse(frames[first]?.data ?? '') as { delta: string; item_id: string }
  const text = written([
    ...cut,
    { type: 'delta', index: 0, delta: { content: ' and on' } },
    { type: 'finish', index: 0, reason: 'length' },
  ])
  const said = `${delta} and on`
  expect(text).toContain(`"delta":" and on"`)
  expect(text.match(/response\.output_item\.added\n/g)).toHaveLength(1)
  const last = JSON.parse(text.slice(text.lastIndexOf('data: ') + 6)) as { response: { output: unknown } }
  expect(last.response.output).toMatchObject([
    { id, status: 'incomplete', content: [{ type: 'output_text', text: said }] },
  ])
})

test('a whole answer passes character for character but for the names in it', () => {
  for (const response of OUTPUTS) {
    const text = JSON.stringify(response, null, 1)
    const passed = native.passAnswer(text, response) ?? ''
    expect(passed).toBe(text)
    const named = native.writeAnswer(passed, ENVELOPE)
    expect(named).toBe(
      text.replace('"resp_upstream"', '"resp_caller"').replace('"upstream-model"', '"acme/chat-1"'),
    )
    expect(decodeResponse(JSON.parse(named))).toEqual(decodeResponse(response))
  }
})
