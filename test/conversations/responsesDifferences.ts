import { wordsOf } from '../support/responsesCaller/wordsOf.ts'
import { callerDifferences, sayableBy } from './callerDifferences.ts'
import { responsesCaller } from './callers.ts'
import type { Difference, Differences } from './difference.ts'
import { EVERYWHERE } from './differences/common.ts'
import { RESPONSES_DIFFERENCES } from './differences/openaiResponses.ts'
import { inWordsOf } from './observe.ts'

/** Sent as it is written. */
const AS_WRITTEN: readonly Difference[] = []

/** Thoughts that no provider of the format encrypted have no place there: these are not sent as they are written. */
const TRANSLATED: ReadonlySet<string> = new Set([
  'signed reasoning replayed',
  'signed reasoning replayed between a tool call and its result',
  'unsigned reasoning replayed',
  'signed tool calls replayed',
])

/** At a provider of their own format callers have only the differences that are the gateway's own. */
const NATIVE: Differences = Object.fromEntries(
  sayableBy(responsesCaller)
    .map(({ name }) => name)
    .filter((name) => name in RESPONSES_DIFFERENCES && !(name in EVERYWHERE) && !TRANSLATED.has(name))
    .map((name) => [name, AS_WRITTEN]),
)

export const RESPONSES_CALLER_DIFFERENCES = callerDifferences({
  title: 'Responses',
  caller: responsesCaller,
  lost: {},
  otherwise: { 'openai-responses': NATIVE },
  inChatNames: inWordsOf(wordsOf),
})
