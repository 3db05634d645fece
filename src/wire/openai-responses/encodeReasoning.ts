import type { Message, ReasoningDetail } from '../../core/chat/request.ts'
import type { JsonObject } from '../../core/json.ts'
import { THOUGHT_FORMATS } from '../../core/thoughtFormat.ts'
import { partsOf } from '../messageParts.ts'
import { compact, readNumber, readText } from '../read.ts'

/** A thought of an earlier answer, ready to be sent back. */
export interface ReasoningItem {
  /** Its place among all items of that answer; undefined: before them. */
  readonly place: number | undefined
  readonly item: JsonObject
  /** What it was made of. */
  readonly details: readonly ReasoningDetail[]
}

/** A thought while its details are gathered. */
interface Draft {
  readonly id: string | undefined
  readonly place: number | undefined
  readonly details: ReasoningDetail[]
  readonly summary: JsonObject[]
  readonly content: JsonObject[]
  encrypted: string | undefined
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
  const drafts: Draft[] = []
  for (const detail of message.reasoning_details) {
    if (detail.format === THOUGHT_FORMATS.openai) gather(detail, drafts)
  }
  return drafts
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

function gather(detail: ReasoningDetail, drafts: Draft[]): void {
  const draft = drafts.find((candidate) => belongsTo(detail, candidate, candidate === drafts.at(-1)))
  const { id, index } = detail
  const into = draft ?? begin(id, readNumber(index))
  if (draft === undefined) drafts.push(into)
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

function begin(id: string | undefined, place: number | undefined): Draft {
  return { id, place, details: [], summary: [], content: [], encrypted: undefined }
}

/** Details of one thought have one id or one place; without either they are neighbours. A thought is encrypted once. */
function belongsTo(detail: ReasoningDetail, draft: Draft, isLatest: boolean): boolean {
  if (detail.type === 'reasoning.encrypted' && draft.encrypted !== undefined) return false
  const place = readNumber(detail.index)
  if (detail.id !== undefined && draft.id !== undefined) return detail.id === draft.id
  if (place !== undefined && draft.place !== undefined) return place === draft.place
  return isLatest && detail.id === draft.id && place === draft.place && draft.encrypted === undefined
}
