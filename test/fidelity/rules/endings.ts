import { expect } from 'bun:test'
import { failureIn } from '../../support/wireFixtures.ts'
import { frame } from '../column.ts'
import { type Cell, type Rule, allOf, choiceOf } from '../rule.ts'

const REASONS = ['stop', 'length', 'content_filter'] as const

/** How an answer ends. */
export const ENDING_RULES: readonly Rule[] = [
  {
    name: "the format's own words for an end are read as those of the interface",
    check(cell) {
      for (const reason of REASONS) {
        const finish = cell.column.words[reason]
        if (finish === undefined) continue
        for (const answer of cell.bothWays({ finish })) {
          expect(choiceOf(answer).finishReason).toBe(reason)
        }
      }
    },
  },
  {
    name: 'a stream that is cut before it says its end has failed, however far it came',
    check(cell) {
      const { begin, pieces } = cell.frames({ pieces: [{ text: 'Hello' }, { text: ' world' }] })
      const told = [...begin, ...pieces]
      for (let length = 0; length <= told.length; length++) {
        expect(failureIn(cell.events(told.slice(0, length), 1))?.kind).toBe('invalid_answer')
      }
    },
  },
  {
    name: 'an error in a stream ends it, and nothing follows',
    check(cell) {
      const { begin, pieces, end } = cell.frames({ pieces: [{ text: 'Hello' }, { text: ' world' }] })
      const half = pieces.length / 2
      const events = cell.events(
        [...begin, ...pieces.slice(0, half), cell.column.errorFrame, ...pieces.slice(half), ...end],
        1,
      )
      expectLastIsError(events)
      expect(JSON.stringify(events)).toContain('Hello')
      expect(JSON.stringify(events)).not.toContain(' world')
    },
  },
  {
    name: 'an error before anything else begins no answer, so that another target can be tried',
    check(cell) {
      expect(cell.events([cell.column.errorFrame], 1).map(({ type }) => type)).toEqual(['error'])
    },
  },
  {
    name: 'a frame that is not JSON ends the stream with an error',
    check(cell) {
      const { begin, pieces, end } = cell.frames({})
      const events = cell.events([...begin, frame('{"half', begin[0]?.event), ...pieces, ...end], 1)
      expectLastIsError(events)
      expect(JSON.stringify(events)).not.toContain('Hello')
    },
  },
  {
    name: 'what comes behind the last frame is not told',
    except: { 'google-generate': 'no frame of it is the last: the body ends' },
    check(cell) {
      const told = allOf(cell.frames({}))
      const events = cell.events([...told, ...cell.frames({ pieces: [{ text: 'Behind.' }] }).pieces], 1)
      expect(failureIn(events)).toBeUndefined()
      expect(JSON.stringify(events)).not.toContain('Behind.')
    },
  },
]

function expectLastIsError(events: ReturnType<Cell['events']>): void {
  expect(events.filter(({ type }) => type === 'error')).toHaveLength(1)
  expect(events.at(-1)?.type).toBe('error')
}
