import { describe, expect, test } from 'bun:test'
import type { AssistantMessage } from '../../src/core/answer/wholeAnswer.ts'
import { UpstreamError } from '../../src/core/failure.ts'
import { knownProvider, PROVIDERS } from '../../src/providers/index.ts'
import { cutBytes } from '../support/streamBytes.ts'
import { createSeededRandom } from '../support/seededRandom.ts'
import { bytesOf, clientOf, collected, readEvents, readWhole, toldBy } from './readRecording.ts'
import type { AnswerRecording } from './recording.ts'
import { RECORDINGS } from './recordings.ts'

/** In how many ways each stream is cut, and into how many pieces at most. */
const SPLITS = 12
const PIECES_MAX = 40
/** What each provider is known by at least. */
const ANSWERS_MIN = 3
const ERRORS_MIN = 2
/** Fewer characters name no place. */
const SOURCE_LENGTH_MIN = 10

const whole = (file: string): boolean => file.endsWith('.json')

/** What a recording contains, by each of its files. */
function tellings(provider: string, { files, choices = 1 }: AnswerRecording): unknown[] {
  const row = knownProvider(provider)
  if (!row) throw new Error(`no provider ${provider}`)
  return files.map((file) => {
    try {
      const bytes = bytesOf(row, file)
      return toldBy(
        whole(file) ? readWhole(row, bytes, choices) : collected(readEvents(row, [bytes], choices)),
      )
    } catch (error) {
      if (error instanceof UpstreamError) return { fails: error.failure.kind }
      throw error
    }
  })
}

/** The message of a recording's first choice, by each of its files; of those that fail nothing. */
function messages(provider: string, { files, choices = 1 }: AnswerRecording): unknown[] {
  const row = knownProvider(provider)
  if (!row) throw new Error(`no provider ${provider}`)
  return files.map((file) => {
    try {
      const bytes = bytesOf(row, file)
      const read = whole(file) ? readWhole(row, bytes, choices) : collected(readEvents(row, [bytes], choices))
      return comparable(read.choices[0]?.message)
    } catch (error) {
      if (error instanceof UpstreamError) return undefined
      throw error
    }
  })
}

/** Without ids, which two answers do not share, and without what is nothing but emptiness. */
function comparable(message: AssistantMessage | undefined): unknown {
  if (!message) return undefined
  const {
    content,
    annotations = [],
    tool_calls: calls = [],
    reasoning_details: details = [],
    ...rest
  } = message
  return {
    ...rest,
    content: content === '' ? null : content,
    annotations,
    calls: calls.map(({ id: _id, ...call }) => call),
    details: details.map(({ id: _id, ...detail }) => detail),
  }
}

describe.each([...RECORDINGS])('what $provider sends', ({ provider, answers, errors }) => {
  test.each([...answers])('$shape is read as what it says, in each form', (recording) => {
    for (const told of tellings(provider, recording)) expect(told).toEqual(recording.tells)
  })

  const pairs = answers.filter(({ files }) => files.some(whole) && !files.every(whole))
  test.each(pairs)('$shape: the message is the same whole and gathered from a stream', (recording) => {
    const [first, ...others] = messages(provider, recording)
    for (const message of others) expect(message).toEqual(first)
  })

  const streams = answers.flatMap(({ files, choices = 1 }) =>
    files.filter((file) => !whole(file)).map((file): [string, number] => [file, choices]),
  )
  test.each(streams)('%s says the same however its bytes are cut', (file, choices) => {
    const row = knownProvider(provider)
    if (!row) throw new Error(`no provider ${provider}`)
    const bytes = bytesOf(row, file)
    const events = readEvents(row, [bytes], choices)
    const random = createSeededRandom(`${provider} ${file}`)
    const single = Array.from({ length: bytes.length }, (_, at) => at)
    const cuts = Array.from({ length: SPLITS }, () =>
      Array.from({ length: random.integer(1, PIECES_MAX) }, () => random.integer(0, bytes.length)),
    )
    for (const places of [single, ...cuts]) {
      expect(readEvents(row, cutBytes(bytes, places), choices)).toEqual(events)
    }
  })

  test.each([...errors])('$status, $shape, is known for what it is', async (recording) => {
    const row = knownProvider(provider)
    if (!row) throw new Error(`no provider ${provider}`)
    const headers = new Map(Object.entries(recording.headers ?? {}))
    const body = new TextDecoder().decode(bytesOf(row, recording.file))
    const answer = { status: recording.status, headers, body }
    const read = clientOf(row).decodeError(answer)
    const { detail: _, status: __, sign: ___, ...failure } = row.quirks.patchFailure?.(answer, read) ?? read
    expect(failure).toEqual(recording.fails as typeof failure)
  })
})

test('each provider is known by several answers and errors, and each recording says where it was seen', () => {
  const recorded = new Set(RECORDINGS.map(({ provider }) => provider))
  const unknown = PROVIDERS.filter(({ id }) => id !== 'demo' && !recorded.has(id))
  expect(unknown.map(({ id }) => `${id}: write test/recorded/${id}.ts and name it in recordings.ts`)).toEqual(
    [],
  )
  const few = RECORDINGS.filter(
    ({ answers, errors }) => answers.length < ANSWERS_MIN || errors.length < ERRORS_MIN,
  )
  expect(
    few.map(({ provider }) => `${provider}: record ${ANSWERS_MIN} answers and ${ERRORS_MIN} errors at least`),
  ).toEqual([])
  const sources = RECORDINGS.flatMap(({ answers, errors }) =>
    [...answers, ...errors].map(({ source }) => source),
  )
  expect(sources.filter((source) => source.length < SOURCE_LENGTH_MIN)).toEqual([])
})
