import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../json.ts'
import { forEachGenerated } from './generatedText.ts'

function generated(said: JsonObject, choiceExtra?: JsonObject, thoughtTold?: boolean): string[] {
  const texts: string[] = []
  forEachGenerated(said, (text) => void texts.push(text), choiceExtra, thoughtTold)
  return texts
}

describe('what a model has generated', () => {
  test.each([
    { thoughts: 'hidden' },
    { content: '', thoughts: ['hid', { text: 'den' }] },
    { content: null, role: 'assistant', id: 'x', type: 'x', annotations: [{ type: 'note', note: 'hidden' }] },
    { tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { arguments: '' }, x: 'hidden' }] },
    { tool_calls: [{ index: 0, type: 'mcp', mcp: { deep: { deeper: ['hidden'] } } }] },
    { reasoning_details: [{ type: 'reasoning.novel', id: 'r', format: 'f', index: 0, words: 'hidden' }] },
  ])('is looked for in fields that nobody knows, where there is no other text: %j', (said) => {
    expect(generated(said).join('')).toBe('hidden')
  })

  test('is looked for beside a message in its choice', () => {
    expect(generated({ content: '' }, { thoughts: 'hidden', index: 0 })).toEqual(['hidden'])
    expect(generated({}, { thoughts: 'hidden' })).toEqual(['hidden'])
  })

  test("is looked for beside a call's name, which is told once", () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } }
    expect(generated({ tool_calls: [call] })).toEqual(['look'])
    expect(generated({ tool_calls: [{ ...call, thoughts: 'hidden' }] })).toEqual(['look', 'hidden'])
    expect(generated({ function_call: { name: 'look', more: ['hidden'] } })).toEqual(['look', 'hidden'])
  })

  test.each([
    { content: 'said' },
    { reasoning_content: 'said' },
    { refusal: 'said' },
    { function_call: { arguments: 'said' } },
    { tool_calls: [{ index: 0, function: { arguments: 'said' } }] },
    { reasoning_details: [{ type: 'reasoning.text', text: 'said' }] },
  ])('is not told twice where fields that nobody knows stand beside %j', (said) => {
    const twins = { thoughts: 'said', annotations: [{ note: 'said' }] }
    expect(generated({ ...twins, ...said }, { twin: 'said' })).toEqual(['said'])
  })

  test('is none of what names, refers, signs or judges', () => {
    const labels = { id: 'x', item_id: 'x', type: 'x', format: 'x', index: 'x', model: 'x', role: 'x' }
    const signed = { signature: 'x', thought_signature: 'x', thoughtSignature: 'x' }
    expect(generated({ content: '', extra: { ...labels, google: signed } }, { stop_reason: 'x' })).toEqual([])
    expect(
      generated(
        {},
        { content_filter_results: { hate: { severity: 'safe' } }, content_filter_offsets: { a: 'x' } },
      ),
    ).toEqual([])
  })

  test('is in an encrypted block about as much as its ciphertext holds', () => {
    const texts = generated({ reasoning_details: [{ type: 'reasoning.encrypted', data: 'x'.repeat(300) }] })
    expect(texts.join('')).toHaveLength(100)
  })

  test.each([
    ['that sign', { type: 'reasoning.text', text: 'thought', signature: 's' }],
    ['that end', { type: 'reasoning.text', text: 'thought' }],
    ['that summarise', { type: 'reasoning.summary', summary: 'thought' }],
  ])('is not counted again by the details %s what came in the open', (_says, detail) => {
    const details = { reasoning_details: [detail] }
    expect(generated(details, undefined, true)).toEqual([])
    expect(generated(details)).toEqual(['thought'])
    const beside = { ...details, reasoning_content: 'more' }
    expect(generated(beside, undefined, true)).toEqual(['more'])
  })

  test('ends at a bound, however deep a field is nested', () => {
    let nested: JsonObject = { a: 'x' }
    for (let depth = 0; depth < 5_000; depth++) nested = { a: nested }
    expect(generated({ nested })).toEqual([])
  })
})
