import { readFileSync } from 'node:fs'
import { EventStreamCodec } from '@smithy/eventstream-codec'
import type { AnswerEvent } from '../../src/core/answer/event.ts'
import type { ToolCall } from '../../src/core/chat/request.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import { type Json, type JsonObject, parseJson } from '../../src/core/json.ts'
import type { Provider } from '../../src/providers/provider.ts'
import { normaliseEvents, normaliseResponse } from '../../src/upstream/normalise.ts'
import type { Route } from '../../src/upstream/route.ts'
import { collectEvents } from '../../src/wire/collect.ts'
import { WIRE_FORMATS } from '../../src/wire/formats.ts'
import { splitFrames } from '../../src/wire/framing.ts'
import type { ProviderCodec } from '../../src/wire/wire.ts'
import type { Told } from './recording.ts'

export function bytesOf(provider: Provider, file: string): Uint8Array {
  const bytes = readFileSync(new URL(`${provider.id}/${file}`, import.meta.url))
  return file.endsWith('.jsonl') ? framedByAws(bytes.toString()) : bytes
}

const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text)
const codec = new EventStreamCodec((bytes) => new TextDecoder().decode(bytes as Uint8Array), utf8)

function framedByAws(lines: string): Uint8Array {
  const frames = lines
    .trim()
    .split('\n')
    .map((line) => {
      const [event = '', payload] = Object.entries(JSON.parse(line) as JsonObject)[0] ?? []
      const type = event.endsWith('Exception') ? 'exception' : 'event'
      const headers = {
        [`:${type}-type`]: { type: 'string' as const, value: event },
        ':content-type': { type: 'string' as const, value: 'application/json' },
        ':message-type': { type: 'string' as const, value: type },
      }
      return codec.encode({ headers, body: utf8(JSON.stringify(payload)) })
    })
  return Buffer.concat(frames)
}

export function clientOf({ wire }: Provider): ProviderCodec {
  return WIRE_FORMATS[wire].client
}

/** What of a route reading an answer needs. */
function routeOf(provider: Provider): Route {
  return { provider: { provider }, quirks: provider.quirks } as Route
}

/** Reads a whole answer as a call does. Throws `UpstreamError`. */
export function readWhole(provider: Provider, bytes: Uint8Array, choices: number): WholeAnswer {
  const json = parseJson(new TextDecoder().decode(bytes)) as Json
  const route = routeOf(provider)
  return normaliseResponse(clientOf(provider).decodeResponse(json, choices), route)
}

/** Reads a streamed answer as a call does, in the pieces that come. */
export function readEvents(
  provider: Provider,
  pieces: readonly Uint8Array[],
  choices: number,
): AnswerEvent[] {
  const client = clientOf(provider)
  const route = routeOf(provider)
  const split = splitFrames(WIRE_FORMATS[provider.wire].framing)
  const decode = client.decodeStream(choices)
  const frames = [...pieces.flatMap((piece) => split.push(piece)), ...split.end()]
  const events = frames.flatMap((frame) => decode.push(frame))
  return normaliseEvents([...events, ...decode.end()], route)
}

/** The answer that the events contain. Throws `UpstreamError` where they fail. */
export function collected(events: readonly AnswerEvent[]): WholeAnswer {
  const collector = collectEvents()
  for (const event of events) collector.push(event)
  return collector.response()
}

/** What the first choice says, without ids and what else differs from one answer to the next. */
export function toldBy({ choices, usage }: WholeAnswer): Told {
  const [choice] = choices
  if (!choice) throw new Error('no choice')
  const { message, finishReason } = choice
  const { content, reasoning_content: reasoning, refusal, tool_calls: calls, images, annotations } = message
  const legacy = message['function_call'] as { name: string; arguments: string } | undefined
  return {
    ...(content && { text: content }),
    ...(reasoning && { reasoning }),
    ...(refusal && { refusal }),
    ...(calls && { calls: calls.map(callOf) }),
    ...(legacy && { calls: [[legacy.name, legacy.arguments]] }),
    ...(images && { images: images.length }),
    ...(annotations && annotations.length > 0 && { citations: annotations.length }),
    finish: finishReason,
    ...(usage && { usage: withoutNoughts(usage) }),
  }
}

function callOf(call: ToolCall): [string, string] {
  const custom = call['custom'] as { name: string; input: string } | undefined
  return custom ? [custom.name, custom.input] : [call.function.name, call.function.arguments]
}

/** Only what was used. */
function withoutNoughts(usage: object): object {
  return Object.fromEntries(Object.entries(usage).filter(([, count]) => count !== 0 && count !== undefined))
}
