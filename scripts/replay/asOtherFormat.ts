import type { WholeAnswer } from '../../src/core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { collectEvents, responseToEvents } from '../../src/wire/collect.ts'
import { WIRE_FORMATS, type WireFormatId } from '../../src/wire/formats.ts'
import { SPOKEN_BY } from '../../test/conversations/spokenBy.ts'
import { CONTENT_TYPES } from '../../test/support/wireServers/serverCodec.ts'
import { WIRE_SERVERS } from '../../test/support/wireServers/wireServers.ts'
import type { RecordedCall } from './recordedCall.ts'

const ENVELOPE = { id: 'msg_01J00000000000000000000000', created: 1_795_000_000, includeUsage: true }

/** A recorded answer as a provider of another format says it, whole or streamed as it is asked. */
export function answerIn(
  format: WireFormatId,
  call: RecordedCall,
  request: { readonly path: string; readonly body: JsonObject },
): Response {
  const codec = WIRE_SERVERS[format]
  const said = SPOKEN_BY[format].fromPath(request.path)
  const decoded = codec.decodeRequest({ ...request.body, ...said })
  if (!decoded.ok) return Response.json(codec.encodeError(decoded.refusal, 'req_1'), { status: 400 })
  const answer = readAnswer(call)
  const envelope = { ...ENVELOPE, model: decoded.request.model }
  if (!decoded.request.stream) return Response.json(codec.encodeResponse(answer, envelope))
  const encode = codec.encodeStream(envelope)
  const chunks = [...responseToEvents(answer).flatMap((event) => encode.push(event)), ...encode.end()]
  const bytes = chunks.map((chunk) => (typeof chunk === 'string' ? chunk : Uint8Array.from(chunk)))
  return new Response(new Blob(bytes), {
    headers: { 'content-type': CONTENT_TYPES[WIRE_FORMATS[format].framing] },
  })
}

/** What the gateway reads in a recorded answer. */
function readAnswer({ format, answer }: RecordedCall): WholeAnswer {
  const { client } = WIRE_FORMATS[format]
  if (answer.kind === 'whole') return client.decodeResponse(answer.body)
  const decoder = client.decodeStream()
  const collected = collectEvents()
  for (const event of answer.events) {
    if (!('data' in event)) continue
    const data = typeof event.data === 'string' ? event.data : JSON.stringify(event.data)
    for (const read of decoder.push({ event: event.event, data })) collected.push(read)
  }
  for (const read of decoder.end()) collected.push(read)
  return collected.response()
}

/** A provider that speaks the format, in the words of the configuration. */
export function providerIn(format: WireFormatId, baseUrl: string): Record<string, unknown> {
  return {
    wire: format,
    base_url: baseUrl,
    api_key: 'replay-secret',
    ...(format === 'bedrock-converse' && { auth: 'bearer' }),
  }
}

/** Names of a response header that has a list of them. */
export function namesIn(header: string | null): readonly string[] {
  return header === null ? [] : header.split(', ')
}
