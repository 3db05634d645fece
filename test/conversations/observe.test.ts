import { describe, expect, test } from 'bun:test'
import { deviations } from './compare.ts'
import { asks, says, USAGE } from './conversation.ts'
import { dropped, gives, refused, sends } from './difference.ts'
import { observe, undeclared } from './observe.ts'
import { openAiChat } from '../../src/wire/openai-chat/openAiChat.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { Outcome } from './conversationWorld.ts'

const CONVERSATION = asks('seed', { seed: 42, temperature: 0.5 }, says('Blue.'))

function outcome(request: Partial<ChatRequest>, answer = says('Blue.'), named: string[] = []): Outcome {
  const decoded = openAiChat.server.decodeRequest({ model: 'm', ...CONVERSATION.request })
  if (!decoded.ok) throw new Error(decoded.refusal.message)
  return { kind: 'answered', received: [{ ...decoded.request, ...request }], dropped: named, answer }
}

function without(field: 'seed'): Partial<ChatRequest> {
  return { [field]: undefined } as unknown as Partial<ChatRequest>
}

function surprises(of: Outcome, ...declared: Parameters<typeof undeclared>[1]): string[] {
  return undeclared(observe(CONVERSATION, of), declared)
}

describe('the conversations notice', () => {
  test('nothing where nothing differs', () => {
    expect(surprises(outcome({}))).toEqual([])
  })

  test('a field that is lost without a word, and one that is dropped without a declaration', () => {
    expect(surprises(outcome(without('seed')))).toEqual(['not declared: sends("seed", undefined)'])
    const named = outcome(without('seed'), says('Blue.'), ['seed'])
    expect(surprises(named)).toEqual(['not declared: dropped("seed")'])
    expect(surprises(named, ...dropped('seed'))).toEqual([])
  })

  test('a field that is called dropped although the provider received it', () => {
    expect(surprises(outcome({}, says('Blue.'), ['seed']), ...dropped('seed'))).toHaveLength(2)
  })

  test('a field that arrives changed, and a declaration of another change', () => {
    const changed = outcome({ temperature: 1 })
    expect(surprises(changed)).toEqual(['not declared: sends("temperature", 1)'])
    expect(surprises(changed, sends('temperature', 1, 'at most'))).toEqual([])
    expect(surprises(changed, sends('temperature', 2, 'at most'))).toHaveLength(2)
  })

  test('an answer that says something else or less', () => {
    expect(surprises(outcome({}, says('Green.')))).toEqual([
      'not declared: gives("choices[0].message.content", "Green.")',
    ])
    const usage = { ...USAGE, promptTokens: 41 }
    const cheaper = { ...says('Blue.'), usage }
    expect(surprises(outcome({}, cheaper), gives('usage.promptTokens', 41, 'more'))).toEqual([])
  })

  test('a declared difference that does not occur', () => {
    expect(surprises(outcome({}), ...refused('seed'))).toEqual(['declared and not seen: refused("seed")'])
    expect(surprises(outcome({}), ...dropped('seed'))).toEqual(['declared and not seen: dropped("seed")'])
  })
})

test('values are compared as deep as they go, lists of unequal length as a whole', () => {
  expect(deviations({ a: [1, { b: 2 }], c: null }, { a: [1, { b: 3 }], d: 4 })).toEqual([
    { path: 'a[1].b', expected: 2, actual: 3 },
    { path: 'c', expected: null, actual: undefined },
    { path: 'd', expected: undefined, actual: 4 },
  ])
  expect(deviations([1], [1, 2], 'list')).toEqual([{ path: 'list', expected: [1], actual: [1, 2] }])
})
