import type { Message, ReasoningDetail } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'
import { partsOf } from '../messageParts.ts'
import { compact, readText } from '../read.ts'
import { type ThoughtDraft, ThoughtDrafts } from './thoughtDrafts.ts'

/** A thought of an earlier answer, ready to be sent back. */
export interface ReasoningItem {
  /** Its place among all items of that answer; undefined: before them. */
  readonly place: number | undefined
  readonly item: JsonObject
  /** What it was made of. */
  readonly details: readonly ReasoningDetail[]
}

/**
 * The thoughts of an earlier answer of this format that can go back: encrypted ones to a model that reasons, and those
 * in the open, which come only from servers that encrypt none. Summaries alone are left out, as others do (vercel/ai#13239).
 * Items have no id: what is not stored cannot be found by one, and a message behind an item with an id would need its own.
 *
 * @param reasons the model takes its encrypted reasoning back
 */
export function reasoningItems(message: Message, reasons: boolean): readonly ReasoningItem[] {
  if (message.reasoning_details === undefined || saysNothing(message)) return []
  const drafts = new ThoughtDrafts()
  for (const detail of message.reasoning_details) {
    if (detail.format === THOUGHT_FORMATS.openai) gather(detail, drafts.draftOf(detail))
  }
  return drafts.all
    .filter(({ encrypted, content }) => (encrypted === undefined ? content.length > 0 : reasons))
    .map(({ place, summary, content, encrypted, details }) => ({
      place,
      item: compact({
        type: 'reasoning',
        summary,
        content: content.length > 0 ? content : undefined,
        encrypted_content: encrypted,
      }),
      details,
    }))
}

/** A thought before what it led to: the API refuses one that nothing follows. */
export function inTheirPlaces(
  thoughts: readonly ReasoningItem[],
  spoken: readonly JsonObject[],
): JsonObject[] {
  const waiting = thoughts.toSorted((a, b) => (a.place ?? -1) - (b.place ?? -1))
  const items: JsonObject[] = []
  let next = 0
  for (const [i, said] of spoken.entries()) {
    const isLast = i === spoken.length - 1
    for (let thought = waiting[next]; thought !== undefined; thought = waiting[++next]) {
      if (!isLast && (thought.place ?? -1) > items.length) break
      items.push(thought.item)
    }
    items.push(said)
  }
  return items
}

function saysNothing(message: Message): boolean {
  return partsOf(message).length === 0 && !message.refusal && (message.tool_calls?.length ?? 0) === 0
}

function gather(detail: ReasoningDetail, into: ThoughtDraft): void {
  into.details.push(detail)
  const summary = readText(detail.summary)
  const text = readText(detail.text)
  switch (detail.type) {
    case 'reasoning.summary':
      if (summary !== undefined) into.summary.push({ type: 'summary_text', text: summary })
      break
    case 'reasoning.text':
      if (text !== undefined) into.content.push({ type: 'reasoning_text', text })
      break
    case 'reasoning.encrypted':
      into.encrypted = readText(detail.data)
      break
    default:
      break
  }
}
