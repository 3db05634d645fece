import { readRequestPath } from '../../src/wire/bedrock-converse/path.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { ChatEvent } from '../../src/core/chat/event.ts'
import type { ChatResponse } from '../../src/core/chat/response.ts'
import { ERRORS, type Refusal } from '../../src/core/error.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { responseToEvents } from '../../src/wire/collect.ts'
import type { AnyWireFormat } from '../../src/wire/wire.ts'

/** What the server is to say next. */
export type Answer =
  | { readonly kind: 'response'; readonly response: ChatResponse }
  | { readonly kind: 'events'; readonly events: readonly ChatEvent[] }
  | { readonly kind: 'refusal'; readonly refusal: Refusal }

/** A server made of nothing but a wire format's own codec. */
export interface WireTestServer {
  readonly url: string
  answer: Answer
  /** What came last: as it came, and as the codec read it. */
  last: { body: JsonObject; request: ChatRequest | undefined }
  stop(): Promise<void>
}

export function startWireServer(format: AnyWireFormat): WireTestServer {
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    async fetch(request) {
      const sent = (await request.json()) as JsonObject
      const body = { ...sent, ...readRequestPath(new URL(request.url).pathname) }
      const decoded = format.server.decodeRequest(body)
      state.last = { body: sent, request: decoded.ok ? decoded.request : undefined }
      if (!decoded.ok) return refuse(decoded.refusal)
      const { answer } = state
      if (answer.kind === 'refusal') return refuse(answer.refusal)
      const envelope = {
        id: 'chatcmpl-1',
        created: 1_795_000_000,
        model: decoded.request.model,
        includeUsage: true,
      }
      if (!decoded.request.stream && answer.kind === 'response') {
        return Response.json(format.server.encodeResponse(answer.response, envelope))
      }
      const events = answer.kind === 'response' ? responseToEvents(answer.response) : answer.events
      const encode = format.server.encodeStream(envelope)
      const chunks = [...events.flatMap((event) => encode.push(event)), ...encode.end()]
      return new Response(
        new Blob(chunks.map((chunk) => (typeof chunk === 'string' ? chunk : Uint8Array.from(chunk)))),
        {
          headers: {
            'content-type':
              format.client.framing === 'sse' ? 'text/event-stream' : 'application/vnd.amazon.eventstream',
          },
        },
      )
    },
  })
  const state: WireTestServer = {
    url: `http://127.0.0.1:${server.port}`,
    answer: { kind: 'events', events: [] },
    last: { body: {}, request: undefined },
    stop: () => server.stop(true),
  }
  return state

  function refuse(refusal: Refusal): Response {
    return Response.json(format.server.encodeError(refusal), { status: ERRORS[refusal.code].status })
  }
}

/** The body in the names of a generated client: `max_tokens` → `maxTokens`, except inside what callers name themselves. */
export function inCamelCase(value: unknown, opaque: ReadonlySet<string>): unknown {
  if (Array.isArray(value)) return value.map((item) => inCamelCase(item, opaque))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, field]) => [
      name.replaceAll(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      opaque.has(name) ? field : inCamelCase(field, opaque),
    ]),
  )
}
