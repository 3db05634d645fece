import { expectValidAnswer } from './validAnswer.ts'

/** `fetch` for a gateway: what it answers must be valid by its OpenAPI document. */
export async function checkedFetch(input: string | URL | Request, init: RequestInit = {}): Promise<Response> {
  const { url, method } = input instanceof Request ? input : { url: input, method: 'GET' }
  return checkedAnswer(init.method ?? method, new URL(url).pathname, await fetch(input, init))
}

/**
 * The same answer, checked: a whole JSON body immediately, also where a test looks at the status alone, and a stream
 * while it is read, as far as it is read.
 */
export async function checkedAnswer(method: string, path: string, response: Response): Promise<Response> {
  const { status, headers } = response
  const contentType = headers.get('content-type')
  const check = (body: string): Promise<void> =>
    expectValidAnswer({ method, path, status, contentType, body })
  const { body } = response
  if (method !== 'HEAD' && body !== null) {
    if (contentType?.startsWith('text/event-stream') === true)
      return withUrl(new Response(checkedStream(body, check), response), response.url)
    if (contentType?.startsWith('application/json') === true) {
      const text = await response.text()
      await check(text)
      return withUrl(new Response(text, response), response.url)
    }
  }
  await check('')
  return response
}

/** Reads no further than it is read itself, and ends as the body does, or with what is wrong about it. */
function checkedStream(
  body: ReadableStream<Uint8Array>,
  check: (text: string) => Promise<void>,
): ReadableStream<Uint8Array> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let text = ''
  return new ReadableStream(
    {
      async pull(controller) {
        const { value, done } = await reader.read()
        text += decoder.decode(value, { stream: !done })
        if (value !== undefined) return controller.enqueue(value)
        await check(text)
        controller.close()
      },
      async cancel(reason) {
        await reader.cancel(reason)
        await check(text)
      },
    },
    { highWaterMark: 0 },
  )
}

function withUrl(response: Response, url: string): Response {
  return Object.defineProperty(response, 'url', { value: url })
}
