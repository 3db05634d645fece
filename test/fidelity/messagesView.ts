import { expect } from 'bun:test'
import type { ChatRequest } from '../../src/core/chat/request.ts'
import { ERRORS, type Refusal, errorBody } from '../../src/core/error.ts'
import { type JsonObject, isJsonObject } from '../../src/core/json.ts'
import { anthropicMessages } from '../../src/wire/anthropic-messages/anthropicMessages.ts'
import { hearMessage } from '../support/messagesCaller/hearMessage.ts'
import { hearStream } from '../support/messagesCaller/hearStream.ts'
import { sayRequest } from '../support/messagesCaller/sayRequest.ts'
import { type WatchedView, callerView } from './callerView.ts'

const LIMIT = 8_192
const NO_PARAMETERS: JsonObject = { type: 'object', properties: {} }

/** https://platform.claude.com/docs/en/api/errors */
const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  413: 'request_too_large',
  502: 'api_error',
  503: 'overloaded_error',
}

/** A caller of Messages. */
export function messagesView(): WatchedView {
  return callerView({
    server: anthropicMessages.server,
    say: (body) => sayRequest(body, LIMIT),
    hear: hearMessage,
    hearStream,
    expectError,
    complete: withSchemas,
    withoutOwn: withoutRequired,
  })
}

function expectError(written: JsonObject, refusal: Refusal): void {
  const { code, message, param } = errorBody(refusal).error
  const type = ERROR_TYPES[ERRORS[refusal.code].status]
  expect(written).toMatchObject({ type: 'error', error: { type, code, message, param }, request_id: 'req_1' })
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
