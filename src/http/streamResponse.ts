import type { StreamedBody } from '../pipeline/reply.ts'

/** Proxies must neither buffer nor compress an event stream. */
const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * Answers with a stream that has begun.
 *
 * @param onEnd called just before the last byte's end is told
 */
export function streamResponse(
  body: StreamedBody,
  headers: Record<string, string>,
  onEnd: () => void,
): Response {
  // Bun's direct stream: a write goes to the socket in the same turn, without a promise per chunk.
  const stream = new ReadableStream<string>({
    type: 'direct',
    pull: (controller: ReadableStreamDirectController) =>
      body.start({
        write(text) {
          const written = controller.write(text)
          void controller.flush()
          return typeof written === 'number' ? undefined : written
        },
        end() {
          onEnd()
          controller.close()
        },
      }),
    cancel: () => body.leave(),
  })
  return new Response(stream, { headers: Object.assign(headers, STREAM_HEADERS) })
}
