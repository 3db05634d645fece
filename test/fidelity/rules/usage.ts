import { expect } from 'bun:test'
import { hasText } from '../../../src/core/answer/hasText.ts'
import { reportAfter } from '../../../src/core/answer/reportAfter.ts'
import { NO_USAGE, type ReportedUsage } from '../../../src/core/usage.ts'
import type { Report } from '../column.ts'
import { type Rule, allOf } from '../rule.ts'

const AT_THE_END = 'it reports at the end of an answer only'
const FREE: Report = { prompt: 0, cached: 0, completion: 0, thoughts: 0 }
const FULL: Report = { prompt: 90, cached: 40, completion: 20, thoughts: 8 }

/** What the provider reports. */
export const USAGE_RULES: readonly Rule[] = [
  {
    name: 'a report is read by one convention, whole and streamed: the prompt has the cached tokens, the completion the thoughts',
    check(cell) {
      const { cached, thoughts } = cell.column.reports
      for (const { usage } of cell.bothWays({ report: FULL })) {
        expect(usage).toEqual({
          promptTokens: 90,
          cachedTokens: cached ? 40 : 0,
          cacheWriteTokens: 0,
          completionTokens: 20,
          reasoningTokens: thoughts ? 8 : 0,
        })
      }
    },
  },
  {
    name: 'of an answer that was filtered a report of 0 is a report, whole and streamed',
    check(cell) {
      const finish = cell.column.words.content_filter ?? 'content_filter'
      for (const { usage } of cell.bothWays({ finish, report: FREE })) expect(usage).toEqual(NO_USAGE)
    },
  },
  {
    name: 'the report comes after all that it counts',
    check(cell) {
      const events = cell.events(allOf(cell.frames({ pieces: [{ text: 'Hello' }, { text: ' world' }] })), 1)
      const last = events.findLastIndex((event) => event.type === 'delta' && hasText(event.delta))
      expect(events.findLastIndex(({ type }) => type === 'usage')).toBeGreaterThan(last)
    },
  },
  {
    name: 'a prompt that is reported before the text stays known, with what was cached of it',
    except: {
      'bedrock-converse': AT_THE_END,
      'cohere-chat': AT_THE_END,
      'openai-responses': AT_THE_END,
    },
    check(cell) {
      const early = cell.column.promptFrame?.(90, 40)
      if (!early) throw new Error('a column that reports the prompt says how')
      const { pieces } = cell.frames({})
      const decode = cell.client.decodeStream(1)
      let report: ReportedUsage | undefined
      for (const event of [early, ...pieces].flatMap((each) => decode.push(each))) {
        report = reportAfter(report, event)
      }
      expect(report).toMatchObject({ promptTokens: 90, cachedTokens: 40, lacks: 'output' })
    },
  },
]
