import { UpstreamError } from '../../core/failure.ts'
import type { HttpResponse } from '../http.ts'

/** Blank lines before a body are a provider's way to say that it still works: no event yet. */
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d])

/**
 * Takes the whole body. Its first byte that is not blank counts as the first event.
 *
 * @param limitBytes a longer body ends the call with `invalid_answer`
 * @throws UpstreamError also when the body was cut or timed out
 */
export function collectBody(response: HttpResponse, limitBytes: number): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const parts: Uint8Array[] = []
    let length = 0
    let begun = false
    response.consume({
      data(bytes) {
        length += bytes.length
        if (length > limitBytes) {
          response.abort()
          reject(
            new UpstreamError({
              kind: 'invalid_answer',
              status: response.status,
              detail: `a body of more than ${limitBytes} bytes`,
            }),
          )
          return
        }
        parts.push(bytes)
        if (begun || bytes.every((byte) => BLANKS.has(byte))) return
        begun = true
        response.firstEventSeen()
      },
      end: () => resolve(joined(parts, length)),
      fail: reject,
    })
  })
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const [only] = parts
  if (parts.length === 1 && only) return only
  const whole = new Uint8Array(length)
  let at = 0
  for (const part of parts) {
    whole.set(part, at)
    at += part.length
  }
  return whole
}
