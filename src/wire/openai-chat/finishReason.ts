import type { Json, JsonObject } from '../../core/json.ts'
import type { FinishReason } from '../../core/answer/wholeAnswer.ts'
import { type Finish, type OwnFinishWords, readFinish, unsaidReason } from '../finishWords.ts'
import { readText } from '../read.ts'

/** What a choice has brought forth so far: decides what an odd finish reason can mean. */
export interface Made {
  text: boolean
  toolCalls: boolean
  /** The legacy `function_call`. */
  functionCall: boolean
}

/** Why a choice ended. OpenRouter says `error` where its provider has a word that says whose fault it is. */
export function finishWord({
  finish_reason: word,
  native_finish_reason: native,
}: JsonObject): Json | undefined {
  return word === 'error' ? (readText(native) ?? word) : word
}

/** Reads `finish_reason` as OpenAI and its many imitators write it. */
export function decodeFinishReason(value: unknown, made: Made, own?: OwnFinishWords): Finish {
  if (value === 'function_call') {
    return { ok: true, reason: made.toolCalls && !made.functionCall ? 'tool_calls' : 'function_call' }
  }
  const content = made.text || made.toolCalls || made.functionCall
  if ((value === undefined || value === null || value === '') && content) {
    return { ok: true, reason: unsaidEnd(made) }
  }
  return readFinish(value, { content, calls: made.toolCalls }, own)
}

/** Whether an answer that ended so can lack its rest: the arguments of a call, too. */
export function isCut(reason: FinishReason): boolean {
  return reason === 'length' || reason === 'content_filter'
}

/** The end of an answer that is whole, where its provider does not say why it ended. */
export function unsaidEnd({ toolCalls, functionCall }: Made): FinishReason {
  return functionCall && !toolCalls ? 'function_call' : unsaidReason({ calls: toolCalls })
}
