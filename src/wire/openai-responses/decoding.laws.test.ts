import { expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Frame } from '../../core/answer/frame.ts'
import { UpstreamError } from '../../core/failure.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { anyJson, anyText, mutated } from '../../../test/support/chatArbitraries.ts'
import { RESPONSES_WAYS, responsesFrame, responsesFrames } from '../../../test/support/responsesFrames.ts'
import { slownessOfMachine } from '../../../test/support/slowness.ts'
import { cutBytes, framesOfBytes } from '../../../test/support/streamBytes.ts'
import { collected, eventsOf } from '../../../test/support/wireFixtures.ts'
import { encodeSseData } from '../sse.ts'
import type { ProviderCodec } from '../wire.ts'
import { decodeError } from './decodeError.ts'
import { decodeResponse } from './decodeResponse.ts'
import { decodeStream } from './decodeStream.ts'

const client = { decodeResponse, decodeStream, decodeError } as ProviderCodec

const tokens = fc.array(fc.record({ token: anyText, logprob: fc.constant(-0.5) }), { maxLength: 2 })

const citations = fc.array(
  fc.record({
    type: fc.constantFrom('url_citation', 'file_citation'),
    url: fc.constant('https://example.com'),
    title: anyText,
    start_index: fc.nat(9),
    end_index: fc.nat(9),
  }),
  { maxLength: 2 },
)

const textParts = fc.record({
  type: fc.constant('output_text'),
  text: anyText,
  annotations: citations,
  logprobs: tokens,
})

const refusalParts = fc.record({ type: fc.constant('refusal'), refusal: anyText })

const summaries = fc.array(fc.record({ type: fc.constant('summary_text'), text: anyText }), { maxLength: 2 })
const thoughts = fc.array(fc.record({ type: fc.constant('reasoning_text'), text: anyText }), { maxLength: 2 })

const items: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record({
    type: fc.constant('message'),
    content: fc.array(fc.oneof({ weight: 3, arbitrary: textParts }, refusalParts), { maxLength: 3 }),
  }),
  fc.record(
    {
      type: fc.constant('reasoning'),
      summary: summaries,
      content: thoughts,
      encrypted_content: fc.option(anyText),
    },
    { requiredKeys: ['type', 'summary'] },
  ),
  fc.record({
    type: fc.constant('function_call'),
    name: fc.constant('f'),
    arguments: fc.oneof(anyText, fc.constant('')),
  }),
  fc.record({ type: fc.constant('custom_tool_call'), name: fc.constant('sh'), input: anyText }),
  fc.record({ type: fc.constantFrom('web_search_call', 'compaction', 'moon'), text: anyText }),
)

/** With ids, as OpenAI gives them, or without. */
const outputs = fc.tuple(fc.array(items, { maxLength: 6 }), fc.boolean()).map(([list, named]) =>
  list.map((item, i) => {
    const isCall = item.type === 'function_call' || item.type === 'custom_tool_call'
    return { ...item, ...(isCall && { call_id: `call_${i}` }), ...(named && { id: `item_${i}` }) }
  }),
)

const responses: fc.Arbitrary<JsonObject> = fc
  .tuple(
    outputs,
    fc.constantFrom(
      { status: 'completed' },
      { status: 'incomplete', incomplete_details: { reason: 'max_output_tokens' } },
    ),
    fc.option(fc.record({ input_tokens: fc.nat(99), output_tokens: fc.nat(99) })),
  )
  .map(([output, end, usage]) => ({ object: 'response', error: null, ...end, output, usage }))

const ways = fc.constantFrom(...RESPONSES_WAYS)

const streams = fc.tuple(responses, ways).map(([response, way]) => responsesFrames(response, way))

test('a streamed answer collects to the whole answer, whatever of it comes in pieces', () => {
  fc.assert(
    fc.property(responses, ways, (response, way) => {
      const events = eventsOf(client, responsesFrames(response, way))
      expect(collected(events)).toEqual(decodeResponse(response))
      const usages = events.findIndex(({ type }) => type === 'usage')
      if (usages !== -1) expect(events.slice(usages).map(({ type }) => type)).toEqual(['usage', 'finish'])
    }),
    { numRuns: 300 },
  )
})

test('a final list of other ids changes nothing', () => {
  fc.assert(
    fc.property(responses, (response) => {
      const output = (response.output as JsonObject[]).map((item, i) => ({ ...item, id: `other_${i}` }))
      const frames = responsesFrames(response).slice(0, -1)
      const last = lastFrame({ ...response, output })
      expect(collected(eventsOf(client, [...frames, last]))).toEqual(decodeResponse(response))
    }),
  )
})

test('without a final list a stream of whole items is the whole answer', () => {
  fc.assert(
    fc.property(responses, (response) => {
      const frames = responsesFrames(response).slice(0, -1)
      const last = lastFrame({ ...response, output: [] })
      expect(collected(eventsOf(client, [...frames, last]))).toEqual(decodeResponse(response))
    }),
  )
})

test('however the bytes of a stream are cut, the events are the same', () => {
  fc.assert(
    fc.property(streams, fc.array(fc.nat(), { maxLength: 12 }), (frames, cuts) => {
      const bytes = new TextEncoder().encode(
        frames.map(({ event, data }) => encodeSseData(data, event)).join(''),
      )
      expect(eventsOf(client, framesOfBytes(cutBytes(bytes, cuts)))).toEqual(eventsOf(client, frames))
    }),
  )
})

test('no frames make the decoder throw, and at most one error comes, last', () => {
  const changed = streams.chain((frames) => fc.tuple(...frames.map(anyFrameLike)))
  fc.assert(
    fc.property(changed, (frames) => {
      const events = eventsOf(client, frames)
      const errors = events.filter(({ type }) => type === 'error')
      expect(errors.length).toBeLessThanOrEqual(1)
      if (errors.length === 1) expect(events.at(-1)?.type).toBe('error')
      expect(['start', 'error', undefined]).toContain(events[0]?.type as string)
      orUpstreamError(() => collected(events))
    }),
    { numRuns: 300 },
  )
})

test('no body makes decodeResponse throw anything but UpstreamError', () => {
  const bodies = fc.oneof(anyJson, { weight: 3, arbitrary: responses.chain(mutated) })
  fc.assert(
    fc.property(bodies, (body) => orUpstreamError(() => decodeResponse(body))),
    { numRuns: 300 },
  )
})

test('no error makes decodeError throw', () => {
  fc.assert(
    fc.property(fc.integer({ min: 200, max: 599 }), anyJson, (status, error) => {
      const body = JSON.stringify({ error })
      expect(decodeError({ status, headers: new Map(), body }).status).toBe(status)
    }),
  )
})

const slowness = slownessOfMachine()
const FRAMES = 20_000
/** By CPU time, on the machine of `slowness.ts`; some three times what it takes. */
const FRAMES_MS_MAX = 1_500

test.each<[string, (i: number) => JsonObject]>([
  ['items with an index each', (i) => ({ type: 'response.output_text.delta', output_index: i, delta: 'x' })],
  [
    'parts with an index each',
    (i) => ({ type: 'response.output_text.delta', content_index: i * 1e6, delta: 'x' }),
  ],
  [
    'ids that change',
    (i) => ({ type: 'response.reasoning_text.delta', item_id: `r${i}`, output_index: 0, delta: 'x' }),
  ],
  ['ends of unknown items', (i) => ({ type: 'response.output_item.done', output_index: i, item: anItem(i) })],
  ['ends of one item', () => ({ type: 'response.output_item.done', output_index: 0, item: anItem(0) })],
  [
    'arguments of unknown calls',
    (i) => ({
      type: 'response.function_call_arguments.delta',
      item_id: `c${i}`,
      output_index: i,
      delta: '{',
    }),
  ],
])('%s take time that grows with their number only', (_says, frameAt) => {
  const decode = decodeStream()
  const frames = Array.from({ length: FRAMES }, (_, i) => responsesFrame(frameAt(i)))
  const before = process.cpuUsage()
  for (const frame of frames) decode.push(frame)
  const output = Array.from({ length: 1_000 }, (_, i) => anItem(i))
  decode.push(responsesFrame({ type: 'response.completed', response: { output } }))
  decode.end()
  const { user, system } = process.cpuUsage(before)
  expect((user + system) / 1_000).toBeLessThan(FRAMES_MS_MAX * slowness)
})

function lastFrame(response: JsonObject): Frame {
  return responsesFrames(response, 'final').at(-1) as Frame
}

function anItem(i: number): JsonObject {
  return { type: 'message', id: `m${i}`, content: [{ type: 'output_text', text: 'x' }] }
}

function anyFrameLike(frame: Frame): fc.Arbitrary<Frame> {
  const changed = mutated(JSON.parse(frame.data) as Json).map((json) => ({
    event: frame.event,
    data: JSON.stringify(json),
  }))
  const other = fc.record({ event: fc.constant(frame.event), data: fc.string() })
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(frame) },
    { weight: 3, arbitrary: changed },
    { weight: 1, arbitrary: other },
  )
}

function orUpstreamError(read: () => unknown): void {
  try {
    read()
  } catch (error) {
    expect(error).toBeInstanceOf(UpstreamError)
  }
}
