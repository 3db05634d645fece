import type { ChatEvent } from '../../src/core/chat/event.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { ChatResponse } from '../../src/core/chat/response.ts'
import { ERRORS, type Refusal } from '../../src/core/error.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { responseToEvents } from '../../src/wire/collect.ts'
import type { Envelope, WireFormat } from '../../src/wire/wire.ts'

/** What the server answers: a whole answer (told as a stream to who asks for one), events, or a refusal. */
export type CodecAnswer = ChatResponse | readonly ChatEvent[] | Refusal

export interface CodecServer extends AsyncDisposable {
  readonly url: string
  /** The requests that were understood, oldest first. */
  readonly requests: readonly ChatRequest[]
}

const ENVELOPE: Envelope = {
  id: 'msg_01J00000000000000000000000',
  created: 1_795_000_000,
  model: 'acme/chat-1',
  includeUsage: true,
}

/**
 * A provider made of a wire format's `server` half alone, for the official client of that format.
 * @param fromPath what the path says of the request, where the body does not
 */
export function serveCodec(
  format: WireFormat,
  answer: (request: ChatRequest) => CodecAnswer,
  fromPath: (path: string) => JsonObject = () => ({}),
): CodecServer {
  const requests: ChatRequest[] = []
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(call) {
      const body = (await call.json()) as JsonObject
      const decoded = format.server.decodeRequest({ ...body, ...fromPath(new URL(call.url).pathname) })
      if (!decoded.ok) return refusal(decoded.refusal)
      requests.push(decoded.request)
      return respond(decoded.request, answer(decoded.request))
    },
  })

  function respond(request: ChatRequest, answer: CodecAnswer): Response {
    if ('code' in answer) return refusal(answer)
    if ('choices' in answer && !request.stream)
      return Response.json(format.server.encodeResponse(answer, ENVELOPE))
    const encode = format.server.encodeStream(ENVELOPE)
    const events = 'choices' in answer ? responseToEvents(answer) : answer
    const text = [...events.flatMap((event) => encode.push(event)), ...encode.end()].join('')
    return new Response(text, { headers: { 'content-type': 'text/event-stream' } })
  }

  function refusal(refusal: Refusal): Response {
    return Response.json(format.server.encodeError(refusal), { status: ERRORS[refusal.code].status })
  }

  return {
    url: `http://127.0.0.1:${server.port}`,
    requests,
    [Symbol.asyncDispose]: () => server.stop(true),
  }
}
