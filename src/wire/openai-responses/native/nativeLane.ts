import type { NativeLane } from '../../wire.ts'
import { decodeStream } from '../decodeStream.ts'
import { gather, passAnswer, writeAnswer } from './answer.ts'
import { carryFrames } from './carryFrames.ts'
import { encodeRequest } from './encodeRequest.ts'

/** Responses for callers of Responses. */
export const nativeLane: NativeLane = {
  headers: [],
  encodeRequest,
  answers: {
    passAnswer,
    decodeStream: (choices, own, completionId) => decodeStream(choices, own, completionId, carryFrames()),
    gather,
    writeAnswer,
  },
}
