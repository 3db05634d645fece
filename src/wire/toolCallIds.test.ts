import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { Message } from '../core/chat/request.ts'
import { anyId, fitToolCallIds, openAiId, toolUseId } from './toolCallIds.ts'

function calls(...ids: string[]): Message {
  return { role: 'assistant', content: null, tool_calls: ids.map(callOf) }
}

function callOf(id: string) {
  return { id, type: 'function' as const, function: { name: 'f', arguments: '{}' } }
}

function result(id: string): Message {
  return { role: 'tool', tool_call_id: id, content: 'rain' }
}

function idsOf(messages: readonly Message[]): (string | undefined)[] {
  return messages.flatMap(({ tool_calls: made, tool_call_id: id }) => made?.map((call) => call.id) ?? [id])
}

describe('fitToolCallIds', () => {
  test('messages whose ids fit are the same object', () => {
    const plain: readonly Message[] = [{ role: 'user', content: 'Hi' }]
    const fitting = [calls('a', 'b'), result('b'), result('a')]
    expect(fitToolCallIds(plain, openAiId)).toBe(plain)
    expect(fitToolCallIds(fitting, openAiId)).toBe(fitting)
  })

  test('a result belongs to the latest call with its id, and of several in one turn to the first without a result', () => {
    const turns = [calls('x'), result('x'), calls('x', 'x'), result('x'), result('x'), result('x')]
    expect(idsOf(fitToolCallIds(turns, anyId))).toEqual(['x', 'x', 'x_2', 'x_3', 'x_2', 'x_3', 'x_3'])
  })

  test('a numbered id does not take that of another call', () => {
    expect(idsOf(fitToolCallIds([calls('x', 'x_2', 'x', 'x_2')], anyId))).toEqual([
      'x',
      'x_2',
      'x_3',
      'x_2_2',
    ])
  })

  test('signatures and ids of other details follow their call', () => {
    const signed = {
      ...calls('a b'),
      reasoning_details: [
        { type: 'reasoning.encrypted', id: 'a b', data: 's' },
        { type: 'reasoning.text', text: 't' },
      ],
    }
    expect(fitToolCallIds([signed], toolUseId)[0]).toMatchObject({
      tool_calls: [{ id: 'a_b' }],
      reasoning_details: [
        { id: 'a_b', data: 's' },
        { type: 'reasoning.text', text: 't' },
      ],
    })
  })

  test('a result that no call asks for, and a call without an id, stay what they are', () => {
    const nameless = { role: 'assistant', tool_calls: [{ type: 'function' }] } as unknown as Message
    expect(fitToolCallIds([nameless, result('a b')], toolUseId)).toEqual([nameless, result('a_b')])
  })

  test('whatever ids come, those of calls are different and each is fitted', () => {
    const anyIds = fc.array(
      fc.array(fc.oneof(fc.string(), fc.constantFrom('a', 'a_2', 'a b', 'a.b')), { maxLength: 5 }),
    )
    fc.assert(
      fc.property(anyIds, fc.constantFrom(openAiId, toolUseId), (turns, fit) => {
        const ids = idsOf(
          fitToolCallIds(
            turns.map((turn) => calls(...turn)),
            fit,
          ),
        )
        expect(new Set(ids).size).toBe(ids.length)
        for (const id of ids) expect(fit(id ?? '')).toBe(id ?? '')
      }),
    )
  })

  test('an id as long as a body is shortened by its beginning, its end and its length', () => {
    const long = 'x'.repeat(1_000_000)
    const [one, twin, other, ended] = [long, ` ${long}`.slice(1), `${long}x`, `${long.slice(1)}y`].map(
      openAiId,
    )
    expect(twin).toBe(one ?? '')
    expect(new Set([one, other, ended]).size).toBe(3)
    // These two differ where no one looks: then they are numbered.
    const ids = idsOf(fitToolCallIds([calls(`${long}a${long}`, `${long}b${long}`)], openAiId))
    expect(new Set(ids).size).toBe(2)
    for (const id of ids) expect(openAiId(id ?? '')).toBe(id ?? '')
  })

  test('ten thousand calls with one id take no longer than as many with different ones', () => {
    const same = Array.from({ length: 10_000 }, () => calls('call_0'))
    const ids = idsOf(fitToolCallIds(same, openAiId))
    expect(new Set(ids).size).toBe(10_000)
    expect(ids.at(-1)).toBe('call_0_10000')
  })
})
