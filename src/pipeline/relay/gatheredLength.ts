import type { AnswerEvent } from '../../core/answer/event.ts'

/** How much an answer that is gathered keeps of an event, in UTF-16 units: its text, and what may be long beside it. */
export function gatheredLength(event: AnswerEvent): number {
  if (event.type !== 'delta') return 0
  const { delta, logprobs } = event
  let length = (delta.content?.length ?? 0) + (delta.reasoning_content?.length ?? 0)
  for (const part of [delta.images, delta['audio'], logprobs]) {
    if (part !== undefined && part !== null) length += JSON.stringify(part).length
  }
  return length
}
