import { readFileSync } from 'node:fs'
import { expect, test } from 'bun:test'
import type { AnswerEvent } from '../../src/core/answer/event.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import { type FailureKind, UpstreamError, type UpstreamFailure } from '../../src/core/failure.ts'
import type { Json } from '../../src/core/json.ts'
import { collectEvents } from '../../src/wire/collect.ts'
import type { OwnFinishWords } from '../../src/wire/finishWords.ts'
import type { Frame } from '../../src/core/answer/frame.ts'
import type { ProviderCodec } from '../../src/wire/wire.ts'
import { cutBytes, framesOfBytes } from './streamBytes.ts'

/** Short enough to cut most events, and some characters, in two. */
const PIECE_BYTES = 7

/** A recorded error answer and what is to be read in it. */
interface ErrorFixture {
  readonly name: string
  readonly status: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body: string
  readonly kind: FailureKind
  readonly sign: NonNullable<UpstreamFailure['sign']>
  readonly code?: string
  readonly param?: string
  readonly limit?: number
  readonly requested?: number
  readonly retryAfterMs?: number
}

/** Reads the fixtures of one wire format: `fixturesIn(import.meta.dir)` in its test. */
export function fixturesIn(folder: string) {
  const text = (name: string): string => readFileSync(`${folder}/__fixtures__/${name}`, 'utf8')
  const json = (name: string): Json => JSON.parse(text(name)) as Json
  const bytes = (name: string): Uint8Array => readFileSync(`${folder}/__fixtures__/${name}`)
  return {
    text,
    json,
    bytes,
    /** The events of a body of Server-Sent Events that arrives in small pieces. */
    frames: (name: string): Frame[] => framesOfBytes(inPieces(bytes(name))),
    errors: () => json('errors.json') as unknown as readonly ErrorFixture[],
  }
}

function inPieces(bytes: Uint8Array): Uint8Array[] {
  const cuts = Array.from({ length: Math.floor(bytes.length / PIECE_BYTES) }, (_, i) => (i + 1) * PIECE_BYTES)
  return cutBytes(bytes, cuts)
}

/** All events of a whole stream. */
export function eventsOf(
  client: ProviderCodec,
  frames: readonly Frame[],
  choices?: number,
  own?: OwnFinishWords,
  completionId?: string,
): AnswerEvent[] {
  const decode = client.decodeStream(choices, own, completionId)
  return [...frames.flatMap((frame) => decode.push(frame)), ...decode.end()]
}

/** The answer that a stream tells; throws where it failed. */
export function collected(events: readonly AnswerEvent[]): WholeAnswer {
  const collector = collectEvents()
  for (const event of events) collector.push(event)
  return collector.response()
}

/** How a stream failed; undefined when it did not. */
export function failureIn(events: readonly AnswerEvent[]): UpstreamFailure | undefined {
  const last = events.at(-1)
  return last?.type === 'error' ? last.failure : undefined
}

/** How an answer failed to be one. */
export function failureOf(decode: () => unknown): UpstreamFailure | undefined {
  try {
    decode()
  } catch (error) {
    if (error instanceof UpstreamError) return error.failure
    throw error
  }
  return undefined
}

/** One test for each recorded error answer. */
export function testErrorFixtures(client: ProviderCodec, errors: readonly ErrorFixture[]): void {
  for (const { name, headers = {}, body, ...read } of errors) {
    test(`reads ${name} (${read.status}) as ${read.kind}`, () => {
      const { status } = read
      const failure = client.decodeError({ status, headers: new Map(Object.entries(headers)), body })
      expect(failure).toEqual({ ...read, detail: body })
    })
  }
}
