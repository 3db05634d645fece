import type { AnswerEvent } from '../../../src/core/answer/event.ts'
import type { Step } from '../../../src/core/step.ts'
import type { Framing } from '../../../src/wire/framing.ts'
import type { CallerCodec, Envelope } from '../../../src/wire/wire.ts'

/**
 * The provider's side of a wire format: what servers of the tests speak, for the codec in `src` to be held against.
 * A codec for callers is one too. `Chunk` is what a stream is written in: text, or bytes where the framing is binary.
 */
export interface ServerCodec<Chunk extends string | Uint8Array = string> extends Omit<
  CallerCodec,
  'encodeStream'
> {
  encodeStream(envelope: Envelope): Step<AnswerEvent, Chunk>
}

/** What a provider calls a streamed body. */
export const CONTENT_TYPES: Readonly<Record<Framing, string>> = {
  sse: 'text/event-stream',
  'aws-event-stream': 'application/vnd.amazon.eventstream',
}
