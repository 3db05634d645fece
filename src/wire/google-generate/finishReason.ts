import { type Finish, type Made, type OwnFinishWords, readFinish } from '../finishWords.ts'

/** https://ai.google.dev/api/generate-content#FinishReason */
export function decodeFinishReason(word: unknown, made: Made, own?: OwnFinishWords): Finish {
  // The model made no image that was asked for: what it says instead is an answer.
  if (word === 'NO_IMAGE') return made.content ? { ok: true, reason: 'stop' } : NO_IMAGE
  const finish = readFinish(word, made, own)
  // The format has no reason of its own for calls.
  return finish.ok && finish.reason === 'stop' && made.calls ? { ok: true, reason: 'tool_calls' } : finish
}

const NO_IMAGE: Finish = {
  ok: false,
  failure: { kind: 'malformed_output', detail: 'finish reason NO_IMAGE' },
}
