import { UpstreamError } from '../core/failure.ts'
import { CallAborted, type BodySink, type HttpRequest, type HttpResponse } from '../upstream/http.ts'

/** An answer whose body is pushed as the generator gives it, honouring pause, abort and signal. */
export function demoResponse(
  request: HttpRequest,
  status: number,
  contentType: string,
  body: () => AsyncGenerator<string>,
): HttpResponse {
  const encoder = new TextEncoder()
  let aborted = false
  let seen = false
  let wake: (() => void) | undefined
  let paused: Promise<void> | undefined

  async function pump(sink: BodySink): Promise<void> {
    for await (const text of body()) {
      if (paused) await paused
      if (aborted) return
      if (!seen && request.signal?.aborted) return sink.fail(new CallAborted())
      if (text !== '') sink.data(encoder.encode(text))
      // The sink itself may have aborted.
      if (aborted) return
    }
    if (!aborted) sink.end()
  }

  function resume(): void {
    wake?.()
    wake = paused = undefined
  }

  return {
    status,
    headers: new Map([['content-type', contentType]]),
    consume(sink) {
      pump(sink).catch((cause: unknown) => {
        sink.fail(new UpstreamError({ kind: 'server', detail: 'the demo failed' }, { cause }))
      })
    },
    pause() {
      paused ??= new Promise((resolve) => (wake = resolve))
    },
    resume,
    firstEventSeen() {
      seen = true
    },
    spoken() {},
    abort() {
      aborted = true
      resume()
    },
  }
}
