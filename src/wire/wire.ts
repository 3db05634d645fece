import type { AnswerEvent } from '../core/answer/event.ts'
import type { Frame } from '../core/answer/frame.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import type { RequestSource } from '../core/traits.ts'
import type { WholeAnswer } from '../core/answer/wholeAnswer.ts'
import type { UpstreamFailure } from '../core/failure.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Refusal } from '../core/error.ts'
import type { HiddenReasoning } from '../core/model.ts'
import type { ModelFacts, ModelFamily } from '../core/modelFacts.ts'
import type { Step } from '../core/step.ts'
import type { StreamDecoder } from './answerEnd.ts'
import type { Auth } from './auth.ts'
import type { OwnFinishWords } from './finishWords.ts'
import type { Framing } from './framing.ts'

/**
 * A wire format that providers speak, as it declares itself: the configuration's schema, the documents and the tests
 * derive from this value. Its codec is pure: no clock, no randomness, no I/O.
 */
export interface WireFormat<Id extends string = string> {
  /** The name of its folder, and the word for `wire` in the configuration. */
  readonly id: Id
  /** What the documents call it. */
  readonly displayName: string
  /** How a provider without a row most likely authenticates. With `none`, a key is sent as a bearer token if there is one. */
  readonly defaultAuth: Auth
  /** How its streamed bodies are framed. */
  readonly framing: Framing
  /** How several choices are asked for: with `n` in one request, or with parallel calls for one choice each. */
  readonly choices: 'n' | 'calls'
  /** Whether a stream brings the arguments of a tool call in pieces, or a whole call at a time. */
  readonly toolCalls: 'pieces' | 'whole'
  /** The smallest output limit that can be said, in tokens: a smaller one is sent as this. Default: 1. */
  readonly outputTokensMin?: number
  /** Whether its providers take custom tools, whose input is any text. Default: they take functions alone. */
  readonly customTools?: boolean
  /** The family of the models that it serves, where models of one family need different requests. */
  readonly family?: ModelFamily
  /** The quirks of `FORMAT_QUIRKS` that it honours. */
  readonly quirks: readonly FormatQuirk[]
  readonly client: ProviderCodec
  /** How a caller of the same format is served. Absent: as every other. */
  readonly native?: NativeLane
}

/** Quirks about something that not every format has. Every format honours the others. */
export const FORMAT_QUIRKS = [
  'supportsN',
  'maxTokensField',
  'streamOptions',
  'instructionRole',
  'dropMessageFields',
  'customTools',
] as const satisfies readonly (keyof WireQuirks)[]

export type FormatQuirk = (typeof FORMAT_QUIRKS)[number]

/**
 * A wire format that callers speak too. Each codec undoes the other:
 * `server.decodeRequest(client.encodeRequest(x)) = x` for everything that the format can express.
 */
export interface CallerFormat<Id extends string = string> extends WireFormat<Id> {
  readonly server: CallerCodec
}

/** Translates between the canonical language and a provider: the gateway is its client. */
export interface ProviderCodec {
  encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest
  /**
   * Reads a whole answer; throws `UpstreamError` for anything that is not one.
   * @param choices how many were asked for; an answer with fewer is thrown as `FewerChoices`. Default: as many as come.
   * @param own the provider's own words for the end of an answer. Default: none.
   * @param completionId names the tool calls that come without an id. Default: they are numbered alone.
   */
  decodeResponse(body: Json, choices?: number, own?: OwnFinishWords, completionId?: string): WholeAnswer
  /**
   * Reads a streamed answer: a choice ends when the answer does (`answerEnd.ts`). `end()` yields an error event when the stream
   * was cut. Never throws.
   * @param choices how many were asked for; fewer are the failure `fewer_choices`. Default: as many as begin.
   * @param own as of `decodeResponse`
   * @param completionId as of `decodeResponse`
   */
  decodeStream(choices?: number, own?: OwnFinishWords, completionId?: string): StreamDecoder
  /** Classifies an answer with an error status, or an error object inside a 200. Never throws. */
  decodeError(answer: ErrorAnswer): UpstreamFailure
  /** The format's own request for the number of tokens of a prompt, which costs nothing. Absent: it has none. */
  readonly tokenCount?: ProviderTokenCount
}

export interface ProviderTokenCount {
  /** Throws `UnsupportedField`. */
  encodeRequest(request: ChatRequest, target: EncodeTarget): EncodedRequest
  /** The number of tokens; throws `UpstreamError` for anything that is not one. */
  decodeResponse(body: Json): number
}

/**
 * How requests and answers pass where caller and provider speak the same format: as they are, but for what is named here. What
 * no field of the canonical language has gets through.
 */
export interface NativeLane {
  /** Request headers of the format that may concern the provider; lower-case names. */
  readonly headers: readonly string[]
  /** The one of them that asks for features: where the request is translated it is left out by name. */
  readonly featureHeader?: string
  /**
   * The caller's own body with the model, the output limit and the ids of the target, and without what may not pass. Undefined
   * where something has to be rewritten: then the request is translated. Throws `UnsupportedField` as `encodeRequest` does.
   */
  encodeRequest(source: RequestSource, request: ChatRequest, target: EncodeTarget): EncodedRequest | undefined
  /** Absent: answers are translated, because the canonical language is that of the format. */
  readonly answers?: NativeAnswers
}

/** How the answers to such requests pass. */
export interface NativeAnswers {
  /**
   * A whole answer without what stays inside (`staysInside.ts`); every other character of it stays. Undefined where its caller could
   * not read it.
   */
  passAnswer(text: string, answer: JsonObject): string | undefined
  /** As `decodeStream` of the codec; its events have the frames that they came in (`AnswerEvent.raw`). */
  decodeStream: ProviderCodec['decodeStream']
  /** Makes the whole answer of the frames of a stream; undefined where they do not make one. */
  gather(frames: readonly Frame[]): string | undefined
  /** A whole answer with the caller's id and model. */
  writeAnswer(raw: string, envelope: Envelope): string
}

/** What an encoder must know of the place a request goes to. */
export interface EncodeTarget {
  readonly upstreamModel: string
  readonly maxOutputTokens: number
  readonly quirks: WireQuirks
  /** Fields the model refuses although the format has them. */
  readonly unsupportedFields: readonly string[]
  readonly facts: ModelFacts
  /** As of the model; absent: it is not known to reason without showing it. */
  readonly hiddenReasoning?: HiddenReasoning
  /** Top-level fields that the operator lets pass in a native lane although no list has them. */
  readonly allowFields?: readonly string[]
}

/**
 * Where a provider differs from what its wire format declares, as data. All optional; absent means: as the format says.
 * One that a format cannot honour is in the row of no provider, and a mistake in the configuration.
 */
export interface WireQuirks {
  /** Name of the output limit in the request. */
  readonly maxTokensField?: 'max_tokens' | 'max_completion_tokens'
  /** Whether it takes `n`; if not, the gateway makes parallel calls. Default: `choices` of the format. */
  readonly supportsN?: boolean
  /** Canonical field names (snake_case, as in the request) that it refuses: dropped when harmless. */
  readonly dropFields?: readonly string[]
  /** Message fields it refuses (`name`). */
  readonly dropMessageFields?: readonly string[]
  /** False: it refuses `stream_options`. Default true. */
  readonly streamOptions?: boolean
  /** The name of the instruction role; default `system` stays what the caller sent. */
  readonly instructionRole?: 'system' | 'developer'
  /** Its own default temperature is not 1: send 1 when the caller gave none. */
  readonly sendDefaultTemperature?: boolean
  /** The lowest temperature above 0 that it takes in place of 0. */
  readonly minimumTemperature?: number
  readonly maximumTemperature?: number
  /** The lowest `top_p` above 0 that it takes in place of 0. */
  readonly minimumTopP?: number
  /** How many stop sequences it takes. Default: what the format has. */
  readonly maximumStops?: number
  /** Reasoning tokens are reported beside `completion_tokens`, not in it. */
  readonly reasoningOutsideCompletion?: boolean
  /** Where it does not stream: it is asked for whole answers there. Default: it streams everything. */
  readonly streaming?: 'never' | 'without_tools'
  /** What its whole answers have and its streams do not: where it is asked for, the answer is asked whole. */
  readonly streamLacks?: readonly ('usage' | 'logprobs')[]
  /** Takes a response format or tools, not both. */
  readonly formatOrTools?: boolean
  /** Its own words for the end of an answer, in lower case: they come before the list of all. */
  readonly finishReasons?: OwnFinishWords
  /** Whether it streams a tool call with all its arguments in one piece. Default: `toolCalls` of the format. */
  readonly wholeToolCalls?: boolean
  /** Whether it takes custom tools. Default: `customTools` of the format. */
  readonly customTools?: boolean
  /** Reads a failure that its wire format would misread; undefined: the format's own reading stands. */
  readonly patchFailure?: (answer: ErrorAnswer, failure: UpstreamFailure) => UpstreamFailure
}

/** A request ready to be sent: where to, relative to the provider's base URL, and what. */
export interface EncodedRequest {
  /** Appended to the base URL; begins with `/`. */
  readonly path: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: JsonObject
  /** Request fields left out because the target cannot take them and the answer's meaning does not change. */
  readonly dropped: readonly string[]
}

/** Thrown by `encodeRequest` when a field the target cannot take would change the answer's meaning. */
export class UnsupportedField extends Error {
  override readonly name = 'UnsupportedField'
  /** Dotted path in the canonical request. */
  readonly param: string
  /** As of a `Refusal`. */
  readonly part: string | undefined
  constructor(param: string, message: string, part?: string) {
    super(message)
    this.param = param
    this.part = part
  }
}

/** An answer with an error, as it came. Header names are lowercase. */
export interface ErrorAnswer {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  /** The body as text, cut to a bound. */
  readonly body: string
  /** The body of the request: what an error repeats of it is not the provider's own. Absent: it is not known. */
  readonly sent?: JsonObject
}

/** Translates between a caller and the canonical language: the gateway is the caller's server. */
export interface CallerCodec {
  /** Reads and checks a request; a refusal names the first offending field. Never throws. */
  decodeRequest(body: Json): DecodedRequest
  encodeResponse(response: WholeAnswer, envelope: Envelope): JsonObject
  encodeStream(envelope: Envelope): StreamEncoder
  /** @param requestId of the answer that is refused */
  encodeError(refusal: Refusal, requestId: string): JsonObject
  /** How the caller who sent this body names the parts of its request. Absent: by the canonical names. */
  callersNames?(body: Json): CallersNames
}

/** Names of a request's parts as its caller wrote them. */
export interface CallersNames {
  /**
   * The caller's path to a part.
   * @param path in the canonical request: `messages[2].content[0].image_url.url`, or without positions (`messages.is_error`)
   */
  path(path: string): string
  /** The caller's word for a type of content: `image` for `image_url`. */
  contentType(type: string): string
}

/** The same for a caller's request for the number of tokens of a prompt. */
export interface CallerTokenCount {
  /** As of `CallerCodec`. */
  decodeRequest(body: Json): DecodedRequest
  encodeResponse(inputTokens: number): JsonObject
}

/** Writes a streamed answer ready for the socket, framing included. */
export interface StreamEncoder extends Step<AnswerEvent, string> {
  /** The last bytes of an answer that breaks off, with the words of the format for it. Nothing follows. */
  fail(refusal: Refusal): string
}

export type DecodedRequest =
  | { readonly ok: true; readonly request: ChatRequest }
  | { readonly ok: false; readonly refusal: Refusal }

/** What the gateway adds to an answer: the same in all chunks of one stream. */
export interface Envelope {
  /** The completion's id. */
  readonly id: string
  /** Seconds since the epoch. */
  readonly created: number
  /** The model as the caller named it, or the canonical id behind an alias. */
  readonly model: string
  /** Send the usage chunk before `[DONE]`. */
  readonly includeUsage: boolean
  /** The body of the request, for a format whose answers repeat it. Absent: they say what holds without a word. */
  readonly requestBody?: JsonObject
  /** The answer is kept, so that later requests can refer to its items. */
  readonly kept?: boolean
}
