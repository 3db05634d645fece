import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ConversationWorld, startConversationWorld } from './conversationWorld.ts'
import { CONVERSATIONS } from './conversations.ts'
import { DIFFERENCES } from './differences.ts'
import { observe, undeclared } from './observe.ts'
import { FORMATS } from './spokenBy.ts'

const ALL = [...CONVERSATIONS.values()].flat()

let world: ConversationWorld
beforeAll(async () => {
  world = await startConversationWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each(FORMATS)('over %s', (format) => {
  test.each(ALL.map((conversation) => [conversation.name, conversation] as const))(
    '%s: differs as declared and in nothing else, whole and streamed',
    async (name, conversation) => {
      const declared = DIFFERENCES[format][name] ?? []
      for (const stream of [false, true]) {
        const outcome = await world.hold(format, conversation, stream)
        if (outcome.kind === 'answered')
          expect([...new Set(outcome.received.map((request) => request.stream))]).toEqual([stream])
        const surprises = undeclared(observe(conversation, outcome), declared)
        expect({ stream, surprises }).toEqual({ stream, surprises: [] })
      }
    },
  )
})

test('every declared difference belongs to a conversation', () => {
  const names = ALL.map(({ name }) => name)
  expect(new Set(names).size).toBe(names.length)
  for (const differences of Object.values(DIFFERENCES))
    expect(Object.keys(differences).filter((name) => !names.includes(name))).toEqual([])
})
