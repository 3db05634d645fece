import type { AnswerEvent } from '../../src/core/answer/event.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import { ERRORS, type Refusal } from '../../src/core/error.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { responseToEvents } from '../../src/wire/collect.ts'
import type { WireFormatId } from '../../src/wire/formats.ts'
import type { Envelope, WireFormat } from '../../src/wire/wire.ts'
import { CONTENT_TYPES } from './wireServers/serverCodec.ts'
import { WIRE_SERVERS } from './wireServers/wireServers.ts'

/** What the server answers: a whole answer (told as a stream to who asks for one), events, or a refusal. */
export type CodecAnswer = WholeAnswer | readonly AnswerEvent[] | Refusal

export interface CodecServer extends AsyncDisposable {
  readonly url: string
  /** What it says from now on. */
  answer: CodecAnswer
  /** The bodies that came, oldest first. */
  readonly bodies: readonly JsonObject[]
  /** The requests that were understood, oldest first. */
  readonly requests: readonly ChatRequest[]
}

/** An answer whose provider was lost in the middle. */
export const CUT_ANSWER: readonly AnswerEvent[] = [
  { type: 'start' },
  { type: 'delta', index: 0, delta: { content: 'Hel' } },
]

/** An answer whose provider failed in the middle, in words that no caller may read. */
export const FAILED_ANSWER: readonly AnswerEvent[] = [
  ...CUT_ANSWER,
  { type: 'error', failure: { kind: 'overloaded', detail: 'secret' } },
]

const ENVELOPE: Envelope = {
  id: 'msg_01J00000000000000000000000',
  created: 1_795_000_000,
  model: 'acme/chat-1',
  includeUsage: true,
}

/**
 * A provider that speaks a wire format, for the official client of that format.
 * @param fromPath what the path says of the request, where the body does not
 */
export function serveCodec(
  format: WireFormat<WireFormatId>,
  answer: CodecAnswer = [],
  fromPath: (path: string) => object | undefined = () => undefined,
): CodecServer {
  const codec = WIRE_SERVERS[format.id]
  const bodies: JsonObject[] = []
  const requests: ChatRequest[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(call) {
      const body = (await call.json()) as JsonObject
      bodies.push(body)
      const decoded = codec.decodeRequest({ ...body, ...fromPath(new URL(call.url).pathname) })
      if (!decoded.ok) return refusal(decoded.refusal)
      requests.push(decoded.request)
      return respond(decoded.request, codecServer.answer)
    },
  })

  function respond(request: ChatRequest, answer: CodecAnswer): Response {
    if ('code' in answer) return refusal(answer)
    if ('choices' in answer && !request.stream) return Response.json(codec.encodeResponse(answer, ENVELOPE))
    const encode = codec.encodeStream(ENVELOPE)
    const events = 'choices' in answer ? responseToEvents(answer) : answer
    const chunks = [...events.flatMap((event) => encode.push(event)), ...encode.end()]
    return new Response(
      new Blob(chunks.map((chunk) => (typeof chunk === 'string' ? chunk : Uint8Array.from(chunk)))),
      { headers: { 'content-type': CONTENT_TYPES[format.framing] } },
    )
  }

  function refusal(refusal: Refusal): Response {
    return Response.json(codec.encodeError(refusal, 'req_1'), { status: ERRORS[refusal.code].status })
  }

  const codecServer: CodecServer = {
    url: `http://127.0.0.1:${server.port}`,
    answer,
    bodies,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
  return codecServer
}

/** What a call of a client was rejected with; undefined when it was not. */
export async function rejectionOf(promise: Promise<unknown>): Promise<unknown> {
  try {
    await promise
    return undefined
  } catch (error) {
    return error
  }
}
