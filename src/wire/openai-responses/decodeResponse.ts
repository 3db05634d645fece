import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import { UpstreamError } from '../../core/failure.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { ONE_OF_SEVERAL } from '../askedChoices.ts'
import { collectEvents } from '../collect.ts'
import { type OwnFinishWords, endOf } from '../finishWords.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { isCut } from '../openai-chat/finishReason.ts'
import { readObject } from '../read.ts'
import { readServiceTier } from '../serviceTier.ts'
import { AnswerOutput } from './answerOutput.ts'
import { decodeUsage } from './decodeUsage.ts'
import { readEnding } from './status.ts'

/** Reads a whole response; throws `UpstreamError` for anything else. */
export function decodeResponse(
  body: Json,
  choices = 1,
  own?: OwnFinishWords,
  completionId = '',
): WholeAnswer {
  const answer = readObject(body)
  if (!answer) throw invalidAnswer('the answer is not a JSON object')
  const ending = readEnding(answer)
  if (ending.type === 'failed') throw new UpstreamError(ending.failure)
  if (ending.type === 'open') throw invalidAnswer('the response has not ended')
  if (!Array.isArray(answer.output)) throw invalidAnswer('no response with output')
  if (choices > 1) throw invalidAnswer(ONE_OF_SEVERAL)

  const output = new AnswerOutput(completionId)
  const said = output.endAll(answer.output)
  const end = endOf(ending.word, output.made, own)
  if (!isCut(end.finishReason)) said.push(...output.completeCalls())
  const collector = collectEvents()
  for (const { delta, ...more } of said) collector.push({ type: 'delta', index: 0, delta, ...more })
  collector.push({ type: 'finish', index: 0, reason: end.finishReason })
  const collected = collector.response().choices.map((choice) => ({ ...choice, ...end }))
  const usage = decodeUsage(answer.usage, end.finishReason === 'content_filter')
  return { choices: collected, ...(usage && { usage }), extra: extraOf(answer) }
}

/** The top-level fields of a response that chat's interface has too. */
export function extraOf(response: JsonObject): JsonObject {
  const tier = readServiceTier(response.service_tier)
  return tier === undefined ? {} : { service_tier: tier }
}
