import { UpstreamError } from '../../core/failure.ts'
import { type Json, type JsonObject, isJsonObject } from '../../core/json.ts'
import type { ToolCall } from '../../core/chat/request.ts'
import type { AssistantMessage, WholeAnswer, Choice } from '../../core/answer/wholeAnswer.ts'
import { NO_USAGE, type ReportedUsage } from '../../core/usage.ts'
import { askedInOrder } from '../askedChoices.ts'
import { withAllChoices } from '../fewerChoices.ts'
import { type OwnFinishWords, endOfFinish } from '../finishWords.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readObject, readText } from '../read.ts'
import { failureInside } from './decodeError.ts'
import { choiceFields, extraFields } from './extraFields.ts'
import { type Made, decodeFinishReason, finishWord, isCut } from './finishReason.ts'
import { canonicalDelta } from './canonicalDelta.ts'
import { readLogprobs } from './logprobs.ts'
import { readSources } from './sources.ts'
import { toolCallReader } from './toolCalls.ts'
import { decodeUsage, isZeroReport } from './usage.ts'

/**
 * Reads a whole answer: OpenAI's chat completion object and its imitations.
 * Throws `UpstreamError`, with the kind an error object in the 200 tells, else `invalid_answer`.
 */
export function decodeResponse(
  body: Json,
  choices?: number,
  own?: OwnFinishWords,
  completionId = '',
): WholeAnswer {
  const failure = failureInside(body)
  if (failure) throw new UpstreamError(failure)
  if (!isJsonObject(body)) throw invalidAnswer('the answer is not a JSON object')
  if (!Array.isArray(body.choices) || body.choices.length === 0) {
    throw invalidAnswer('the answer has no choices')
  }
  const found = askedInOrder(body.choices, choices)
  if (!found) throw invalidAnswer(`not all of ${choices ?? 'the'} choices came`)
  const sources = readSources(body)
  const answered = found
    .map(({ index, choice }) => readChoice(index, choice, own, completionId))
    .map((choice) => (sources ? withSources(choice, sources) : choice))
  const isFiltered = answered.some(({ finishReason }) => finishReason === 'content_filter')
  const usage = readUsage(body, isFiltered)
  return withAllChoices(
    { choices: answered, ...(usage && { usage }), extra: extraFields(body) ?? {} },
    choices,
  )
}

/** Annotations of the message itself say more. */
function withSources(choice: Choice, annotations: readonly JsonObject[]): Choice {
  const { message } = choice
  return (message.annotations?.length ?? 0) > 0 ? choice : { ...choice, message: { ...message, annotations } }
}

function readUsage({ usage, x_groq: groq }: JsonObject, isFiltered: boolean): ReportedUsage | undefined {
  const groqUsage = readObject(groq)?.usage
  const read = decodeUsage(usage) ?? decodeUsage(groqUsage)
  if (read || !isFiltered) return read
  return isZeroReport(usage) || isZeroReport(groqUsage) ? NO_USAGE : undefined
}

function readChoice(
  index: number,
  choice: JsonObject,
  own: OwnFinishWords | undefined,
  completionId: string,
): Choice {
  const logprobs = readLogprobs(choice.logprobs)
  const reason = finishWord(choice)
  const message = isFilteredWhole(choice) ? NO_WORDS : choice.message
  if (!isJsonObject(message)) throw invalidAnswer('a choice has no message')
  const made: Made = { text: false, toolCalls: false, functionCall: false }
  const read = readMessage(message, made, completionId)
  const end = endOfFinish(decodeFinishReason(reason, made, own))
  const extra = choiceFields(choice)
  return {
    index,
    message: isCut(end.finishReason) ? read : withArguments(read),
    ...end,
    ...(logprobs && { logprobs }),
    ...(extra && { extra }),
  }
}

const NO_WORDS: JsonObject = {}

/** Azure's way to say that a filter left nothing of an answer. */
function isFilteredWhole({ message, finish_reason: reason }: JsonObject): boolean {
  return (message === undefined || message === null) && reason === 'content_filter'
}

function readMessage(given: JsonObject, made: Made, completionId: string): AssistantMessage {
  const { role: _role, ...rest } = given
  const {
    content,
    tool_calls: calls,
    reasoning_content,
    ...others
  } = canonicalDelta(rest, made, toolCallReader(completionId))
  const thought = readText(reasoning_content)
  const silent = made.toolCalls || made.functionCall || isJsonObject(given.audio) || made.text
  return {
    role: 'assistant',
    content: typeof content === 'string' ? content : silent ? null : '',
    ...(thought !== undefined && { reasoning_content: thought }),
    ...others,
    ...(calls !== undefined && { tool_calls: (calls as unknown as readonly JsonObject[]).map(unnumbered) }),
  }
}

function unnumbered({ index: _index, ...call }: JsonObject): ToolCall {
  return call as unknown as ToolCall
}

/** Calls without arguments get `{}`: what callers parse must be JSON. */
function withArguments(message: AssistantMessage): AssistantMessage {
  const { tool_calls: calls } = message
  if (!calls?.some(isBare)) return message
  const complete = (call: ToolCall): ToolCall =>
    isBare(call) ? { ...call, function: { ...call.function, arguments: '{}' } } : call
  return { ...message, tool_calls: calls.map(complete) }
}

/** Calls of other types than `function` have none. */
function isBare(call: ToolCall): boolean {
  return isJsonObject(call.function) && call.function.arguments === ''
}
