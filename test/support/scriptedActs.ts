import type { JsonObject } from '../../src/core/json.ts'
import type { RecordedRequest } from './scriptedRequest.ts'
import type { Turn } from './scriptedTurn.ts'

/** Something the provider does; acts compose. */
export interface Act {
  /** Played when a connection is accepted, before anything is read; else once per request. */
  readonly at?: 'accept'
  play(turn: Turn): void | Promise<void>
}

/** What to do with each request: always the same act, or a choice by the request and its ordinal (from 0). */
export type Script = Act | ((request: RecordedRequest, ordinal: number) => Act)

/** A piece of a streamed body: bytes as they are, an object as one `data:` event, or an act (`hang`, `waitFor`, …). */
export type Frame = string | Uint8Array | JsonObject | Act

export interface StreamOptions {
  /** Pause between two frames, in milliseconds. Without it each frame is still a write of its own. */
  readonly gapMs?: number
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  /** How the body's end is told. Default `chunked`. */
  readonly framing?: 'chunked' | 'until-close'
  /** Line ends of events made from objects. Default `\n`. */
  readonly newline?: '\n' | '\r\n' | '\r'
  /** All frames in one write, as a provider that buffers sends them. */
  readonly coalesce?: boolean
}

/** Several acts, one after another. */
export function inOrder(...acts: readonly Act[]): Act {
  const [first] = acts
  return {
    ...(first?.at && { at: first.at }),
    async play(turn) {
      for (const act of acts) await act.play(turn)
    },
  }
}

/** The first request gets the first act, the second the second, all later ones the last. */
export function inTurn(...acts: readonly [Act, ...Act[]]): Script {
  return (_, ordinal) => acts[Math.min(ordinal, acts.length - 1)] ?? acts[0]
}

/** A whole answer with `content-length`; an object is sent as JSON. */
export function respond(answer: {
  readonly status?: number
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string | Uint8Array | JsonObject
}): Act {
  const { status = 200, headers = {}, body = '' } = answer
  const raw = typeof body === 'string' || body instanceof Uint8Array
  const bytes = Buffer.from((raw ? body : JSON.stringify(body)) as string)
  const type = raw ? undefined : { 'content-type': 'application/json' }
  return {
    async play(turn) {
      const length = { 'content-length': String(bytes.length) }
      await turn.head(status, { ...type, ...headers, ...length }, 'as-given')
      await turn.body(bytes)
    },
  }
}

/** A streamed answer, frame by frame. */
export function stream(frames: readonly Frame[], options: StreamOptions = {}): Act {
  const { status = 200, headers, framing = 'chunked', gapMs, newline, coalesce = false } = options
  return {
    async play(turn) {
      await turn.head(status, { 'content-type': 'text/event-stream', ...headers }, framing)
      let buffered = ''
      for (const [index, frame] of frames.entries()) {
        if (turn.over) return
        if (isAct(frame)) await frame.play(turn)
        else if (coalesce) buffered += textOf(frame, newline)
        else {
          if (index > 0) await breath(gapMs)
          await turn.body(bytesOf(frame, newline))
        }
      }
      await turn.body(buffered)
      await turn.endBody()
    },
  }
}

/** One SSE event as text; an object becomes JSON. */
export function sse(
  data: string | JsonObject,
  options: { readonly event?: string; readonly newline?: '\n' | '\r\n' | '\r' } = {},
): string {
  const { event, newline = '\n' } = options
  const text = typeof data === 'string' ? data : JSON.stringify(data)
  const lines = text.split('\n').map((line) => `data: ${line}`)
  return [...(event === undefined ? [] : [`event: ${event}`]), ...lines, '', ''].join(newline)
}

/** An SSE comment, as providers send to keep a connection alive. */
export function comment(text = 'keep-alive'): string {
  return `: ${text}\n\n`
}

/** Bytes exactly as given, each piece a write of its own; no head is added, nothing is closed. */
export function raw(...pieces: readonly (string | Uint8Array)[]): Act {
  return {
    async play(turn) {
      for (const [index, piece] of pieces.entries()) {
        if (index > 0) await breath()
        await turn.write(piece)
      }
    },
  }
}

/** The bytes of a text in pieces of this size; a size of 1 splits every character that has more bytes than one. */
export function piecesOf(text: string, size: number): Uint8Array[] {
  const bytes = Buffer.from(text)
  const pieces: Uint8Array[] = []
  for (let at = 0; at < bytes.length; at += size) pieces.push(bytes.subarray(at, at + size))
  return pieces
}

/** The act, cut off after so many bytes of the whole answer, head included: FIN by default. */
export function cutAfter(bytes: number, act: Act, ending: 'close' | 'reset' = 'close'): Act {
  return {
    async play(turn) {
      turn.limit(bytes, ending)
      await act.play(turn)
      // An answer that was shorter leaves the connection whole for the next one.
      turn.limit(Number.POSITIVE_INFINITY, ending)
    },
  }
}

/** Resets the connection: as a whole act before the first byte, as a frame in mid-stream, or on accept. */
export function reset(options: { readonly at?: 'accept' } = {}): Act {
  return { ...options, play: (turn) => turn.reset() }
}

/** Ends the connection in order: as a frame in mid-stream a cut, after a whole answer the end of keep-alive. */
export function close(): Act {
  return { play: (turn) => turn.close() }
}

/** Reads nothing more from this connection: the peer's next request fills the kernel's buffers and stays there. */
export function stopReading(): Act {
  return { play: (turn) => turn.stopReading() }
}

/**
 * Does nothing until the peer leaves. `accept`: the request is never read; `headers` (default):
 * it is read and never answered, as a frame: the stream goes silent; `body`: the head of a stream is all that comes.
 */
export function hang(options: { readonly at?: 'accept' | 'headers' | 'body' } = {}): Act {
  const silence: Act = { play: (turn) => turn.gone }
  if (options.at === 'accept') return { ...silence, at: 'accept' }
  return options.at === 'body' ? stream([silence]) : silence
}

/** Waits in milliseconds before it goes on. */
export function pause(milliseconds: number): Act {
  return { play: (turn) => Promise.race([Bun.sleep(milliseconds), turn.gone]) }
}

/** Waits until the test says so: `const gate = createGate()`, `streams('a', gate, 'b')`, `gate.open()`. */
export interface Gate extends Act {
  open(): void
  /** Resolves when the script has come to the gate. */
  readonly reached: Promise<void>
}

export function createGate(): Gate {
  const opened = Promise.withResolvers<void>()
  const reached = Promise.withResolvers<void>()
  return {
    open: () => opened.resolve(),
    reached: reached.promise,
    async play(turn) {
      reached.resolve()
      await Promise.race([opened.promise, turn.gone])
    },
  }
}

/** Whether a frame is an act, and not the JSON of an event. */
export function isAct(frame: unknown): frame is Act {
  return typeof frame === 'object' && frame !== null && 'play' in frame && typeof frame.play === 'function'
}

function bytesOf(
  frame: string | Uint8Array | JsonObject,
  newline: StreamOptions['newline'],
): string | Uint8Array {
  if (typeof frame === 'string' || frame instanceof Uint8Array) return frame
  return sse(frame, newline && { newline })
}

function textOf(frame: string | Uint8Array | JsonObject, newline: StreamOptions['newline']): string {
  const bytes = bytesOf(frame, newline)
  return typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString()
}

/** Lets the event loop turn, so that two writes do not travel as one. */
function breath(gapMs = 0): Promise<void> {
  return gapMs > 0 ? Bun.sleep(gapMs) : new Promise((resolve) => setImmediate(resolve))
}
