import { expect } from 'bun:test'
import type { AnswerEvent } from '../../src/core/answer/event.ts'
import type { Choice } from '../../src/core/answer/wholeAnswer.ts'
import { ERRORS, errorBody } from '../../src/core/error.ts'
import { parseExactly } from '../../src/core/exactNumber.ts'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import { type JsonObject, isJsonObject } from '../../src/core/json.ts'
import { refusalOf } from '../../src/core/refusalOf.ts'
import { anthropicMessages } from '../../src/wire/anthropic-messages/anthropicMessages.ts'
import type { Envelope } from '../../src/wire/wire.ts'
import { CannotSay } from '../support/messagesCaller/cannotSay.ts'
import { hearMessage } from '../support/messagesCaller/hearMessage.ts'
import { hearStream } from '../support/messagesCaller/hearStream.ts'
import { sayRequest } from '../support/messagesCaller/sayRequest.ts'
import { framesOfBytes } from '../support/streamBytes.ts'
import { collected, failureIn } from '../support/wireFixtures.ts'
import { CHAT_VIEW, type CallerView } from './rule.ts'

/** A caller of Messages, who may have said and read something since this view of it began. */
export interface MessagesView extends CallerView {
  readonly took: boolean
}

const LIMIT = 8_192
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }
const DETAILS = 'messages.reasoning_details'
const THOUGHT = 'messages.reasoning_content'
const ENVELOPE: Envelope = { id: 'msg_1', created: 1, model: 'm', includeUsage: true }

/** https://platform.claude.com/docs/en/api/errors */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  413: 'request_too_large',
  502: 'api_error',
  503: 'overloaded_error',
}

/**
 * Requests are said in Messages, and answers and errors are written and read as Messages. What has no words there is said as
 * chat completions, so that a rule may compare the two.
 */
export function messagesView(): MessagesView {
  const { server } = anthropicMessages
  let took = false
  /** Of the last request. */
  let isSaid = false

  return {
    get took() {
      return took
    },
    request(chat) {
      const body = withSchemas(chat)
      const said = saidOrNot(body)
      isSaid = said !== undefined
      if (said === undefined) return CHAT_VIEW.request(body)
      took = true
      const verdict = server.decodeRequest(said)
      if (!verdict.ok) throw new Error(verdict.refusal.message)
      return withoutRequired(verdict.request, body)
    },
    dropped(names, { messages = [] }) {
      const chat = JSON.stringify(messages)
      if (!isSaid || chat.includes('"reasoning_content"') || !chat.includes('"reasoning.text"')) return names
      // A thought and its signature are one block, which is left out where both are.
      return names.filter((name) => name !== (names.includes(THOUGHT) ? THOUGHT : DETAILS))
    },
    whole(answer) {
      took = true
      const written = JSON.stringify(server.encodeResponse(answer, ENVELOPE))
      const heard = collected(hearMessage(parseExactly(written) as JsonObject))
      const [known] = answer.choices
      return { ...heard, choices: heard.choices.map((choice) => ({ ...choice, ...wordOf(known) })) }
    },
    events(events) {
      took = true
      const encode = server.encodeStream(ENVELOPE)
      const written = [...events.flatMap((event) => encode.push(event)), ...encode.end()].join('')
      const heard = hearStream(framesOfBytes([new TextEncoder().encode(written)]))
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
      const { code, message, param } = errorBody(refusal).error
      const type = ERROR_TYPES[ERRORS[refusal.code].status]
      expect(server.encodeError(refusal, 'req_1')).toMatchObject({
        type: 'error',
        error: { type, code, message, param },
        request_id: 'req_1',
      })
      return failure
    },
  }
}

/** A function without parameters has a schema in Messages: it has the same in what has no words there. */
function withSchemas(body: JsonObject): JsonObject {
  const { tools } = body
  if (!Array.isArray(tools)) return body
  const functions = (tools as readonly JsonObject[]).map((tool) => tool['function'])
  if (!functions.every((called) => isJsonObject(called))) return body
  const full = functions.map((called, i) => ({
    ...(tools as readonly JsonObject[])[i],
    function: { ...called, parameters: called['parameters'] ?? NO_PARAMETERS },
  }))
  return { ...body, tools: full }
}

/** Without what Messages requires and the rule does not have: a limit, and a choice beside `disable_parallel_tool_use`. */
function withoutRequired(request: ChatRequest, body: JsonObject): ChatRequest {
  const { maxTokens, toolChoice, ...others } = request
  const isLimited = (body['max_tokens'] ?? body['max_completion_tokens'] ?? null) !== null
  const isChosen = (body['tool_choice'] ?? null) !== null
  return {
    ...others,
    ...(isLimited && maxTokens !== undefined && { maxTokens }),
    ...(isChosen && toolChoice !== undefined && { toolChoice }),
  }
}

/** What only the operator sees of an end. */
function wordOf(end: Pick<Choice, 'unknownWord'> | undefined): Pick<Choice, 'unknownWord'> {
  return end?.unknownWord === undefined ? {} : { unknownWord: end.unknownWord }
}

function saidOrNot(body: JsonObject): JsonObject | undefined {
  try {
    return sayRequest(body, LIMIT)
  } catch (error) {
    if (error instanceof CannotSay) return undefined
    throw error
  }
}
