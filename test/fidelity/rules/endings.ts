import { expect } from 'bun:test'
import type { StreamState } from '../../../src/wire/answerEnd.ts'
import type { Frame } from '../../../src/core/answer/frame.ts'
import { collected, failureIn } from '../../support/wireFixtures.ts'
import { frame } from '../column.ts'
import { type Cell, type Rule, allOf, choiceOf } from '../rule.ts'

const REASONS = ['stop', 'length', 'content_filter'] as const
/** Words of several formats, in several cases. */
const WORDS = {
  stop: ['stop', 'STOP', 'end_turn', 'EOS', 'Complete', 'stop_sequence'],
  length: [
    'length',
    'MAX_TOKENS',
    'max_tokens',
    'Model_Length',
    'model_context_window_exceeded',
    'pause_turn',
  ],
  content_filter: [
    'content_filter',
    'SAFETY',
    'sensitive',
    'content_filtered',
    'Refusal',
    'PROHIBITED_CONTENT',
  ],
} as const
const CALL = { call: { id: 'a', name: 'f', input: { a: 1 } } }

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
    name: 'the words of all formats for an end are read in each of them, whatever their case',
    check(cell) {
      for (const reason of REASONS) {
        for (const finish of WORDS[reason]) {
          for (const answer of cell.bothWays({ finish })) {
            expect([finish, choiceOf(answer).finishReason]).toEqual([finish, reason])
          }
        }
      }
    },
  },
  {
    name: 'an unknown word after content means a cut answer, and the operator sees the word',
    check(cell) {
      const [whole, streamed] = cell.bothWays({ finish: 'Weird' })
      expect(choiceOf(whole)).toMatchObject({ finishReason: 'length', unknownWord: 'Weird' })
      expect(choiceOf(streamed).finishReason).toBe('length')
      const events = cell.events(allOf(cell.frames({ finish: 'Weird' })), 1)
      expect(events.find(({ type }) => type === 'finish')).toMatchObject({ unknownWord: 'Weird' })
    },
  },
  {
    name: 'an unknown word without content is a failure',
    check(cell) {
      expect(cell.failures({ pieces: [], finish: 'weird' })).toEqual(['invalid_answer', 'invalid_answer'])
    },
  },
  {
    name: 'a reason that is not a word is a failure',
    check(cell) {
      for (const word of [7, true, ['stop'], { reason: 'stop' }])
        expect([word, cell.failures({ finish: word as unknown as string })]).toEqual([
          word,
          ['invalid_answer', 'invalid_answer'],
        ])
    },
  },
  {
    name: "a provider's own word for an end comes before the list",
    check(cell) {
      for (const [word, reason] of [
        ['Weird', 'stop'],
        ['LENGTH', 'content_filter'],
      ] as const) {
        for (const answer of cell.bothWays({ finish: word }, { [word.toLowerCase()]: reason })) {
          expect(choiceOf(answer).finishReason).toBe(reason)
        }
      }
    },
  },
  {
    name: 'a word that says that the model or its provider failed is a failure, whatever came before',
    check(cell) {
      expect(cell.failures({ finish: 'MALFORMED_FUNCTION_CALL' })).toEqual([
        'malformed_output',
        'malformed_output',
      ])
      expect(cell.failures({ finish: 'error' })).toEqual(['server', 'server'])
      expect(cell.failures({ finish: 'insufficient_system_resource' })).toEqual(['overloaded', 'overloaded'])
    },
  },
  {
    name: 'an answer that is over and gives no reason ends with tool_calls if it holds calls, else with stop',
    except: { 'google-generate': 'a stream of it has no last event, so one without a reason is cut' },
    check(cell) {
      for (const answer of cell.bothWays({ finish: undefined })) {
        expect(choiceOf(answer).finishReason).toBe('stop')
      }
      for (const answer of cell.bothWays({ pieces: [CALL], finish: undefined })) {
        expect(choiceOf(answer).finishReason).toBe('tool_calls')
      }
    },
  },
  {
    name: 'an answer that holds calls ends with tool_calls, and no other does, whichever of the two words its provider says',
    check(cell) {
      const { stop, tool_calls: calls = stop } = cell.column.words
      for (const answer of cell.bothWays({ pieces: [CALL], finish: stop }))
        expect(choiceOf(answer).finishReason).toBe('tool_calls')
      for (const answer of cell.bothWays({ finish: calls }))
        expect(choiceOf(answer).finishReason).toBe('stop')
      const { length } = cell.column.words
      for (const answer of cell.bothWays({ pieces: [CALL], finish: length }))
        expect(choiceOf(answer).finishReason).toBe('length')
    },
  },
  {
    name: 'what comes between a reason and the end is part of the answer, and the last reason counts',
    check(cell) {
      const { words } = cell.column
      const early = cell.frames({ finish: words.length })
      const late = cell.frames({
        pieces: [{ text: ' world' }, CALL],
        finish: words.tool_calls ?? words.stop,
      })
      const frames = [
        ...early.begin,
        ...early.pieces,
        ...early.end,
        ...late.pieces,
        ...late.end,
        ...late.last,
      ]
      const choice = choiceOf(collected(cell.events(frames, 1)))
      expect(choice.finishReason).toBe('tool_calls')
      expect(choice.message).toMatchObject({
        content: 'Hello world',
        tool_calls: [{ function: { name: 'f' } }],
      })
    },
  },
  {
    name: 'a reason makes an answer whole where the connection ends without the last frame',
    except: {
      'cohere-chat': 'its reason is in the last frame',
      'openai-responses': 'its reason is in the last frame',
    },
    check(cell) {
      const { begin, pieces, end } = cell.frames({})
      expect(choiceOf(collected(cell.events([...begin, ...pieces, ...end], 1))).finishReason).toBe('stop')
    },
  },
  {
    name: 'how far a stream has come is known: open until its reason, over with its last frame',
    check(cell) {
      const { begin, pieces, end, last } = cell.frames({})
      const decoder = cell.client.decodeStream(1)
      const stateAfter = (frames: readonly Frame[]): StreamState => {
        for (const each of frames) decoder.push(each)
        return decoder.state
      }
      expect(stateAfter([...begin, ...pieces])).toBe('open')
      if (end.length > 0) expect(['finished', 'complete']).toContain(stateAfter(end))
      if (last.length > 0) expect(stateAfter(last)).toBe('over')
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
      const { begin, pieces, end, last } = cell.frames({ pieces: [{ text: 'Hello' }, { text: ' world' }] })
      const half = pieces.length / 2
      const events = cell.events(
        [...begin, ...pieces.slice(0, half), cell.column.errorFrame, ...pieces.slice(half), ...end, ...last],
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
      const { begin, pieces, end, last } = cell.frames({})
      const events = cell.events([...begin, frame('{"half', begin[0]?.event), ...pieces, ...end, ...last], 1)
      expectLastIsError(events)
      expect(JSON.stringify(events)).not.toContain('Hello')
    },
  },
  {
    name: 'what comes after the last frame is dropped',
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
