import type { AnswerEvent, Delta } from '../../src/core/answer/event.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import { ERRORS } from '../../src/core/error.ts'
import { type Json, isJsonObject } from '../../src/core/json.ts'
import { responseToEvents } from '../../src/wire/collect.ts'
import { WIRE_FORMATS, type WireFormatId } from '../../src/wire/formats.ts'
import { readText } from '../../src/wire/read.ts'
import type { Envelope } from '../../src/wire/wire.ts'
import { CONTENT_TYPES } from '../support/wireServers/serverCodec.ts'
import { WIRE_SERVERS } from '../support/wireServers/wireServers.ts'
import { SPOKEN_BY } from './spokenBy.ts'

/** A provider on a real socket, that speaks a wire format. */
export interface CodecProvider extends AsyncDisposable {
  readonly url: string
  /** From now on it answers this, and has received nothing. */
  script(answer: WholeAnswer): void
  /** The requests since then, as the format's own codec read them. */
  readonly received: readonly ChatRequest[]
}

/** Characters of one piece of a streamed text. */
const PIECE_LENGTH = 8

export function startCodecProvider(id: WireFormatId): CodecProvider {
  const { framing } = WIRE_FORMATS[id]
  const codec = WIRE_SERVERS[id]
  let answer: WholeAnswer | undefined
  const received: ChatRequest[] = []

  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(call) {
      const body = (await call.json()) as Json
      const { pathname } = new URL(call.url)
      const said = SPOKEN_BY[id].fromPath(pathname)
      if (said === undefined || !isJsonObject(body))
        return new Response(`no call of ${id}: ${pathname}`, { status: 404 })
      const decoded = codec.decodeRequest({ ...body, ...said })
      if (!decoded.ok) {
        const { status } = ERRORS[decoded.refusal.code]
        return Response.json(codec.encodeError(decoded.refusal, 'req_1'), { status })
      }
      received.push(decoded.request)
      return respond(decoded.request, shareOf(answer, decoded.request, received.length - 1))
    },
  })

  function respond(request: ChatRequest, response: WholeAnswer): Response {
    const envelope: Envelope = {
      id: 'msg_01J00000000000000000000000',
      created: 1_795_000_000,
      model: request.model,
      includeUsage: true,
    }
    if (!request.stream) return Response.json(codec.encodeResponse(response, envelope))
    const encode = codec.encodeStream(envelope)
    const chunks = [...inPieces(response).flatMap((event) => encode.push(event)), ...encode.end()]
    return new Response(
      new Blob(chunks.map((chunk) => (typeof chunk === 'string' ? chunk : Uint8Array.from(chunk)))),
      { headers: { 'content-type': CONTENT_TYPES[framing] } },
    )
  }

  return {
    url: `http://127.0.0.1:${server.port}/v1`,
    received,
    script(next) {
      answer = next
      received.length = 0
    },
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}

/** Of several choices a request for one gets the next, with its share of what all of them used. */
function shareOf(answer: WholeAnswer | undefined, request: ChatRequest, ordinal: number): WholeAnswer {
  if (answer === undefined) throw new Error('a call came before its script')
  if (request.n === answer.choices.length) return answer
  const { choices, usage, extra } = answer
  const choice = choices[ordinal % choices.length]
  if (choice === undefined || usage === undefined) return answer
  return {
    choices: [{ ...choice, index: 0 }],
    usage: { ...usage, completionTokens: usage.completionTokens / choices.length },
    extra,
  }
}

/** The answer as a model writes it: a few characters at a time, log probabilities token by token. */
function inPieces(response: WholeAnswer): AnswerEvent[] {
  return responseToEvents(response).flatMap((event): AnswerEvent[] => {
    if (event.type !== 'delta') return [event]
    const { index } = event
    const entries = response.choices[index]?.logprobs?.['content']
    if (!Array.isArray(entries))
      return deltasOf(event.delta).map((delta) => ({ type: 'delta', index, delta }))
    if (event.logprobs === undefined) return []
    return entries.filter(isJsonObject).map((entry) => ({
      type: 'delta',
      index,
      delta: { content: readText(entry['token']) ?? '' },
      logprobs: { content: [entry], refusal: null },
    }))
  })
}

function deltasOf(delta: Delta): Delta[] {
  const { content, reasoning_content: thought, tool_calls: calls, ...rest } = delta
  return [
    ...piecesOf(thought ?? '').map((piece) => ({ reasoning_content: piece })),
    ...piecesOf(content ?? '').map((piece) => ({ content: piece })),
    ...(Object.keys(rest).length > 0 ? [rest] : []),
    ...(calls ?? []).flatMap(({ function: called, ...call }) => [
      { tool_calls: [{ ...call, function: { name: called?.name ?? '', arguments: '' } }] },
      ...piecesOf(called?.arguments ?? '').map((piece) => ({
        tool_calls: [{ index: call.index, function: { arguments: piece } }],
      })),
    ]),
  ]
}

/** Cut between characters, never inside one. */
function piecesOf(text: string): string[] {
  const characters = Array.from(text)
  const pieces: string[] = []
  for (let at = 0; at < characters.length; at += PIECE_LENGTH)
    pieces.push(characters.slice(at, at + PIECE_LENGTH).join(''))
  return pieces
}
