import type { StreamedBody } from '../pipeline/reply.ts'

/** Proxies must neither buffer nor compress an event stream. */
export const STREAM_HEADERS = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache, no-transform',
  'x-accel-buffering': 'no',
}

/**
 * Answers with a stream that has begun.
 *
 * @param onOver called once when the stream is over: before its end is written, or when its caller has gone
 */
export function streamResponse(
  body: StreamedBody,
  headers: Record<string, string>,
  onOver: () => void,
): Response {
  let over = false

  function end(): void {
    if (!over) onOver()
    over = true
  }

  // Bun's direct stream: a write goes to the socket in the same turn, without a promise per chunk.
  const stream = new ReadableStream<string>({
    type: 'direct',
    async pull(controller: ReadableStreamDirectController) {
      try {
        await body.start({
          write(text) {
            const written = controller.write(text)
            void controller.flush()
            return typeof written === 'number' ? undefined : written
          },
          end() {
            end()
            controller.close()
          },
        })
        // Given up without an end, as with a caller that does not read: its connection is reset, so that
        // what it may still read does not look whole.
        if (!over) {
          // First, so that the connection is closed as one that rests, should the runtime not reset it.
          end()
          controller.close(new Error('the stream was given up'))
        }
      } finally {
        end()
      }
    },
    cancel() {
      end()
      body.leave()
    },
  })
  return new Response(stream, { headers: Object.assign(headers, STREAM_HEADERS) })
}
