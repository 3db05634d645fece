/** What every call asks: about 1 KB of JSON, whatever way it goes. */
const PROMPT = 'Tell me in a few words what a gateway between callers and model providers is good for. '
const BODY_BYTES = 1024

export interface Destination {
  readonly port: number
  /** Sent as a bearer credential. */
  readonly key: string
}

export interface Asked {
  readonly model: string
  readonly stream: boolean
  readonly maxTokens: number
  readonly endpoint: '/v1/chat/completions' | '/v1/messages' | '/v1/responses'
}

/** A whole HTTP request, ready for the socket. */
export function callRequest({ port, key }: Destination, asked: Asked): string {
  const body = bodyOf(asked)
  return (
    `POST ${asked.endpoint} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${key}\r\n` +
    `content-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  )
}

function bodyOf({ model, stream, maxTokens, endpoint }: Asked): string {
  const build = (content: string): string =>
    JSON.stringify({
      model,
      ...conversation(endpoint, content, maxTokens),
      temperature: 0.7,
      ...(stream && { stream: true }),
      ...(stream && endpoint === '/v1/chat/completions' && { stream_options: { include_usage: true } }),
    })
  const missing = BODY_BYTES - build('').length
  return build(PROMPT.repeat(BODY_BYTES / PROMPT.length + 1).slice(0, missing))
}

/** Responses are not kept: that is a trip to the database more. */
function conversation(endpoint: Asked['endpoint'], content: string, limit: number): object {
  const turns = [{ role: 'user', content }]
  return endpoint === '/v1/responses'
    ? { input: turns, max_output_tokens: limit, store: false }
    : { messages: turns, max_tokens: limit }
}
