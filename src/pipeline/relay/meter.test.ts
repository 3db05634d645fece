import { describe, expect, test } from 'bun:test'
import { assert, integer, property } from 'fast-check'
import type { AnswerEvent } from '../../core/answer/event.ts'
import { createMeter } from './meter.ts'

function delta(content: string): AnswerEvent {
  return { type: 'delta', index: 0, delta: { content } }
}

describe('a meter', () => {
  test('asks for nothing when the hold covers all that the answer may reach', () => {
    const meter = createMeter({ covered: 100, most: 100 })
    for (let i = 0; i < 500; i++) meter.take(delta('word '))
    expect(meter.wanted()).toBe(0)
    expect(meter.exhausted()).toBe(false)
  })

  test('asks for more before the hold is used up, and never beyond the most', () => {
    const meter = createMeter({ covered: 512, most: 600 })
    expect(meter.wanted()).toBe(0)
    for (let i = 0; i < 460; i++) meter.take(delta('x'))
    expect(meter.exhausted()).toBe(false)
    expect(meter.wanted()).toBe(88)
    meter.covers(88)
    expect(meter.wanted()).toBe(0)
  })

  test.each([
    { tool_calls: [{ index: 0, custom: { input: 'x'.repeat(40) } }] },
    { tool_calls: [{ index: 0, function: { arguments: 'x'.repeat(40) } }] },
    { function_call: { arguments: 'x'.repeat(40) } },
    { reasoning_details: [{ type: 'reasoning.text', text: 'x'.repeat(40) }] },
    { reasoning_details: [{ type: 'reasoning.summary', summary: 'x'.repeat(40) }] },
    {
      reasoning_content: 'x'.repeat(40),
      reasoning_details: [{ type: 'reasoning.text', text: 'x'.repeat(40) }],
    },
  ])('counts and remembers what is generated, wherever it stands: %j', (said) => {
    const meter = createMeter({ covered: 10, most: 100 })
    meter.take({ type: 'delta', index: 0, delta: said })
    expect(meter.exhausted()).toBe(false)
    expect(meter.text()).toBe('x'.repeat(40))
    meter.take({ type: 'delta', index: 0, delta: said })
    expect(meter.exhausted()).toBe(true)
  })

  test('grows with text in fields that nobody knows, of a delta, its choice and its end', () => {
    const meter = createMeter({ covered: 20, most: 100 })
    meter.take({ type: 'delta', index: 0, delta: { thoughts: 'x'.repeat(40) } })
    meter.take({ type: 'delta', index: 0, delta: {}, choiceExtra: { thoughts: 'y'.repeat(40) } })
    expect(meter.exhausted()).toBe(false)
    meter.take({ type: 'finish', index: 0, reason: 'stop', choiceExtra: { thoughts: 'z'.repeat(40) } })
    expect(meter.exhausted()).toBe(true)
    expect(meter.text()).toBe(`${'x'.repeat(40)}${'y'.repeat(40)}${'z'.repeat(40)}`)
  })

  test('does not count a thought again when its block is signed', () => {
    const meter = createMeter({ covered: 100, most: 100 })
    meter.take({ type: 'delta', index: 0, delta: { reasoning_content: 'thought' } })
    const signed = { type: 'reasoning.text', text: 'thought', signature: 's' }
    meter.take({ type: 'delta', index: 0, delta: { reasoning_details: [signed] } })
    expect(meter.text()).toBe('thought')
  })

  test('tells a provider that keeps to no limit, long after the most was reached', () => {
    const meter = createMeter({ covered: 100, most: 10_000 })
    const step = 'x'.repeat(4_000)
    for (let i = 0; i < 80; i++) meter.take(delta(step))
    expect(meter.endless()).toBeUndefined()
    meter.take(delta('x'))
    expect(meter.endless()).toBe('text')
  })

  test('counts each piece of text for a token, however short', () => {
    for (const piece of ['x', ' ', '-']) {
      const meter = createMeter({ covered: 100, most: 100 })
      for (let i = 0; i < 65_536; i++) meter.take(delta(piece))
      expect(meter.endless()).toBeUndefined()
      meter.take(delta(piece))
      expect(meter.endless()).toBe('text')
    }
  })

  test('takes no answer of long tokens for one', () => {
    for (const sign of [' ', '-', '=', '*', '\n']) {
      const meter = createMeter({ covered: 100, most: 10_000 })
      for (let i = 0; i < 10_000; i++) meter.take(delta(sign.repeat(128)))
      expect(meter.endless()).toBeUndefined()
    }
    const letters = createMeter({ covered: 100, most: 10_000 })
    for (let i = 0; i < 10_000; i++) letters.take(delta('x'.repeat(128)))
    expect(letters.endless()).toBe('text')
  })

  test('remembers as much text as can be charged', () => {
    const meter = createMeter({ covered: 100, most: 10_000 })
    for (let i = 0; i < 1_000; i++) meter.take(delta('word '.repeat(200)))
    expect(meter.text().length).toBeGreaterThan(319_000)
    expect(meter.text().length).toBeLessThanOrEqual(320_000)
  })

  test('tells one that goes on without a word, too', () => {
    const meter = createMeter({ covered: 100, most: 100 })
    for (let i = 0; i < 65_536; i++) meter.take({ type: 'delta', index: 0, delta: { tool_calls: [] } })
    expect(meter.endless()).toBeUndefined()
    meter.take({ type: 'delta', index: 0, delta: {} })
    expect(meter.endless()).toBe('events')
  })

  test('an ideograph counts for a token, however many come in one chunk', () => {
    const meter = createMeter({ covered: 10, most: 100 })
    meter.take(delta('你好世界你好世界你好'))
    expect(meter.exhausted()).toBe(false)
    meter.take(delta('你'))
    expect(meter.exhausted()).toBe(true)
  })

  test.each([
    ['JSON', '{"id":17,"x":"0.231","ok":true},', 15],
    ['Amharic', 'የጠዋቱ ጀልባ', 15],
    ['Russian', ' Утренний паром пересекает пролив', 10],
  ])('a piece of %s counts for its tokens, not for its length in English', (_, piece, tokens) => {
    const meter = createMeter({ covered: tokens - 1, most: 100 })
    meter.take(delta(piece))
    expect(meter.exhausted()).toBe(true)
  })

  test('is exhausted when more than what is covered has been produced', () => {
    const meter = createMeter({ covered: 10, most: 100 })
    for (let i = 0; i < 10; i++) meter.take(delta('x'))
    expect(meter.exhausted()).toBe(false)
    meter.take(delta('x'))
    expect(meter.exhausted()).toBe(true)
    meter.covers(16)
    expect(meter.exhausted()).toBe(false)
  })

  test('counts text, refusals, reasoning and tool calls, and remembers them for the tokenizer', () => {
    const meter = createMeter({ covered: 3, most: 100 })
    meter.take(delta('said'))
    meter.take({ type: 'delta', index: 0, delta: { refusal: 'no' } })
    meter.take({ type: 'delta', index: 1, delta: { reasoning_content: 'hm' } })
    expect(meter.exhausted()).toBe(false)
    meter.take({
      type: 'delta',
      index: 0,
      delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: '{}' } }] },
    })
    expect(meter.exhausted()).toBe(true)
    expect(meter.text()).toBe('saidnohmf{}')
  })

  test('cuts what is not covered, and counts it as if it had never come', () => {
    const meter = createMeter({ covered: 3, most: 100 })
    meter.take(delta('said'))
    meter.passed()
    const call: AnswerEvent = {
      type: 'delta',
      index: 0,
      delta: { tool_calls: [{ index: 0, function: { name: 'f', arguments: 'x'.repeat(40) } }] },
    }
    for (const event of [delta('more'), call]) meter.take(event)
    expect(meter.cutToCovered([delta('more'), call])).toEqual([delta('more')])
    expect([meter.text(), meter.exhausted()]).toEqual(['saidmore', false])
  })

  test('a hold that grows as asked stays below two and a third times what was produced, plus a margin', () => {
    assert(
      property(integer({ min: 1, max: 20_000 }), (tokens) => {
        const meter = createMeter({ covered: 512, most: 100_000 })
        let covered = 512
        for (let i = 0; i < tokens; i++) {
          meter.take(delta('x'))
          const wanted = meter.wanted()
          meter.covers(wanted)
          covered += wanted
        }
        expect(meter.exhausted()).toBe(false)
        expect(covered).toBeLessThanOrEqual(Math.max(512, (tokens * 7) / 3 + 256))
      }),
      { numRuns: 20 },
    )
  })
})
