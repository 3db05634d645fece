import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { AnswerEvent } from '../../../core/answer/event.ts'
import type { Frame } from '../../../core/answer/frame.ts'
import { type JsonObject, isJsonObject } from '../../../core/json.ts'
import type { NativeAnswers, NativeLane } from '../../wire.ts'
import { anthropicMessages } from '../anthropicMessages.ts'
import { fixturesIn } from '../../../../test/support/wireFixtures.ts'
import { cutBytes, framesOfBytes } from '../../../../test/support/streamBytes.ts'
import { decodeStream } from '../decodeStream.ts'
import { nativeLane } from './nativeLane.ts'

const { bytes } = fixturesIn(`${import.meta.dir}/..`)
const STREAMS = ['text', 'tools', 'thinking', 'citations', 'refusal', 'unknown'].map((name) =>
  framesOfBytes([bytes(`${name}.stream.txt`)]),
)
const answers = answersOf(nativeLane)

function answersOf({ answers }: NativeLane): NativeAnswers {
  if (!answers) throw new Error('the lane passes answers on')
  return answers
}

const ENVELOPE = { id: 'msg_ours', created: 1, model: 'acme/chat-1', includeUsage: true }

function read(frames: readonly Frame[], native: boolean): AnswerEvent[] {
  const decoder = native ? answers.decodeStream(1) : decodeStream(1)
  return [...frames.flatMap((frame) => decoder.push(frame)), ...decoder.end()]
}

function withoutRaw(events: readonly AnswerEvent[]): AnswerEvent[] {
  return events
    .map((event) => {
      if (!('raw' in event)) return event
      const { raw: _raw, ...rest } = event
      return rest
    })
    .filter((event) => event.type !== 'delta' || Object.keys(event.delta).length > 0)
}

function rawOf(events: readonly AnswerEvent[]): Frame[] {
  return events.flatMap((event) => ('raw' in event ? (event.raw ?? []) : []))
}

function written(events: readonly AnswerEvent[]): string {
  const encoder = anthropicMessages.server.encodeStream(ENVELOPE)
  return [...events.flatMap((event) => encoder.push(event)), ...encoder.end()].join('')
}

describe('a recorded stream', () => {
  test.each(STREAMS.map((frames) => [frames] as const))('is counted as without the lane', (frames) => {
    expect(withoutRaw(read(frames, true))).toEqual(withoutRaw(read(frames, false)))
  })

  test.each(STREAMS.map((frames) => [frames] as const))('passes frame by frame, in its order', (frames) => {
    expect(rawOf(read(frames, true)).map(({ data }) => data)).toEqual(frames.map(({ data }) => data))
  })

  test.each(STREAMS.map((frames) => [frames] as const))('is whole however its bytes are cut', (frames) => {
    const text = frames.map(({ event, data }) => `event: ${event}\ndata: ${data}\n\n`).join('')
    const whole = written(read(frames, true))
    const all = new TextEncoder().encode(text)
    for (const size of [1, 7, 100]) {
      const cuts = Array.from({ length: Math.floor(all.length / size) }, (_, i) => i * size)
      expect(written(read(framesOfBytes(cutBytes(all, cuts)), true))).toBe(whole)
    }
  })

  test.each(STREAMS.map((frames) => [frames] as const))('gathers into the message that it says', (frames) => {
    const gathered = answers.gather(rawOf(read(frames, true)))
    const decoded = anthropicMessages.client.decodeResponse(JSON.parse(gathered ?? 'null'), 1)
    const events = withoutRaw(read(frames, false))
    const text = events.map((event) => (event.type === 'delta' ? (event.delta.content ?? '') : '')).join('')
    expect(decoded.choices[0]?.message.content ?? '').toBe(text)
    expect(decoded.usage).toEqual(events.findLast((event) => event.type === 'usage')?.usage as never)
  })
})

/** Frames that may be anything: pieces of real ones, in any order, with types that lie. */
const anyFrame = fc.oneof(
  fc.constantFrom(...STREAMS.flat()),
  fc
    .record({
      type: fc.oneof(
        fc.constantFrom(
          'message_start',
          'content_block_start',
          'content_block_delta',
          'content_block_stop',
          'message_delta',
        ),
        fc.constantFrom('message_stop', 'ping', 'x\n\nevent: message_stop', 'constructor', '__proto__'),
      ),
      index: fc.constantFrom<unknown>(0, 1, -1, 'x', null, 1e9),
      message: fc.constantFrom<unknown>(null, {}, { id: 1, usage: { cost: 1 } }),
      content_block: fc.constantFrom<unknown>(
        null,
        {},
        { type: 'text', text: 'hi' },
        { type: 'odd', a: ['b'] },
      ),
      delta: fc.constantFrom<unknown>(null, {}, { type: 'text_delta', text: 'hi' }, { type: 'odd', x: 'y' }),
    })
    .map((data): Frame => ({ event: undefined, data: JSON.stringify(data) })),
)

test('no frames make the lane throw, write what is no event, or say that a broken answer is whole', () => {
  fc.assert(
    fc.property(fc.array(anyFrame, { maxLength: 12 }), (frames) => {
      const events = read(frames, true)
      const broken = events.some((event) => event.type === 'error')
      const text = written(events)
      expect(broken && text.includes('event: message_stop\n')).toBe(false)
      for (const event of text.split('\n\n').filter(Boolean)) {
        expect(event).toMatch(/^(?:event: \w+\n)?data: [^\n]*$/)
        expect(isJsonObject(JSON.parse(event.slice(event.indexOf('data: ') + 6)) as JsonObject)).toBe(true)
      }
      expect(text.match(/event: message_start\n/g)?.length ?? 0).toBeLessThanOrEqual(1)
      answers.gather(rawOf(events))
    }),
    { numRuns: 3_000 },
  )
})
