import type { AnswerEvent } from '../../core/answer/event.ts'
import type { Frame } from '../../core/answer/frame.ts'

/** Gathers the frames of an answer that came in its caller's own format. */
export interface FrameGatherer {
  push(event: AnswerEvent): void
  /** Undefined where a part of the answer did not come as a frame that is passed on: then something is missing. */
  whole(): readonly Frame[] | undefined
}

export function gatherFrames(): FrameGatherer {
  let frames: Frame[] | undefined = []
  return {
    push(event) {
      if (frames === undefined || event.type === 'usage' || event.type === 'error') return
      if (event.raw === undefined) frames = undefined
      else frames.push(...event.raw)
    },
    whole: () => (frames?.length === 0 ? undefined : frames),
  }
}
