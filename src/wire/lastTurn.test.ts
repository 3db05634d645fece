import { describe, expect, test } from 'bun:test'
import type { Message } from '../core/chat/request.ts'
import { answerable, instructionsInPlace } from './lastTurn.ts'

const USER: Message = { role: 'user', content: 'Hi' }
const ASSISTANT: Message = { role: 'assistant', content: 'Hello' }
const CALL: Message = {
  role: 'assistant',
  tool_calls: [{ id: 'a', type: 'function', function: { name: 'f', arguments: '{}' } }],
}
const RESULT: Message = { role: 'tool', tool_call_id: 'a', content: '' }
const SYSTEM: Message = { role: 'system', content: 'Be kind.' }
const DEVELOPER: Message = { role: 'developer', content: [{ type: 'text', text: 'Be quick.' }] }
const EMPTY: Message = { role: 'user', content: [{ type: 'text', text: '' }] }
const BLANK: Message = { role: 'user', content: ' \n' }
const THOUGHT: Message = {
  role: 'assistant',
  content: '',
  reasoning_details: [{ type: 'reasoning.text', text: 'Hm.', signature: 'signed' }],
}
const IMAGE: Message = {
  role: 'assistant',
  content: null,
  images: [{ type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } }],
}

function roles(messages: readonly Message[], facts = {}): string {
  return answerable(messages, facts)
    .map(({ role }) => role)
    .join(' ')
}

describe('a conversation that a model answers', () => {
  test.each<[string, Message[]]>([
    ['ends with the user', [SYSTEM, USER, ASSISTANT, SYSTEM, USER]],
    ['ends with a result', [USER, CALL, RESULT]],
    ['ends with an empty result', [USER, CALL, RESULT, EMPTY]],
    ['is begun by its caller', [USER, ASSISTANT]],
    ['ends with a call', [USER, CALL, EMPTY]],
  ])('stays the same object where it %s', (_, messages) => {
    expect(answerable(messages, {})).toBe(messages)
  })

  test('has its last instructions as the words of the user', () => {
    expect(roles([SYSTEM, USER, ASSISTANT, SYSTEM, DEVELOPER])).toBe('system user assistant user user')
    expect(roles([USER, ASSISTANT, SYSTEM, EMPTY])).toBe('user assistant user user')
    expect(roles([USER, CALL, RESULT, SYSTEM])).toBe('user assistant tool user')
    expect(roles([SYSTEM, USER, DEVELOPER])).toBe('system user user')
  })

  test('keeps them as they are behind the user where the model takes them there', () => {
    const facts = { systemInPlace: true } as const
    expect(roles([USER, SYSTEM], facts)).toBe('user system')
    expect(roles([USER, CALL, RESULT, SYSTEM], facts)).toBe('user assistant tool system')
    expect(roles([USER, ASSISTANT, SYSTEM], facts)).toBe('user assistant user')
  })

  test('does not end with the model because what is behind it is empty', () => {
    expect(answerable([USER, ASSISTANT, EMPTY], {}).at(-1)).toEqual({ role: 'user', content: '.' })
    expect(answerable([USER, ASSISTANT, { role: 'system', content: '' }], {}).at(-1)).toMatchObject({
      role: 'user',
    })
  })

  test('is asked by the user: by the instructions where they are alone, and where no one says anything', () => {
    expect(roles([SYSTEM, DEVELOPER, EMPTY])).toBe('user user user')
    for (const messages of [[], [EMPTY], [BLANK], [EMPTY, { role: 'system', content: ' ' } as const]])
      expect(answerable(messages, {})).toEqual([{ role: 'user', content: '.' }])
  })

  test('has no more behind the model’s answer than the words of the user', () => {
    expect(answerable([USER, ASSISTANT, EMPTY, BLANK], {})).toEqual([
      USER,
      ASSISTANT,
      { role: 'user', content: '.' },
    ])
  })

  test.each([THOUGHT, IMAGE])('knows an answer without words for an answer', (answer) => {
    expect(roles([USER, answer, EMPTY])).toBe('user assistant user')
    expect(roles([USER, answer, SYSTEM], { systemInPlace: true })).toBe('user assistant user')
    expect(() => answerable([USER, answer], { refusesPrefill: true })).toThrow(
      expect.objectContaining({ param: 'messages' }),
    )
  })

  test('is refused by name where it is begun and the model does not go on with it', () => {
    const facts = { refusesPrefill: true } as const
    for (const begun of [
      [USER, ASSISTANT],
      [ASSISTANT],
      [USER, ASSISTANT, { role: 'assistant' as const, content: '' }],
    ])
      expect(() => answerable(begun, facts)).toThrow(expect.objectContaining({ param: 'messages' }))
    for (const other of [
      [USER],
      [USER, ASSISTANT, USER],
      [USER, ASSISTANT, SYSTEM],
      [USER, ASSISTANT, EMPTY],
      [USER, CALL],
    ])
      expect(() => answerable(other, facts)).not.toThrow()
  })
})

test('instructions stay behind the user and before the model or the end, and nowhere else', () => {
  const places = (...messages: Message[]) => [...instructionsInPlace(messages)]
  expect(places(SYSTEM, USER, SYSTEM, DEVELOPER, ASSISTANT)).toEqual([2, 3])
  expect(places(USER, SYSTEM)).toEqual([1])
  expect(places(USER, EMPTY, SYSTEM, EMPTY)).toEqual([2])
  expect(places(USER, SYSTEM, USER)).toEqual([])
  expect(places(USER, ASSISTANT, SYSTEM, USER)).toEqual([])
  expect(places(USER, CALL, RESULT, SYSTEM, CALL)).toEqual([3])
  expect(places(USER, THOUGHT, SYSTEM)).toEqual([])
})
