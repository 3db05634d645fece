import type { WholeAnswer } from '../../core/answer/wholeAnswer.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Envelope } from '../wire.ts'
import { encodeItems } from './encodeItems.ts'
import { changingFields, constantFields, endOf } from './responseObject.ts'

/** The first choice as a response: the format has no others. */
export function encodeResponse({ choices, usage, extra }: WholeAnswer, envelope: Envelope): JsonObject {
  const choice = choices[0]
  const end = endOf(choice?.finishReason ?? 'stop')
  const output = choice ? encodeItems(choice, envelope, end.status === 'incomplete') : []
  const state = { ...end, output, usage, serviceTier: extra.service_tier }
  return { ...constantFields(envelope), ...changingFields(state, envelope) }
}
