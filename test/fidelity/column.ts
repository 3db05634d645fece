import type { FinishReason } from '../../src/core/answer/wholeAnswer.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { Frame } from '../../src/core/answer/frame.ts'
import type { ErrorAnswer } from '../../src/wire/wire.ts'

/** What a model says, piece by piece. */
export type Piece = { readonly text: string } | { readonly thought: string } | { readonly call: Call }

export interface Call {
  /** Undefined: the provider gives it none. */
  readonly id: string | undefined
  readonly name: string
  readonly input: JsonObject
}

/** How many tokens a provider reports, by the convention of the gateway: the prompt includes what was cached, the completion the thoughts. */
export interface Report {
  readonly prompt: number
  readonly cached: number
  readonly completion: number
  readonly thoughts: number
}

/** An answer of one choice. */
export interface Said {
  readonly pieces: readonly Piece[]
  /** The provider's own word; undefined: it gives no reason, and says only that the answer is over. */
  readonly finish: string | undefined
  readonly report: Report
}

/**
 * How providers of a wire format say things, in true frames and bodies: a column of the table. A rule says what, a column
 * how, so a further format needs its column and nothing else.
 */
export interface Column {
  /** The format's own word for the end of an answer. */
  readonly words: Readonly<Record<Exclude<FinishReason, 'function_call'>, string | undefined>>
  /** What its reports contain: some count no thoughts, or nothing that was cached. */
  readonly reports: { readonly cached: boolean; readonly thoughts: boolean }
  /** Whether its providers take every conversation, so that it is sent as its caller wrote it. */
  readonly sendsAsWritten?: true
  /** Whose thoughts it takes back, as `reasoning_details[].format` names them, where it rewrites them. */
  readonly thoughts?: string
  /** What a request names its tool calls with. */
  readonly toolCallId: RegExp
  /** The frames of a stream. */
  frames(said: Said): Frames
  /** The same answer in one body. */
  body(said: Said): Json
  /** An error in a stream: the frame in which the provider says that it is overloaded. */
  readonly errorFrame: Frame
  /** The same for a rate limit, and for a failure of its own, with this sentence. */
  limitFrame(sentence: string): Frame
  failureFrame(sentence: string): Frame
  /** An answer with an error status: how the provider says this sentence, and what it calls such an error. */
  error(status: number, sentence: string): ErrorAnswer
  /** A frame that reports the prompt before, or beside, the first text. Undefined: it reports at the end alone. */
  readonly promptFrame: ((prompt: number, cached: number) => Frame) | undefined
  /** The frame of a text of the choice with this index. Undefined: an answer has one choice. */
  readonly choiceFrame: ((index: number, text: string) => Frame) | undefined
}

/** The frames of a stream in its four parts. */
export interface Frames {
  readonly begin: readonly Frame[]
  readonly pieces: readonly Frame[]
  /** From the finish reason on, with the report if that comes before the last frame. */
  readonly end: readonly Frame[]
  /** The frame that says that nothing follows; none where the format has no such frame. */
  readonly last: readonly Frame[]
}

export function frame(data: JsonObject | string, event?: string): Frame {
  return { event, data: typeof data === 'string' ? data : JSON.stringify(data) }
}

/** An answer with an error status. */
export function errorAnswer(
  status: number,
  body: JsonObject,
  headers: Readonly<Record<string, string>> = {},
): ErrorAnswer {
  return { status, headers: new Map(Object.entries(headers)), body: JSON.stringify(body) }
}
