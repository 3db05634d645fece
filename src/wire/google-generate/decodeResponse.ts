import type { WholeAnswer, Choice } from '../../core/answer/wholeAnswer.ts'
import { UpstreamError } from '../../core/failure.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { askedInOrder } from '../askedChoices.ts'
import { type OwnFinishWords, endOfFinish } from '../finishWords.ts'
import { withAllChoices } from '../fewerChoices.ts'
import { assistantMessage } from '../assistantMessage.ts'
import { invalidAnswer } from '../invalidAnswer.ts'
import { readObject, readObjects, readText } from '../read.ts'
import { decodeParts } from './candidate.ts'
import { decodeErrorObject, readErrorObject } from './decodeError.ts'
import { decodeFinishReason } from './finishReason.ts'
import { decodeLogprobs } from './logprobs.ts'
import { decodeUsage, mergeUsage } from './usage.ts'

/** Reads a whole `GenerateContentResponse`; throws `UpstreamError` for anything else. */
export function decodeResponse(
  body: Json,
  choices?: number,
  own?: OwnFinishWords,
  completionId = '',
): WholeAnswer {
  const error = readErrorObject(body)
  if (error) throw new UpstreamError(decodeErrorObject(error))
  const answer = readObject(body) ?? {}
  const counted = mergeUsage(undefined, answer.usageMetadata)
  const response = {
    choices: decodeChoices(answer, choices, own, completionId),
    ...(counted && { usage: decodeUsage(counted) }),
    extra: {},
  }
  return withAllChoices(response, choices)
}

function decodeChoices(
  answer: JsonObject,
  choices: number | undefined,
  own: OwnFinishWords | undefined,
  completionId: string,
): Choice[] {
  const candidates = readObjects(answer.candidates)
  if (candidates.length === 0 && isBlocked(answer))
    return Array.from({ length: choices ?? 1 }, (_, index) => blockedChoice(index))
  const found = askedInOrder(candidates, choices)
  if (!found) throw invalidAnswer(`not all of ${choices ?? 'the'} candidates came`)
  return found.map(({ index, choice }) => decodeChoice(choice, index, own, completionId))
}

/** A refused prompt has no candidates, only the reason; so may an answer that is refused half-way. */
export function isBlocked(answer: JsonObject): boolean {
  return readText(readObject(answer.promptFeedback)?.blockReason) !== undefined
}

function blockedChoice(index: number): Choice {
  return { index, message: { role: 'assistant', content: '' }, finishReason: 'content_filter' }
}

function decodeChoice(
  candidate: JsonObject,
  index: number,
  own: OwnFinishWords | undefined,
  completionId: string,
): Choice {
  const before = { calls: 0, images: 0 }
  const { text, thoughts, calls, signatures, images } = decodeParts(candidate, before, completionId)
  const hasWords = text !== '' || images.length > 0
  const made = { content: hasWords || calls.length > 0, calls: calls.length > 0 }
  const end = endOfFinish(decodeFinishReason(candidate.finishReason, made, own))
  const logprobs = decodeLogprobs(candidate.logprobsResult)
  return {
    index,
    message: assistantMessage({ text, reasoning: thoughts, details: signatures, toolCalls: calls, images }),
    ...end,
    ...(logprobs && { logprobs }),
  }
}
