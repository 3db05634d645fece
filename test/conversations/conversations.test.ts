import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { type ConversationWorld, startConversationWorld } from './conversationWorld.ts'
import { CONVERSATIONS } from './conversations.ts'
import { observe, undeclared } from './observe.ts'
import { FORMATS, SPOKEN_BY } from './spokenBy.ts'

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
      const declared = SPOKEN_BY[format].differences[name] ?? []
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
  for (const { differences } of Object.values(SPOKEN_BY))
    expect(Object.keys(differences).filter((name) => !names.includes(name))).toEqual([])
})
