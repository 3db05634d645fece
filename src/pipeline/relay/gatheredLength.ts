import type { AnswerEvent } from '../../core/answer/event.ts'

/** How much an answer that is gathered keeps of an event, in UTF-16 units: its text, and what may be long beside it. */
export function gatheredLength(event: AnswerEvent): number {
  if (event.type === 'usage' || event.type === 'error') return 0
  let length = 0
  for (const { data } of event.raw ?? []) length += data.length
  if (event.type !== 'delta') return length
  const { delta, logprobs } = event
  length += (delta.content?.length ?? 0) + (delta.reasoning_content?.length ?? 0)
  for (const part of [delta.images, delta['audio'], logprobs]) {
    if (part !== undefined && part !== null) length += JSON.stringify(part).length
  }
  return length
}
