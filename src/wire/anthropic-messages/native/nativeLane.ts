import type { NativeLane } from '../../wire.ts'
import { decodeStream } from '../decodeStream.ts'
import { gather, passAnswer, writeAnswer } from './answer.ts'
import { carryFrames } from './carryFrames.ts'
import { BETA, VERSION, encodeRequest } from './encodeRequest.ts'

/** Messages for callers of Messages. */
export const nativeLane: NativeLane = {
  headers: [BETA, VERSION],
  featureHeader: BETA,
  encodeRequest,
  answers: {
    passAnswer,
    decodeStream: (choices, own, completionId) => decodeStream(choices, own, completionId, carryFrames()),
    gather,
    writeAnswer,
  },
}
