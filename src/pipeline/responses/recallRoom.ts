import { countValues } from '../../core/countValues.ts'
import { type Refusal, refuse } from '../../core/error.ts'
import type { Json } from '../../core/json.ts'
import { CALLER_JSON } from '../../core/jsonScan.ts'
import { type BodyShare, NO_ROOM_FOR_BODY } from '../authenticate/bodyBudget.ts'

/** The room of a request with all that it refers to. It is bounded as if its caller had sent it all. */
export interface RecallRoom {
  /** Takes room for kept bytes. False where there is none: then `refusal` says why. */
  take(bytes: number): boolean
  /** Counts the values of a kept item, in each place that it has. False where they are too many. */
  add(item: Json): boolean
  readonly refusal: Refusal
}

/**
 * @param input of the request itself
 * @param param the field that refers to what is kept
 */
export function createRecallRoom(share: BodyShare, input: readonly Json[], param: string): RecallRoom {
  const { valuesMax } = CALLER_JSON
  let values = countValues(input, valuesMax)
  let refusal = NO_ROOM_FOR_BODY
  return {
    take(bytes) {
      if (share.take(bytes)) return true
      if (!share.fits(share.bytes + bytes))
        refusal = tooLarge('is larger than this server allows for a request', param)
      return false
    },
    add(item) {
      values += countValues(item, valuesMax - values)
      if (values <= valuesMax) return true
      refusal = tooLarge(`has more than the ${valuesMax} values that a request may have`, param)
      return false
    },
    get refusal() {
      return refusal
    },
  }
}

function tooLarge(how: string, param: string): Refusal {
  const message = `The kept conversation that the request goes on from, or refers to, ${how}. Send a shorter one.`
  return refuse('request_too_large', message, { param })
}
