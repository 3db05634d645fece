import { UpstreamError } from '../../core/failure.ts'
import { type Json, type JsonObject, isJsonObject } from '../../core/json.ts'
import type { ToolCall } from '../../core/chat/request.ts'
import type { AssistantMessage, ChatResponse, Choice } from '../../core/chat/response.ts'
import { failureInside } from './decodeError.ts'
import { extraFields } from './extraFields.ts'
import { type Made, decodeFinishReason } from './finishReason.ts'
import { InvalidAnswer, invalidAnswer } from './invalidAnswer.ts'
import { canonicalDelta } from './canonicalDelta.ts'
import { toolCallReader } from './toolCalls.ts'
import { decodeUsage } from './usage.ts'

/** Choices are numbered below this. */
export const CHOICE_INDEX_END = 128

/**
 * Reads a whole answer: OpenAI's chat completion object and its imitations.
 * Throws `UpstreamError`, with the kind an error object in the 200 tells, else `invalid_answer`.
 */
export function decodeResponse(body: Json, expectedChoices = 1): ChatResponse {
  const failure = failureInside(body)
  if (failure) throw new UpstreamError(failure)
  try {
    return readResponse(body, expectedChoices)
  } catch (error) {
    if (!(error instanceof InvalidAnswer)) throw error
    throw new UpstreamError(invalidAnswer(error.message), { cause: error })
  }
}

function readResponse(body: Json, expectedChoices: number): ChatResponse {
  if (!isJsonObject(body)) throw new InvalidAnswer('the answer is no JSON object')
  if (!Array.isArray(body.choices) || body.choices.length === 0) {
    throw new InvalidAnswer('the answer has no choices')
  }
  const idPrefix = idPrefixOf(body.id)
  const choices = body.choices.map((choice, position) => readChoice(choice, position, idPrefix))
  choices.sort((a, b) => a.index - b.index)
  for (const [position, choice] of choices.entries()) {
    if (choice.index !== position) throw new InvalidAnswer('the choices are not numbered from 0')
  }
  if (choices.length < expectedChoices) {
    throw new InvalidAnswer(`${choices.length} of ${expectedChoices} choices came`)
  }
  const usage = decodeUsage(body.usage) ?? decodeUsage(isJsonObject(body.x_groq) && body.x_groq.usage)
  return { choices, ...(usage && { usage }), extra: extraFields(body) ?? {} }
}

/** Calls without an id of their own are named after the answer. */
export function idPrefixOf(id: unknown): string {
  return typeof id === 'string' && /^[\w-]{1,64}$/.test(id) ? `${id}_` : ''
}

function readChoice(value: Json, position: number, idPrefix: string): Choice {
  if (!isJsonObject(value)) throw new InvalidAnswer('a choice is no object')
  const { index, message, finish_reason: reason, logprobs, ...extra } = value
  if (!isJsonObject(message)) throw new InvalidAnswer('a choice has no message')
  const made: Made = { text: false, toolCalls: false, functionCall: false }
  const read = readMessage(message, made, idPrefix)
  const finish = decodeFinishReason(reason, made)
  if (!finish.ok) throw new UpstreamError(finish.failure)
  return {
    index: typeof index === 'number' ? index : position,
    message: read,
    finishReason: finish.reason,
    ...(isJsonObject(logprobs) && { logprobs }),
    ...(Object.keys(extra).length > 0 && { extra }),
  }
}

function readMessage(given: JsonObject, made: Made, idPrefix: string): AssistantMessage {
  const { role: _role, ...rest } = given
  const {
    content,
    tool_calls: calls,
    reasoning_content: thought,
    ...others
  } = canonicalDelta(rest, made, toolCallReader(idPrefix))
  const silent = made.toolCalls || made.functionCall || isJsonObject(given.audio) || made.text
  return {
    role: 'assistant',
    content: typeof content === 'string' ? content : silent ? null : '',
    ...(typeof thought === 'string' && { reasoning_content: thought }),
    ...others,
    ...(calls !== undefined && { tool_calls: (calls as unknown as readonly JsonObject[]).map(wholeCall) }),
  }
}

function wholeCall({ index: _index, ...call }: JsonObject): ToolCall {
  const inner = call.function
  if (isJsonObject(inner) && inner.arguments === '') {
    return { ...call, function: { ...inner, arguments: '{}' } } as unknown as ToolCall
  }
  return call as unknown as ToolCall
}
