import { expect } from 'bun:test'
import { hasText } from '../../../src/core/answer/hasText.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import { parseExactly } from '../../../src/core/exactNumber.ts'
import { failureIn, failureOf } from '../../support/wireFixtures.ts'
import type { Call } from '../column.ts'
import { type Rule, allOf, callsEnd, choiceOf, messageOf } from '../rule.ts'

const ONE_CHOICE = 'an answer of this format has one choice'

/** What the model says. */
export const ANSWER_RULES: readonly Rule[] = [
  {
    name: 'what the model says arrives in order, whole and streamed',
    check(cell) {
      const pieces = ['Hello', ' wor', 'ld 🌍', '!\n'].map((text) => ({ text }))
      for (const answer of cell.bothWays({ pieces })) {
        expect(messageOf(answer).content).toBe('Hello world 🌍!\n')
      }
    },
  },
  {
    name: 'what the model thinks is its reasoning, and no part of its content',
    check(cell) {
      for (const answer of cell.bothWays({ pieces: [{ thought: 'Hm.' }, { text: 'Hello' }] })) {
        expect(messageOf(answer)).toMatchObject({ reasoning_content: 'Hm.', content: 'Hello' })
      }
    },
  },
  {
    name: 'a tool call arrives with its id, its name and its arguments as text, and ends the answer with tool_calls',
    check(cell) {
      const calls = [callNamed('f', 'a'), callNamed('g', 'b')]
      for (const answer of cell.bothWays(callsEnd(cell, calls))) {
        expect(choiceOf(answer).finishReason).toBe('tool_calls')
        expect(messageOf(answer).content).toBeNull()
        expect(messageOf(answer).tool_calls).toEqual([
          { id: 'a', type: 'function', function: { name: 'f', arguments: '{"city":"Rome","deep":[1,{}]}' } },
          { id: 'b', type: 'function', function: { name: 'g', arguments: '{"city":"Rome","deep":[1,{}]}' } },
        ])
      }
    },
  },
  {
    name: 'text before a tool call stays, whole and streamed',
    check(cell) {
      for (const answer of cell.bothWays(callsEnd(cell, [{ text: 'Look:' }, callNamed('f', 'a')]))) {
        expect(messageOf(answer).content).toBe('Look:')
        expect(messageOf(answer).tool_calls).toHaveLength(1)
      }
    },
  },
  {
    name: 'calls without an id get one each, and no two of a conversation the same',
    check(cell) {
      const calls = [callNamed('f', undefined), callNamed('f', undefined)]
      const idsOf = (completionId: string) => {
        const [whole = [], streamed] = cell
          .bothWays(callsEnd(cell, calls), undefined, completionId)
          .map((answer) => messageOf(answer).tool_calls?.map(({ id }) => id))
        expect(whole).toHaveLength(2)
        expect(streamed).toEqual(whole)
        return whole
      }
      const ids = ['chatcmpl-01JD0000000000000000000001', 'chatcmpl-01JD0000000000000000000002'].flatMap(
        idsOf,
      )
      for (const id of ids) expect(id).toMatch(/^call_\w{1,35}$/)
      expect(new Set(ids).size).toBe(4)
    },
  },
  {
    name: 'arguments of a call are those that the model wrote, whatever their fields are called',
    check(cell) {
      const input = { price: 3, provider: 'x', cost: { billing: [{ internal: true }] }, is_byok: null }
      for (const answer of cell.bothWays(callsEnd(cell, [{ call: { id: 'a', name: 'f', input } }]))) {
        expect(JSON.parse(messageOf(answer).tool_calls?.[0]?.function.arguments ?? '')).toEqual(input)
      }
    },
  },
  {
    name: 'integers in the arguments of a call keep their 64 bits',
    check(cell) {
      const input = parseExactly('{"id":9223372036854775807,"deep":[-9007199254740993]}') as JsonObject
      for (const answer of cell.bothWays(callsEnd(cell, [{ call: { id: 'a', name: 'f', input } }]))) {
        const { arguments: text = '' } = messageOf(answer).tool_calls?.[0]?.function ?? {}
        expect(text).toBe('{"id":9223372036854775807,"deep":[-9007199254740993]}')
      }
    },
  },
  {
    name: 'a call without arguments has an empty object',
    check(cell) {
      const call = { call: { id: 'a', name: 'now', input: {} } }
      for (const answer of cell.bothWays(callsEnd(cell, [call]))) {
        expect(messageOf(answer).tool_calls?.[0]?.function.arguments).toBe('{}')
      }
    },
  },
  {
    name: 'a choice that was not asked for is dropped, and not waited for',
    except: {
      'anthropic-messages': ONE_CHOICE,
      'bedrock-converse': ONE_CHOICE,
      'cohere-chat': ONE_CHOICE,
      'openai-responses': ONE_CHOICE,
    },
    check(cell) {
      const { begin, pieces, end } = cell.frames({})
      const other = cell.column.choiceFrame?.(1, 'Nobody asked.')
      if (!other) throw new Error('a column of several choices says how')
      const events = cell.events([...begin, other, ...pieces, ...end], 1)
      expect(failureIn(events)).toBeUndefined()
      expect(JSON.stringify(events)).not.toContain('Nobody asked.')
      expect(events.filter((event) => event.type === 'delta' && hasText(event.delta))).toHaveLength(1)
    },
  },
  {
    name: 'an answer with fewer choices than were asked for is not taken for the whole answer',
    check(cell) {
      const whole = () => cell.client.decodeResponse(cell.body({}), 3)
      expect(failureOf(whole)?.kind).toBe('invalid_answer')
      expect(failureIn(cell.events(allOf(cell.frames({})), 3))?.kind).toBe('invalid_answer')
    },
  },
]

function callNamed(name: string, id: string | undefined): { readonly call: Call } {
  return { call: { id, name, input: { city: 'Rome', deep: [1, {}] } } }
}
