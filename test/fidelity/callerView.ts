import { expect } from 'bun:test'
import type { AnswerEvent } from '../../src/core/answer/event.ts'
import type { Frame } from '../../src/core/answer/frame.ts'
import type { Choice } from '../../src/core/answer/wholeAnswer.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import type { Refusal } from '../../src/core/error.ts'
import { parseExactly } from '../../src/core/exactNumber.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { refusalOf } from '../../src/core/refusalOf.ts'
import type { CallerFormat, Envelope } from '../../src/wire/wire.ts'
import { CannotSay } from '../support/callers/cannotSay.ts'
import type { Heard } from '../support/callers/heard.ts'
import { framesOfBytes } from '../support/streamBytes.ts'
import { collected, failureIn } from '../support/wireFixtures.ts'
import { CHAT_VIEW, type CallerView } from './rule.ts'

/** A caller of another format than chat completions, who may have said and read something since this view of it began. */
export interface WatchedView extends CallerView {
  readonly took: boolean
}

/** How callers of a format say and read things, by its documents and not with the code of `src`. */
export interface CallerWords {
  readonly server: CallerFormat['server']
  /** Throws `CannotSay`. */
  say(body: JsonObject): JsonObject
  hear(answer: JsonObject): AnswerEvent[]
  hearStream(frames: readonly Frame[]): Heard
  expectError(written: JsonObject, refusal: Refusal): void
  /** A chat completion with what its like in this format always has. */
  complete(body: JsonObject): JsonObject
  /** A request without what this format always has, and the chat completion does not. */
  withoutOwn(request: ChatRequest, body: JsonObject): ChatRequest
}

const DETAILS = 'messages.reasoning_details'
const THOUGHT = 'messages.reasoning_content'
const ENVELOPE: Envelope = { id: 'msg_1', created: 1, model: 'm', includeUsage: true }

/**
 * Requests are said in the words of a format, and answers and errors are written and read as such. What has no words there is said
 * as chat completions, so that a rule may compare the two.
 */
export function callerView(words: CallerWords): WatchedView {
  const { server } = words
  let took = false
  /** Of the last request. */
  let isSaid = false

  return {
    get took() {
      return took
    },
    request(chat) {
      const body = words.complete(chat)
      const said = saidOrNot(words, body)
      isSaid = said !== undefined
      if (said === undefined) return CHAT_VIEW.request(body)
      took = true
      const verdict = server.decodeRequest(said)
      if (!verdict.ok) throw new Error(verdict.refusal.message)
      return words.withoutOwn(verdict.request, body)
    },
    dropped: (names, body) => (isSaid ? oneOfBlock(names, body) : names),
    whole(answer) {
      took = true
      const written = JSON.stringify(server.encodeResponse(answer, ENVELOPE))
      const heard = collected(words.hear(parseExactly(written) as JsonObject))
      const [known] = answer.choices
      return { ...heard, choices: heard.choices.map((choice) => ({ ...choice, ...wordOf(known) })) }
    },
    events(events) {
      took = true
      const encode = server.encodeStream(ENVELOPE)
      const written = [...events.flatMap((event) => encode.push(event)), ...encode.end()].join('')
      const heard = words.hearStream(framesOfBytes([new TextEncoder().encode(written)]))
      const failure = failureIn(events)
      expect([written, heard.end]).toEqual([written, failure ? 'broken' : 'whole'])
      const known = events.find((event) => event.type === 'finish')
      const told = heard.events.map((event): AnswerEvent =>
        event.type === 'finish' ? { ...event, ...wordOf(known) } : event,
      )
      return failure ? [...told, { type: 'error', failure }] : told
    },
    failure(failure) {
      took = true
      const refusal = refusalOf(failure)
      words.expectError(server.encodeError(refusal, 'req_1'), refusal)
      return failure
    },
  }
}

/** A thought and its signature are one thing in these formats, which is left out where both are. */
function oneOfBlock(names: readonly string[], { messages = [] }: JsonObject): readonly string[] {
  const chat = JSON.stringify(messages)
  if (chat.includes('"reasoning_content"') || !chat.includes('"reasoning.text"')) return names
  return names.filter((name) => name !== (names.includes(THOUGHT) ? THOUGHT : DETAILS))
}

/** What only the operator sees of an end. */
function wordOf(end: Pick<Choice, 'unknownWord'> | undefined): Pick<Choice, 'unknownWord'> {
  return end?.unknownWord === undefined ? {} : { unknownWord: end.unknownWord }
}

function saidOrNot({ say }: CallerWords, body: JsonObject): JsonObject | undefined {
  try {
    return say(body)
  } catch (error) {
    if (error instanceof CannotSay) return undefined
    throw error
  }
}
