import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import type { AnswerEvent } from '../../src/core/answer/event.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import { UpstreamError } from '../../src/core/failure.ts'
import type { Json } from '../../src/core/json.ts'
import { responseToEvents } from '../../src/wire/collect.ts'
import type { Frame } from '../../src/core/answer/frame.ts'
import type { EncodeTarget, Envelope, WireFormat } from '../../src/wire/wire.ts'
import { anyJson, mutated } from './chatArbitraries.ts'
import { cutBytes, framesOfBytes } from './streamBytes.ts'
import { collected } from './wireFixtures.ts'
import type { ServerCodec } from './wireServers/serverCodec.ts'

/** What a wire format can express, for its laws. */
export interface CodecArbitraries {
  /** Requests that the format can say in full; streamed ones with `includeUsage`. */
  readonly request: fc.Arbitrary<ChatRequest>
  /** Answers that the format can say in full. */
  readonly response: fc.Arbitrary<WholeAnswer>
  /** What of a request the body alone can tell, where the path or a header tells the rest. Default: all. */
  readonly comparable?: (request: ChatRequest) => unknown
  /** The place requests are encoded for. Default: no quirks. */
  readonly target?: EncodeTarget
  /** Splits the text of `encodeStream` where the format is not framed as SSE. */
  readonly framesOf?: (text: string) => Frame[]
}

const ENVELOPE: Envelope = {
  id: 'chatcmpl-01J00000000000000000000000',
  created: 1_795_000_000,
  model: 'acme/chat-1',
  includeUsage: true,
}

const PLAIN_TARGET: EncodeTarget = {
  upstreamModel: 'upstream-model',
  maxOutputTokens: 1_000_000,
  quirks: {},
  unsupportedFields: [],
  facts: {},
}

const encoder = new TextEncoder()

/**
 * The laws that every wire format keeps; call it once in the format's test file.
 * @param server the provider's side, which each law holds against the format's own
 */
export function describeCodecLaws(
  format: WireFormat,
  server: ServerCodec,
  arbitraries: CodecArbitraries,
): void {
  const { request, response, comparable = (it) => it, target = PLAIN_TARGET } = arbitraries
  const framesOf = arbitraries.framesOf ?? ((text) => framesOfBytes([encoder.encode(text)]))

  function encodeAll(events: readonly AnswerEvent[]): string {
    const encode = server.encodeStream(ENVELOPE)
    return [...events.flatMap((event) => encode.push(event)), ...encode.end()].join('')
  }

  function decodeAll(frames: readonly Frame[], choices?: number): AnswerEvent[] {
    const decode = format.client.decodeStream(choices)
    return [...frames.flatMap((frame) => decode.push(frame)), ...decode.end()]
  }

  describe(`the laws of ${format.id}`, () => {
    test('a request that was encoded decodes to itself', () => {
      fc.assert(
        fc.property(request, (given) => {
          const { body } = format.client.encodeRequest(given, target)
          const decoded = server.decodeRequest(JSON.parse(JSON.stringify(body)) as Json)
          if (!decoded.ok) throw new Error(`refused: ${decoded.refusal.message}`)
          expect(comparable(decoded.request)).toEqual(comparable(given))
        }),
      )
    })

    test('an answer that was encoded decodes to itself', () => {
      fc.assert(
        fc.property(response, (given) => {
          const body = JSON.parse(JSON.stringify(server.encodeResponse(given, ENVELOPE))) as Json
          expect(format.client.decodeResponse(body, given.choices.length)).toEqual(given)
        }),
      )
    })

    test('an answer told as events collects to itself', () => {
      fc.assert(
        fc.property(response, (given) => {
          expect(collected(responseToEvents(given))).toEqual(given)
        }),
      )
    })

    test('a streamed answer collects to the whole answer', () => {
      fc.assert(
        fc.property(response, (given) => {
          const frames = framesOf(encodeAll(responseToEvents(given)))
          expect(collected(decodeAll(frames, given.choices.length))).toEqual(given)
        }),
      )
    })

    test('choices that nobody asked for are neither told nor waited for, whole or streamed', () => {
      fc.assert(
        fc.property(response, fc.nat(), (given, fewer) => {
          const asked = 1 + (fewer % given.choices.length)
          const expected = { ...given, choices: given.choices.slice(0, asked) }
          const body = JSON.parse(JSON.stringify(server.encodeResponse(given, ENVELOPE))) as Json
          expect(format.client.decodeResponse(body, asked)).toEqual(expected)
          const frames = framesOf(encodeAll(responseToEvents(given)))
          expect(collected(decodeAll(frames, asked))).toEqual(expected)
        }),
      )
    })

    test('a stream cut anywhere fails or has told every choice in full', () => {
      fc.assert(
        fc.property(response, fc.nat(), (given, cutAt) => {
          const frames = framesOf(encodeAll(responseToEvents(given)))
          const events = decodeAll(frames.slice(0, cutAt % frames.length), given.choices.length)
          if (events.some((event) => event.type === 'error')) return
          expect(collected(events).choices).toEqual(given.choices)
        }),
      )
    })

    test('a stream that fails anywhere is an error to its reader, and nothing follows', () => {
      fc.assert(
        fc.property(response, fc.nat(), (given, failAt) => {
          const events = responseToEvents(given)
          const failed: AnswerEvent[] = [
            ...events.slice(0, failAt % events.length),
            { type: 'error', failure: { kind: 'server', detail: 'secret words of the provider' } },
          ]
          const text = encodeAll(failed)
          expect(text).not.toContain('secret')
          expect(decodeAll(framesOf(text)).at(-1)?.type).toBe('error')
          expect(encodeAll([...failed, ...events])).toBe(text)
        }),
      )
    })

    if (format.framing === 'sse') {
      test('however the bytes of a stream are cut, the events are the same', () => {
        fc.assert(
          fc.property(response, fc.array(fc.nat(), { maxLength: 12 }), (given, cuts) => {
            const bytes = encoder.encode(encodeAll(responseToEvents(given)))
            expect(decodeAll(framesOfBytes(cutBytes(bytes, cuts)))).toEqual(decodeAll(framesOfBytes([bytes])))
          }),
        )
      })
    }

    test('no request body makes decodeRequest throw, and a refusal is an invalid_request', () => {
      fc.assert(
        fc.property(anyOr(request.map((it) => format.client.encodeRequest(it, target).body)), (body) => {
          const decoded = server.decodeRequest(body)
          if (!decoded.ok) expect(decoded.refusal.code).toBe('invalid_request')
          else JSON.stringify(decoded.request)
        }),
      )
    })

    test('no answer makes decodeResponse throw anything but UpstreamError', () => {
      fc.assert(
        fc.property(anyOr(response.map((it) => server.encodeResponse(it, ENVELOPE))), (body) => {
          try {
            const decoded = format.client.decodeResponse(body)
            encodeAll(responseToEvents(decoded))
          } catch (error) {
            expect(error).toBeInstanceOf(UpstreamError)
          }
        }),
      )
    })

    test('no frame makes decodeStream throw, nor its events whoever reads them', () => {
      const frames = response.chain((given) =>
        fc.tuple(...framesOf(encodeAll(responseToEvents(given))).map(anyFrameLike)),
      )
      fc.assert(
        fc.property(frames, (given) => {
          const events = decodeAll(given)
          const errors = events.filter((event) => event.type === 'error')
          expect(errors.length).toBeLessThanOrEqual(1)
          if (errors.length === 1) expect(events.at(-1)?.type).toBe('error')
          encodeAll(events)
          try {
            collected(events)
          } catch (error) {
            expect(error).toBeInstanceOf(UpstreamError)
          }
        }),
      )
    })

    test('no error answer makes decodeError throw', () => {
      const bodies = fc.oneof(
        fc.string(),
        anyJson.map((it) => JSON.stringify(it)),
        anyJson.map((error) => JSON.stringify({ error })),
      )
      fc.assert(
        fc.property(fc.integer({ min: 200, max: 599 }), bodies, (status, body) => {
          const failure = format.client.decodeError({ status, headers: new Map(), body })
          expect(failure.status).toBe(status)
        }),
      )
    })
  })
}

function anyOr(valid: fc.Arbitrary<Json>): fc.Arbitrary<Json> {
  return fc.oneof({ weight: 1, arbitrary: anyJson }, { weight: 3, arbitrary: valid.chain(mutated) })
}

function anyFrameLike(frame: Frame): fc.Arbitrary<Frame> {
  return fc.oneof(
    { weight: 6, arbitrary: fc.constant(frame) },
    { weight: 2, arbitrary: mutatedFrame(frame) },
    { weight: 1, arbitrary: fc.record({ event: fc.constant(frame.event), data: fc.string() }) },
  )
}

function mutatedFrame({ event, data }: Frame): fc.Arbitrary<Frame> {
  const parsed = data.startsWith('{') ? (JSON.parse(data) as Json) : data
  return mutated(parsed).map((json) => ({ event, data: JSON.stringify(json) }))
}
