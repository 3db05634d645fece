import { describe, expect, test } from 'bun:test'
import { UpstreamError } from '../../src/core/failure.ts'
import type { ReportedUsage } from '../../src/core/usage.ts'
import { laterReport } from '../../src/core/usageReport.ts'
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
/** Above every report. */
const NO_CEILING = { promptTokens: Infinity, completionTokens: Infinity }
/** Fewer characters name no place. */
const SOURCE_LENGTH_MIN = 10

const whole = (file: string): boolean => file.endsWith('.json')

/** What a recording tells, by each of its files. */
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

describe.each([...RECORDINGS])('what $provider sends', ({ provider, answers, errors }) => {
  test.each([...answers])('$shape is read as what it says, in each form', (recording) => {
    for (const told of tellings(provider, recording)) expect(told).toEqual(recording.tells)
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

  test.each(streams)('%s never reports less than before', (file, choices) => {
    const row = knownProvider(provider)
    if (!row) throw new Error(`no provider ${provider}`)
    let claimed: ReportedUsage | undefined
    for (const event of readEvents(row, [bytesOf(row, file)], choices)) {
      if (event.type !== 'usage') continue
      claimed = laterReport(claimed, event.usage, NO_CEILING, true)
      expect(claimed).toBe(event.usage)
    }
  })

  test.each([...errors])('$status, $shape, is known for what it is', async (recording) => {
    const row = knownProvider(provider)
    if (!row) throw new Error(`no provider ${provider}`)
    const headers = new Map(Object.entries(recording.headers ?? {}))
    const body = new TextDecoder().decode(bytesOf(row, recording.file))
    const answer = { status: recording.status, headers, body }
    const read = clientOf(row).decodeError(answer)
    const { detail: _detail, status: _status, ...failure } = row.quirks.patchFailure?.(answer, read) ?? read
    expect(failure).toEqual(recording.fails as typeof failure)
  })
})

test('each provider is known by several answers and errors, and each recording says where it was seen', () => {
  const recorded = new Set(RECORDINGS.map(({ provider }) => provider))
  expect(PROVIDERS.filter(({ id }) => id !== 'demo' && !recorded.has(id)).map(({ id }) => id)).toEqual([])
  const few = RECORDINGS.filter(
    ({ answers, errors }) => answers.length < ANSWERS_MIN || errors.length < ERRORS_MIN,
  )
  expect(few.map(({ provider }) => provider)).toEqual([])
  const sources = RECORDINGS.flatMap(({ answers, errors }) =>
    [...answers, ...errors].map(({ source }) => source),
  )
  expect(sources.filter((source) => source.length < SOURCE_LENGTH_MIN)).toEqual([])
})
