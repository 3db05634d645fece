import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { AnswerEvent } from '../../../core/answer/event.ts'
import type { Frame } from '../../../core/answer/frame.ts'
import { type JsonObject, isJsonObject } from '../../../core/json.ts'
import { responsesFrame, responsesFrames } from '../../../../test/support/responsesFrames.ts'
import { cutBytes, framesOfBytes } from '../../../../test/support/streamBytes.ts'
import { fixturesIn } from '../../../../test/support/wireFixtures.ts'
import { readObject, readObjects } from '../../read.ts'
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

test('wherever a stream is cut, its items end once, and its events are numbered upwards', () => {
  const streams = fc.constantFrom(...STREAMS.map(([frames]) => frames))
  fc.assert(
    fc.property(streams, fc.nat(), (frames, at) => {
      const decoder = native.decodeStream(1)
      const cut = frames.slice(0, 1 + (at % (frames.length - 1))).flatMap((frame) => decoder.push(frame))
      const text = written([...cut, { type: 'finish', index: 0, reason: 'length' }])
      const events = text
        .split('\n\n')
        .filter(Boolean)
        .map((event) => JSON.parse(event.slice(event.indexOf('data: ') + 6)) as JsonObject)
      const numbers = events.map(({ sequence_number: number }) => number as number)
      expect(numbers).toEqual(numbers.toSorted((a, b) => a - b))
      expect(new Set(numbers).size).toBe(numbers.length)
      const begun = placesOf(events, 'response.output_item.added')
      expect(placesOf(events, 'response.output_item.done')).toEqual(begun)
      expect(events.at(-1)).toMatchObject({
        type: 'response.incomplete',
        response: { id: 'resp_caller', incomplete_details: { reason: 'max_output_tokens' } },
      })
    }),
    { numRuns: 300 },
  )
})

/** Of items that have a place in the canonical language. */
function placesOf(events: readonly JsonObject[], type: string): readonly number[] {
  const known: readonly unknown[] = ['message', 'reasoning', 'function_call', 'custom_tool_call']
  return events
    .filter((event) => event.type === type && known.includes(readObject(event.item)?.type))
    .map((event) => event.output_index as number)
    .toSorted((a, b) => a - b)
}

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
