import type { AnswerEvent } from '../../src/core/answer/event.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import type { Json } from '../../src/core/json.ts'
import { WIRE_FORMATS, type WireFormatId } from '../../src/wire/formats.ts'
import { anthropicMessages } from '../../src/wire/anthropic-messages/anthropicMessages.ts'
import { openAiChat } from '../../src/wire/openai-chat/openAiChat.ts'
import { openAiResponses } from '../../src/wire/openai-responses/openAiResponses.ts'
import { WIRE_SERVERS } from '../../test/support/wireServers/wireServers.ts'
import type { Frame } from '../../src/core/answer/frame.ts'
import { splitFrames } from '../../src/wire/framing.ts'
import type { CallerFormat, EncodeTarget, Envelope } from '../../src/wire/wire.ts'
import { WHOLE_ANSWER, callEvents, textEvents, thoughtEvents } from './samples.ts'

/** What a codec does between two sockets; the work that the gateway does for it, and nothing else. */
export interface Lane {
  readonly format: WireFormatId
  /** What of a text stream the provider sends, one piece of the socket at a time. */
  readonly text: readonly Uint8Array[]
  readonly thoughts: readonly Uint8Array[]
  readonly calls: readonly Uint8Array[]
  /** The body of a whole answer. */
  readonly answer: string
}

/** Formats that callers speak. */
export const CALLERS = {
  chat: openAiChat,
  messages: anthropicMessages,
  responses: openAiResponses,
} as const satisfies Record<string, CallerFormat>

export type Caller = keyof typeof CALLERS

const ENVELOPE: Envelope = {
  id: 'chatcmpl-01J00000000000000000000000',
  created: 1_795_000_000,
  model: 'acme/chat-1',
  includeUsage: true,
}

const TARGET: EncodeTarget = {
  upstreamModel: 'claude-sonnet-4-6',
  maxOutputTokens: 8192,
  quirks: {},
  unsupportedFields: [],
  facts: { reasoning: { kind: 'adaptive' } },
}

const encoder = new TextEncoder()

export function laneOf(format: WireFormatId): Lane {
  return {
    format,
    text: bytesOf(format, textEvents()),
    thoughts: bytesOf(format, thoughtEvents()),
    calls: bytesOf(format, callEvents()),
    answer: JSON.stringify(WIRE_SERVERS[format].encodeResponse(WHOLE_ANSWER, ENVELOPE)),
  }
}

/** Bytes of the provider → events → what the caller reads. */
export function relayStream(
  format: WireFormatId,
  pieces: readonly Uint8Array[],
  caller: Caller = 'chat',
): string {
  const { client, framing, native } = WIRE_FORMATS[format]
  const { id, server } = CALLERS[caller]
  const frames = splitFrames(framing)
  const decode = (id === format && native?.answers ? native.answers : client).decodeStream(1)
  const encode = server.encodeStream(ENVELOPE)
  let text = ''
  const take = (frame: Frame): void => {
    for (const event of decode.push(frame)) for (const chunk of encode.push(event)) text += chunk
  }
  for (const piece of pieces) for (const frame of frames.push(piece)) take(frame)
  for (const frame of frames.end()) take(frame)
  for (const event of decode.end()) for (const chunk of encode.push(event)) text += chunk
  return text + encode.end().join('')
}

/** The caller's body → what is sent to the provider. */
export function translateRequest(format: WireFormatId, body: string): string {
  const decoded = openAiChat.server.decodeRequest(JSON.parse(body) as Json)
  if (!decoded.ok) throw new Error(decoded.refusal.message)
  const request: ChatRequest = decoded.request
  return JSON.stringify(WIRE_FORMATS[format].client.encodeRequest(request, TARGET).body)
}

/** A whole answer of the provider → the caller's. */
export function translateAnswer(format: WireFormatId, body: string): string {
  const response: WholeAnswer = WIRE_FORMATS[format].client.decodeResponse(JSON.parse(body) as Json, 1)
  return JSON.stringify(openAiChat.server.encodeResponse(response, ENVELOPE))
}

function bytesOf(format: WireFormatId, events: readonly AnswerEvent[]): Uint8Array[] {
  const encode = WIRE_SERVERS[format].encodeStream(ENVELOPE)
  const chunks = [...events.flatMap((event) => encode.push(event)), ...encode.end()]
  return chunks.map((chunk, i) => {
    if (typeof chunk !== 'string') return chunk
    return encoder.encode(format === 'google-generate' ? withRunningUsage(chunk, i) : chunk)
  })
}

/** Gemini reports its counts so far with every chunk. */
function withRunningUsage(chunk: string, tokens: number): string {
  if (chunk.includes('"usageMetadata"')) return chunk
  const usage = {
    promptTokenCount: 900,
    candidatesTokenCount: tokens,
    totalTokenCount: 900 + tokens,
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: 900 }],
  }
  return chunk.replace(/\}\n\n$/, `,"usageMetadata":${JSON.stringify(usage)}}\n\n`)
}
