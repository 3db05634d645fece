import type { Frame } from '../core/answer/frame.ts'
import type { Step } from '../core/step.ts'

/**
 * The longest answer, and the longest frame of a streamed one: bytes, or UTF-16 units of text. More is no completion. An image
 * of 3,840 by 2,160 pixels takes up to 40 MiB as base64, in one frame.
 */
export const ANSWER_LENGTH_MAX = 64 * 1024 * 1024

/** Splits the bytes of a streamed body into its frames. */
export interface FrameSplitter extends Step<Uint8Array, Frame> {
  /** How much it keeps of a frame that has not ended: bytes, or UTF-16 units of text. */
  readonly kept: number
}
