import { expect, test } from 'bun:test'
import { responsesFrame } from '../../../../test/support/responsesFrames.ts'
import type { AnswerEvent } from '../../../core/answer/event.ts'
import type { Frame } from '../../../core/answer/frame.ts'
import { forEachGenerated } from '../../../core/answer/generatedText.ts'
import { type Json, type JsonObject, isJsonObject } from '../../../core/json.ts'
import { nativeLane } from './nativeLane.ts'

const LONG = 'word '.repeat(2_000)
const CITATION = { type: 'url_citation', url: 'https://a.example', title: 'A', start_index: 0, end_index: 1 }

/** An answer with every kind of item, and each text in all the events that have it. */
const ITEMS: readonly JsonObject[] = [
  {
    type: 'reasoning',
    id: 'rs_0',
    summary: [{ type: 'summary_text', text: 'sum' }],
    content: [{ type: 'reasoning_text', text: 'thought' }],
    encrypted_content: 'AAAA',
  },
  {
    type: 'message',
    id: 'msg_1',
    role: 'assistant',
    status: 'completed',
    content: [
      { type: 'output_text', text: 'Hello', annotations: [CITATION], logprobs: [] },
      { type: 'refusal', refusal: 'No' },
    ],
  },
  {
    type: 'function_call',
    id: 'fc_2',
    call_id: 'call_2',
    name: 'f',
    arguments: '{"a":1}',
    status: 'completed',
  },
  { type: 'custom_tool_call', id: 'ctc_3', call_id: 'call_3', name: 'c', input: 'ls' },
  { type: 'novel_call', id: 'nc_4', novelty: ['new'] },
]
const BEGUN: readonly JsonObject[] = ITEMS.map((item) => ({
  ...item,
  ...(item.summary !== undefined && { summary: [], content: [] }),
  ...(item.role !== undefined && { content: [] }),
  ...(item.arguments !== undefined && { arguments: '' }),
  ...(item.input !== undefined && { input: '' }),
}))

function at(place: number, type: string, more: JsonObject): JsonObject {
  return { type: `response.${type}`, output_index: place, item_id: ITEMS[place]?.id ?? '', ...more }
}

function whole(type: string, output: readonly JsonObject[]): JsonObject {
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 }
  return { type: `response.${type}`, response: { id: 'resp_1', status: type, output, usage } }
}

const EVENTS: readonly JsonObject[] = [
  whole('created', []),
  whole('in_progress', []),
  at(0, 'output_item.added', { item: BEGUN[0] }),
  at(0, 'reasoning_summary_part.added', { summary_index: 0, part: { type: 'summary_text', text: '' } }),
  at(0, 'reasoning_summary_text.delta', { summary_index: 0, delta: 'sum' }),
  at(0, 'reasoning_summary_text.done', { summary_index: 0, text: 'sum' }),
  at(0, 'reasoning_summary_part.done', { summary_index: 0, part: { type: 'summary_text', text: 'sum' } }),
  at(0, 'reasoning_text.delta', { content_index: 0, delta: 'thought' }),
  at(0, 'reasoning_text.done', { content_index: 0, text: 'thought' }),
  at(0, 'output_item.done', { item: ITEMS[0] }),
  at(1, 'output_item.added', { item: BEGUN[1] }),
  at(1, 'content_part.added', { content_index: 0, part: { type: 'output_text', text: '', annotations: [] } }),
  at(1, 'output_text.delta', { content_index: 0, delta: 'Hello', logprobs: [], obfuscation: 'xyz' }),
  at(1, 'output_text.annotation.added', { content_index: 0, annotation_index: 0, annotation: CITATION }),
  at(1, 'output_text.done', { content_index: 0, text: 'Hello', logprobs: [] }),
  at(1, 'content_part.done', {
    content_index: 0,
    part: { type: 'output_text', text: 'Hello', annotations: [CITATION] },
  }),
  at(1, 'content_part.added', { content_index: 1, part: { type: 'refusal', refusal: '' } }),
  at(1, 'refusal.delta', { content_index: 1, delta: 'No' }),
  at(1, 'refusal.done', { content_index: 1, refusal: 'No' }),
  at(1, 'content_part.done', { content_index: 1, part: { type: 'refusal', refusal: 'No' } }),
  at(1, 'output_item.done', { item: ITEMS[1] }),
  at(2, 'output_item.added', { item: BEGUN[2] }),
  at(2, 'function_call_arguments.delta', { delta: '{"a":1}' }),
  at(2, 'function_call_arguments.done', { name: 'f', arguments: '{"a":1}' }),
  at(2, 'output_item.done', { item: ITEMS[2] }),
  at(3, 'output_item.added', { item: BEGUN[3] }),
  at(3, 'custom_tool_call_input.delta', { delta: 'ls' }),
  at(3, 'custom_tool_call_input.done', { input: 'ls' }),
  at(3, 'output_item.done', { item: ITEMS[3] }),
  at(4, 'output_item.added', { item: BEGUN[4] }),
  at(4, 'novel_call.searching', { query: 'new' }),
  at(4, 'output_item.done', { item: ITEMS[4] }),
  { type: 'response.novel', said: 'new' },
  whole('completed', ITEMS),
]

/** The value with the long text in place of one of its strings, or as a field that it lacks. */
function* withLong(value: Json, path = ''): Generator<readonly [path: string, value: Json]> {
  if (typeof value === 'string') yield [path, LONG]
  if (typeof value !== 'object' || value === null) return
  if (isJsonObject(value)) {
    yield [`${path}.novel`, { ...value, novel: LONG }]
    yield [`${path}[a long name]`, { ...value, [LONG]: 1 }]
  }
  for (const [name, part] of Object.entries(value))
    for (const [within, other] of withLong(part ?? null, `${path}.${name}`))
      yield [within, isJsonObject(value) ? { ...value, [name]: other } : value.with(Number(name), other)]
}

interface Passing {
  /** Characters that are counted, and the long texts that were passed on by then, after each frame. */
  readonly steps: readonly { readonly counted: number; readonly passed: boolean }[]
  readonly counted: number
}

function pass(frames: readonly Frame[]): Passing {
  const decoder = nativeLane.answers?.decodeStream(1)
  let counted = 0
  let passed = false
  let thoughtTold = false
  function take(event: AnswerEvent): void {
    if (event.type === 'delta') {
      forEachGenerated(event.delta, (text) => (counted += text.length), event.choiceExtra, thoughtTold)
      if (event.delta.reasoning_content) thoughtTold = true
    }
    if (!('raw' in event)) return
    for (const { data, event: name } of event.raw ?? []) passed ||= `${name} ${data}`.includes(LONG)
  }
  const steps = frames.map((frame) => {
    for (const event of decoder?.push(frame) ?? []) take(event)
    return { counted, passed }
  })
  return { steps, counted }
}

const PLAIN = pass(EVENTS.map((event) => responsesFrame(event)))
const EVERYWHERE = EVENTS.flatMap((event, i) =>
  Array.from(withLong(event as Json), ([path, changed]) => ({ i, path, changed: changed as JsonObject })),
)

/** Ciphertext is counted where nothing else shows what was thought. The gateway writes an id of its own. */
const NOT_COUNTED = /^\.item\.encrypted_content$|\.response\.(?:output\.0\.encrypted_content|id)$/

test('a long text in any field of any event is counted once, before it is passed on', () => {
  const wrong: string[] = []
  let counted = 0
  for (const { i, path, changed } of EVERYWHERE) {
    if (NOT_COUNTED.test(path)) continue
    const frames = EVENTS.map((event, place) => responsesFrame(place === i ? changed : event))
    const { steps, counted: all } = pass(frames)
    const first = steps.find(({ passed }) => passed)
    if (!first) continue
    counted += 1
    const before = first.counted / LONG.length
    const after = all / LONG.length
    if (before < 0.95 || after > 1.05) wrong.push(`${i}${path}: ${before} ${after}`)
  }
  expect(wrong).toEqual([])
  expect(counted).toBeGreaterThan(200)
})

test('a text in all the events that repeat it is counted once', () => {
  const longer = (event: JsonObject): JsonObject =>
    JSON.parse(
      JSON.stringify(event, (name, value: unknown) =>
        ['delta', 'text', 'refusal', 'arguments', 'input'].includes(name) && value !== '' ? LONG : value,
      ),
    ) as JsonObject
  const { counted } = pass(EVENTS.map((event) => responsesFrame(longer(event))))
  // A summary, a thought, a text, a refusal, and the input of two calls.
  expect(counted / LONG.length).toBeCloseTo(6, 1)
})

test('the beginning of an item passes empty: its text comes in pieces or at its end', () => {
  const early = EVENTS.map((event) => {
    const place = event.output_index as number
    return event.type === 'response.output_item.added' ? { ...event, item: ITEMS[place] ?? null } : event
  })
  const { counted } = pass(early.map((event) => responsesFrame(event)))
  expect(counted).toBe(PLAIN.counted)
  const withoutPieces = early.filter(({ type }) => /created|output_item|completed/.test(type as string))
  expect(pass(withoutPieces.map((event) => responsesFrame(event))).counted).toBeCloseTo(PLAIN.counted, -2)
})

test('an id that comes with every event is counted once', () => {
  const named = EVENTS.map((event) => (event.item_id === undefined ? event : { ...event, item_id: LONG }))
  const { counted } = pass(named.map((event) => responsesFrame(event)))
  expect(counted / LONG.length).toBeCloseTo(1, 1)
})

test('the name of an event that is no name is left out', () => {
  const frames = EVENTS.map((event, i) => ({ ...responsesFrame(event), ...(i === 32 && { event: LONG }) }))
  const odd = frames.map((frame, i) => (i === 32 ? { ...frame, data: '{"said":"x"}' } : frame))
  expect(pass(odd).steps.at(-1)?.passed).toBe(false)
})
