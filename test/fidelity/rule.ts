import type { AnswerEvent } from '../../src/core/answer/event.ts'
import type { AssistantMessage, WholeAnswer, Choice } from '../../src/core/answer/wholeAnswer.ts'
import type { FailureKind, UpstreamFailure } from '../../src/core/failure.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import { parseExactly } from '../../src/core/exactNumber.ts'
import type { OwnFinishWords } from '../../src/wire/finishWords.ts'
import { asFunctions } from '../../src/wire/customTools.ts'
import { WIRE_FORMATS, type WireFormatId } from '../../src/wire/formats.ts'
import { openAiChat } from '../../src/wire/openai-chat/openAiChat.ts'
import type { Frame } from '../../src/core/answer/frame.ts'
import type { EncodeTarget, EncodedRequest, ProviderCodec } from '../../src/wire/wire.ts'
import { collected, eventsOf, failureIn, failureOf } from '../support/wireFixtures.ts'
import type { Column, Frames, Piece, Report, Said } from './column.ts'
import { COLUMNS } from './columns/columns.ts'

/** A guarantee that every wire format keeps: a row of the table. */
export interface Rule {
  /** A sentence. */
  readonly name: string
  /** Formats in which the case cannot happen, each with the reason. */
  readonly except?: Readonly<Partial<Record<WireFormatId, string>>>
  /** Throws where the format breaks the rule. */
  check(cell: Cell): void
}

/** One format under one rule. */
export interface Cell {
  readonly column: Column
  readonly client: ProviderCodec
  frames(said: Partial<Said>): Frames
  body(said: Partial<Said>): Json
  /** The events of these frames, until the end of the body. */
  events(frames: readonly Frame[], choices?: number): AnswerEvent[]
  /** The same answer whole and streamed. Throws where one of them failed. */
  bothWays(
    said: Partial<Said>,
    own?: OwnFinishWords,
    completionId?: string,
  ): readonly [whole: WholeAnswer, streamed: WholeAnswer]
  /** What the provider is sent for a caller's request: everything but `model` and `messages` has a default. Throws `UnsupportedField`. */
  sent(request: JsonObject, target?: Partial<EncodeTarget>): EncodedRequest
  /** How it failed, whole and streamed; undefined where it did not. */
  failures(said: Partial<Said>): readonly [whole: FailureKind | undefined, streamed: FailureKind | undefined]
}

const REPORT: Report = { prompt: 9, cached: 0, completion: 6, thoughts: 0 }

const TARGET: EncodeTarget = {
  upstreamModel: 'm',
  maxOutputTokens: 8_192,
  quirks: {},
  unsupportedFields: [],
  facts: {},
}

/** Whose requests and answers the rules are about. */
export interface CallerView {
  /** The canonical request of a chat completion, however the caller writes it. */
  request(body: JsonObject): ChatRequest
  /** The names of what was left out of a request. */
  dropped(names: readonly string[], body: JsonObject): readonly string[]
  /** What reaches the caller, with what only the operator sees. */
  whole(answer: WholeAnswer): WholeAnswer
  events(events: AnswerEvent[]): AnswerEvent[]
  failure(failure: UpstreamFailure): UpstreamFailure
}

/** A caller of chat completions. */
export const CHAT_VIEW: CallerView = {
  request(body) {
    const verdict = openAiChat.server.decodeRequest(body)
    if (!verdict.ok) throw new Error(verdict.refusal.message)
    return verdict.request
  },
  dropped: (names) => names,
  whole: (answer) => answer,
  events: (events) => events,
  failure: (failure) => failure,
}

export function cellOf(id: WireFormatId, caller: CallerView = CHAT_VIEW): Cell {
  const column = COLUMNS[id]
  const { client: codec, customTools } = WIRE_FORMATS[id]
  const client: ProviderCodec = {
    ...codec,
    decodeError: (answer) => caller.failure(codec.decodeError(answer)),
  }
  const complete = (said: Partial<Said>): Said => ({
    pieces: [{ text: 'Hello' }],
    finish: column.words.stop,
    report: REPORT,
    ...said,
  })
  const bodyOf = (said: Partial<Said>) => parseExactly(JSON.stringify(column.body(complete(said)))) as Json
  const requestOf = (request: JsonObject) =>
    caller.request({ model: 'm', messages: [{ role: 'user', content: 'Hi' }], ...request })
  const events = (frames: readonly Frame[], choices = 1, ...own: [OwnFinishWords?, string?]) => {
    const said = eventsOf(client, frames, choices, ...own)
    return choices === 1 ? caller.events(said) : said
  }
  return {
    column,
    client,
    frames: (said) => column.frames(complete(said)),
    body: bodyOf,
    events,
    bothWays: (said, own, completionId) => [
      caller.whole(client.decodeResponse(bodyOf(said), 1, own, completionId)),
      collected(events(allOf(column.frames(complete(said))), 1, own, completionId)),
    ],
    sent(request, target) {
      const given = requestOf(request)
      const takesCustom = target?.quirks?.customTools ?? customTools
      const functions = takesCustom ? undefined : asFunctions(given)
      const encoded = client.encodeRequest(functions?.request ?? given, { ...TARGET, ...target })
      return { ...encoded, dropped: caller.dropped(encoded.dropped, request) }
    },
    failures: (said) => [
      failureOf(() => client.decodeResponse(bodyOf(said), 1))?.kind,
      failureIn(events(allOf(column.frames(complete(said))), 1))?.kind,
    ],
  }
}

export function allOf({ begin, pieces, end, last }: Frames): readonly Frame[] {
  return [...begin, ...pieces, ...end, ...last]
}

export function choiceOf({ choices: [choice] }: WholeAnswer): Choice {
  if (!choice) throw new Error('an answer without a choice')
  return choice
}

export function messageOf(response: WholeAnswer): AssistantMessage {
  return choiceOf(response).message
}

/** The words of a column for the end of calls. */
export function callsEnd({ column }: Cell, pieces: readonly Piece[]): Partial<Said> {
  return { pieces, finish: column.words.tool_calls }
}
