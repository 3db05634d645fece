import { expect } from 'bun:test'
import { type JsonObject, isJsonObject, parseJson } from '../../src/core/json.ts'

/** The error object of the contract. */
export interface ApiError {
  readonly code: string
  readonly message: string
  readonly type: string
  readonly param: string | null
}

/** A streamed answer, taken apart. */
export interface StreamedAnswer {
  /** Everything as it came. */
  readonly text: string
  /** What each `data:` line carries, `[DONE]` included. */
  readonly events: readonly string[]
  /** The completion chunks among them. */
  readonly chunks: readonly Chunk[]
  /** The error of an interrupted stream. */
  readonly error: ApiError | undefined
  readonly done: boolean
}

export interface Chunk extends JsonObject {
  readonly id: string
  readonly object: string
  readonly created: number
  readonly model: string
  readonly choices: readonly ChunkChoice[]
}

export interface ChunkChoice extends JsonObject {
  readonly index: number
  readonly delta: JsonObject
  readonly finish_reason: string | null
}

export async function jsonOf(response: Response): Promise<JsonObject> {
  const text = await response.text()
  const body = parseJson(text)
  if (!isJsonObject(body)) throw new Error(`no JSON object: ${text.slice(0, 200)}`)
  return body
}

/** The error of an answer that has exactly the documented body (docs/api.md#errors), and its request id. */
export async function errorOf(response: Response): Promise<ApiError> {
  const body = await jsonOf(response)
  expect(Object.keys(body)).toEqual(['error'])
  const error = body['error'] as unknown as ApiError
  expect(Object.keys(error).toSorted()).toEqual(['code', 'message', 'param', 'type'])
  expect(error.message.length).toBeGreaterThan(10)
  expect(response.headers.get('content-type')).toStartWith('application/json')
  expect(response.headers.get('x-request-id')).toMatch(/^(chatcmpl-|resp_|req_)[0-9A-Z]{26}$/)
  return error
}

/** Reads a stream to its end, whether that end is good or bad. */
export async function streamOf(response: Response): Promise<StreamedAnswer> {
  return readStream(await response.text())
}

export function readStream(text: string): StreamedAnswer {
  const blocks = text.split('\n\n')
  // Every event is closed by a blank line: nothing is left behind the last one.
  expect(blocks.pop()).toBe('')
  const events: string[] = []
  for (const block of blocks) {
    if (block.startsWith(':')) continue
    expect(block).toStartWith('data: ')
    expect(block).not.toContain('\n')
    events.push(block.slice('data: '.length))
  }
  const bodies = events.filter((data) => data !== '[DONE]').map((data) => JSON.parse(data) as JsonObject)
  const failed = bodies.find((body) => 'error' in body)
  return {
    text,
    events,
    chunks: bodies.filter((body) => !('error' in body)) as unknown as Chunk[],
    error: failed?.['error'] as ApiError | undefined,
    done: events.at(-1) === '[DONE]',
  }
}

/** A streamed body, read as far as a test wants to see it. */
export interface BodyReader {
  /** Reads until the text so far contains this; throws when the body ends without it. */
  until(part: string): Promise<string>
  /** Reads to the end and gives everything. */
  rest(): Promise<string>
}

export function readerOf(response: Response): BodyReader {
  const reader = (response.body as ReadableStream<Uint8Array>).getReader()
  const decoder = new TextDecoder()
  let text = ''

  async function more(): Promise<boolean> {
    const { value, done } = await reader.read()
    text += decoder.decode(value, { stream: !done })
    return !done
  }

  return {
    async until(part) {
      while (!text.includes(part)) {
        if (!(await more())) throw new Error(`the body ended without ${part}: ${text}`)
      }
      return text
    },
    async rest() {
      while (await more());
      return text
    },
  }
}

/** The text that a stream tells for one choice. */
export function contentOf(answer: StreamedAnswer, index = 0): string {
  const choices = answer.chunks.flatMap((chunk) => chunk.choices).filter((choice) => choice.index === index)
  return choices.map(({ delta }) => (typeof delta['content'] === 'string' ? delta['content'] : '')).join('')
}

/** The `X-RateLimit-*` headers as numbers; NaN where one is missing. */
export function rateOf(response: Response): { limit: number; remaining: number; reset: number } {
  const read = (name: string): number => Number(response.headers.get(`x-ratelimit-${name}`) ?? Number.NaN)
  return { limit: read('limit'), remaining: read('remaining'), reset: read('reset') }
}
