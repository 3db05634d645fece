import type { MockSpec } from './spec.ts'

/** What every answer reports; charges can be checked against it. */
export const PROMPT_TOKENS = 220
/** The size of a whole completion and of a chunk where the spec names none. */
const WHOLE_BYTES = 1024
export const WHOLE_TOKENS = 160
const CHUNK_BYTES = 250

const USAGE = (completion: number) => ({
  prompt_tokens: PROMPT_TOKENS,
  completion_tokens: completion,
  total_tokens: PROMPT_TOKENS + completion,
})

/** A stream, ready for the socket: each piece is one write. */
export interface StreamAnswer {
  readonly head: Buffer
  /** The role chunk and the content chunks. */
  readonly chunks: readonly Buffer[]
  /** Finish, usage if asked for, `[DONE]` and the end of the body. */
  readonly tail: Buffer
}

export function wholeAnswer(spec: MockSpec): Buffer {
  return respond('200 OK', 'application/json', JSON.stringify(completion(wholeText(spec), spec)))
}

function completion(content: string, spec: MockSpec): object {
  return {
    id: 'chatcmpl-mock',
    object: 'chat.completion',
    created: 1_760_000_000,
    model: 'mock',
    choices: [{ index: 0, message: { role: 'assistant', content }, logprobs: null, finish_reason: 'stop' }],
    usage: USAGE(spec.tokens || WHOLE_TOKENS),
  }
}

export function streamAnswer(spec: MockSpec, includeUsage: boolean): StreamAnswer {
  const content = event(JSON.stringify(chunk({ content: chunkText(spec) }, null)))
  const role = event(JSON.stringify(chunk({ role: 'assistant', content: '' }, null)))
  const usage = includeUsage
    ? event(JSON.stringify({ ...chunk({}, null), choices: [], usage: USAGE(spec.tokens || spec.chunks) }))
    : ''
  const tail = event(JSON.stringify(chunk({}, 'stop'))) + usage + event('[DONE]')
  return inPieces(role, content, spec.chunks, tail)
}

/** A stream of one event, so many times the next one, and what ends it. */
export function inPieces(first: string, content: string, times: number, last: string): StreamAnswer {
  return {
    head: Buffer.from(
      'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n',
    ),
    chunks: [Buffer.from(framed(first)), ...Array<Buffer>(times).fill(Buffer.from(framed(content)))],
    tail: Buffer.from(`${framed(last)}0\r\n\r\n`),
  }
}

export function respond(status: string, contentType: string, body: string): Buffer {
  return Buffer.from(
    `HTTP/1.1 ${status}\r\ncontent-type: ${contentType}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
}

function chunk(delta: object, finishReason: string | null): object {
  return {
    id: 'chatcmpl-mock',
    object: 'chat.completion.chunk',
    created: 1_760_000_000,
    model: 'mock',
    system_fingerprint: 'fp_mock',
    choices: [{ index: 0, delta, logprobs: null, finish_reason: finishReason }],
  }
}

/** What a whole answer says, in every format: it fills a completion up to its size. */
export function wholeText(spec: MockSpec): string {
  return textThatFills(spec.bytes || WHOLE_BYTES, completion('', spec))
}

/** The same for a chunk of a stream. */
export function chunkText(spec: MockSpec): string {
  return textThatFills(spec.bytes || CHUNK_BYTES, chunk({ content: '' }, null))
}

function textThatFills(bytes: number, bare: object): string {
  const length = Math.max(1, bytes - JSON.stringify(bare).length)
  return 'all work and no play '.repeat(1 + length / 20).slice(0, length)
}

function event(data: string): string {
  return `data: ${data}\n\n`
}

function framed(text: string): string {
  return `${text.length.toString(16)}\r\n${text}\r\n`
}
