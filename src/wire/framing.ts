import { unreachable } from '../core/assert.ts'
import { awsEventStreamFrames } from './aws-event-stream.ts'
import type { FrameSplitter } from './frame.ts'
import { sseFrames } from './sse.ts'

/** How the frames of a streamed body are told apart. */
export type Framing = 'sse' | 'aws-event-stream'

/** Splits the bytes of a streamed body into its frames. */
export function splitFrames(framing: Framing): FrameSplitter {
  switch (framing) {
    case 'sse':
      return sseFrames()
    case 'aws-event-stream':
      return awsEventStreamFrames()
    default:
      return unreachable(framing)
  }
}
