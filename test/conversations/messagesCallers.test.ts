import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { messagesCaller } from './callers.ts'
import { type ConversationWorld, startConversationWorld } from './conversationWorld.ts'
import { declaredForMessages, MESSAGES_DIFFERENCES, SAYABLE } from './messagesDifferences.ts'
import { inNamesOf, observe, undeclared } from './observe.ts'
import { FORMATS } from './spokenBy.ts'

let world: ConversationWorld
beforeAll(async () => {
  world = await startConversationWorld()
})
afterAll(() => world[Symbol.asyncDispose]())

describe.each(FORMATS)('a caller of Messages over %s', (format) => {
  test.each(SAYABLE.map((conversation) => [conversation.name, conversation] as const))(
    '%s: is answered as the same chat is but for what is declared, whole and streamed',
    async (name, conversation) => {
      const declared = declaredForMessages(format, name)
      for (const stream of [false, true]) {
        const outcome = await world.hold(format, conversation, stream, messagesCaller)
        const surprises = undeclared(observe(conversation, inNamesOf(declared, outcome)), declared)
        expect({ stream, surprises }).toEqual({ stream, surprises: [] })
      }
    },
  )
})

test('every difference of callers of Messages belongs to a conversation that they can have', () => {
  const names = SAYABLE.map(({ name }) => name)
  for (const differences of Object.values(MESSAGES_DIFFERENCES))
    expect(Object.keys(differences).filter((name) => !names.includes(name))).toEqual([])
})
