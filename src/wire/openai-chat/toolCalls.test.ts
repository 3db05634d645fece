import { describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../core/failure.ts'
import { toolCallReader } from './toolCalls.ts'

describe('toolCallReader', () => {
  test('fragments as OpenAI writes them pass through', () => {
    const reader = toolCallReader('')
    const first = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }
    const second = { index: 0, function: { arguments: '{}' } }
    expect(reader.read([first])).toEqual([first as never])
    expect(reader.read([second])[0]).toBe(second as never)
  })

  test('a call without type, id or arguments gets them', () => {
    expect(toolCallReader('chatcmpl-0123456789abcdef').read([{ function: { name: 'f' } }])).toEqual([
      { index: 0, id: 'call_0123456789abcdef_0', type: 'function', function: { name: 'f', arguments: '' } },
    ])
  })

  test('arguments that come as an object become text', () => {
    const [call] = toolCallReader('').read([
      { id: 'a', function: { name: 'f', arguments: { city: 'Rome' } } },
    ])
    expect(call?.function?.arguments).toBe('{"city":"Rome"}')
  })

  test('fragments without index belong to the call they name, else to the last', () => {
    const reader = toolCallReader('')
    reader.read([{ id: 'a', function: { name: 'f', arguments: '' } }])
    reader.read([{ id: 'b', function: { name: 'g', arguments: '' } }])
    expect(reader.read([{ id: 'a', function: { arguments: '1' } }])[0]).toMatchObject({ index: 0 })
    expect(reader.read([{ function: { arguments: '2' } }])[0]).toMatchObject({ index: 1 })
  })

  test('fragments side by side that name no call belong to the last calls, in their order', () => {
    const reader = toolCallReader('')
    reader.read([{ id: 'a', function: { name: 'f', arguments: '{}' } }])
    reader.read([
      { id: 'b', function: { name: 'g', arguments: '' } },
      { id: 'c', function: { name: 'h', arguments: '' } },
    ])
    const pieces = [{ index: null, function: { arguments: '1' } }, { function: { arguments: '2' } }]
    expect(reader.read(pieces)).toEqual([
      { index: 1, function: { arguments: '1' } },
      { index: 2, function: { arguments: '2' } },
    ])
  })

  test('several fragments of an only call that name no call all belong to it', () => {
    const reader = toolCallReader('')
    reader.read([{ id: 'a', function: { name: 'f', arguments: '' } }])
    const pieces = [{ function: { arguments: '1' } }, { function: { arguments: '2' } }]
    expect(reader.read(pieces).map(({ index }) => index)).toEqual([0, 0])
  })

  test('calls of functions that came without arguments get an empty object, once', () => {
    const reader = toolCallReader('')
    reader.read([
      { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } },
      { index: 1, id: 'b', type: 'function', function: { name: 'g' } },
      { index: 2, id: 'c', type: 'function', function: { name: 'h', arguments: '' } },
      { index: 3, id: 'd', type: 'custom', custom: { name: 'sql', input: '' } },
    ])
    reader.read([{ index: 0, function: { arguments: '1' } }])
    reader.read([{ index: 1, function: { arguments: '' } }])
    expect(reader.completeBareCalls()).toEqual([
      { index: 1, function: { arguments: '{}' } },
      { index: 2, function: { arguments: '{}' } },
    ])
    expect(reader.completeBareCalls()).toEqual([])
  })

  test('a name that is repeated on every fragment is told once', () => {
    const reader = toolCallReader('')
    const fragment = { index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '1' } }
    reader.read([fragment])
    expect(reader.read([fragment])).toEqual([{ index: 0, function: { arguments: '1' } }])
  })

  test.each([
    { id: '', type: '', function: { name: '', arguments: '1' } },
    { id: null, type: null, function: { name: null, arguments: '1' } },
    { id: 'a', type: 'function', function: { name: '', arguments: '1' } },
  ])('what the first fragment said is not taken back by an empty word: %j', (empty) => {
    const reader = toolCallReader('')
    reader.read([{ index: 0, id: 'a', type: 'function', function: { name: 'f', arguments: '' } }])
    expect(reader.read([{ index: 0, ...empty }])).toEqual([{ index: 0, function: { arguments: '1' } }])
  })

  test('of a custom call the name is told once, the input in pieces', () => {
    const reader = toolCallReader('')
    reader.read([{ index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: '' } }])
    const later = { index: 0, id: null, type: 'custom', custom: { name: null, input: 'select' } }
    expect(reader.read([later])).toEqual([{ index: 0, custom: { input: 'select' } }])
  })

  test("indices that do not start at 0 become the calls' ordinals", () => {
    const reader = toolCallReader('')
    expect(reader.read([{ index: 1, id: 'a', function: { name: 'f' } }])[0]).toMatchObject({ index: 0 })
    expect(reader.read([{ index: 1, function: { arguments: '{}' } }])[0]).toEqual({
      index: 0,
      function: { arguments: '{}' },
    })
  })

  test('calls of other kinds are carried', () => {
    const custom = { index: 0, id: 'a', type: 'custom', custom: { name: 'sql', input: 'select' } }
    const reader = toolCallReader('')
    expect(reader.read([custom])).toEqual([custom as never])
    expect(reader.read([{ index: 0, custom: { input: ' 1' } }])).toEqual([
      { index: 0, custom: { input: ' 1' } },
    ])
  })

  test('what is no call is no answer', () => {
    expect(() => toolCallReader('').read(['f'])).toThrow(UpstreamError)
  })
})
