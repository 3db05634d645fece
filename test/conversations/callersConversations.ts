import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import type { CallerDifferences } from './callerDifferences.ts'
import { type ConversationWorld, startConversationWorld } from './conversationWorld.ts'
import { observe, undeclared } from './observe.ts'
import { FORMATS } from './spokenBy.ts'

/** Holds every conversation that a caller can have with every format, whole and streamed. */
export function testConversationsOf(differences: CallerDifferences): void {
  const { title, caller, sayable, otherwise, lost } = differences
  let world: ConversationWorld
  beforeAll(async () => {
    world = await startConversationWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  describe.each(FORMATS)(`a caller of ${title} over %s`, (format) => {
    test.each(sayable.map((conversation) => [conversation.name, conversation] as const))(
      '%s: is answered as the same chat is but for what is declared, whole and streamed',
      async (name, conversation) => {
        const declared = differences.declared(format, name)
        for (const stream of [false, true]) {
          const outcome = await world.hold(format, conversation, stream, caller)
          const named = differences.inChatNames(declared, outcome, conversation.request)
          const surprises = undeclared(observe(conversation, named), declared)
          expect({ stream, surprises }).toEqual({ stream, surprises: [] })
        }
      },
    )
  })

  test(`every difference of callers of ${title} belongs to a conversation that they can have`, () => {
    const names = sayable.map(({ name }) => name)
    for (const declared of [lost, ...Object.values(otherwise)])
      expect(Object.keys(declared).filter((name) => !names.includes(name))).toEqual([])
  })
}
