import type { JsonObject } from '../../core/json.ts'
import type { Envelope } from '../wire.ts'
import type { ItemMemory, KeptText } from './itemMemory.ts'
import { reasoningId, reasoningItem } from './items.ts'
import type { StreamEvents, StreamedItem } from './streamEvents.ts'

/** A summary, or the reasoning itself. */
export type ThoughtKind = 'summary' | 'content'

/** Writes a reasoning item as it is thought. */
export interface ReasoningWriter extends StreamedItem {
  open(): string[]
  /** Goes on with the open part, or begins one. */
  think(kind: ThoughtKind, text: string): string[]
  /** Ends the part that is open. */
  endPart(): string[]
  /** The text of the part that is open. */
  partText(): string
  /** Whether it has a part that ended, and none that is open. */
  isBetweenParts(): boolean
  sign(encrypted: string): void
}

interface Part {
  readonly kind: ThoughtKind
  readonly index: number
  readonly text: KeptText
}

export function reasoningWriter(
  events: StreamEvents,
  envelope: Envelope,
  place: number,
  memory: ItemMemory,
): ReasoningWriter {
  const id = reasoningId(envelope, place)
  const at = `"item_id":${JSON.stringify(id)},"output_index":${place},`
  const parts: Part[] = []
  let isOpen = false
  let encrypted: string | undefined
  let done: JsonObject = reasoningItem(id, { summary: [], content: [] })

  function openPart(kind: ThoughtKind): string[] {
    const index = parts.filter((part) => part.kind === kind).length
    const part = { kind, index, text: memory.text() }
    parts.push(part)
    isOpen = true
    return [writePart('added', part, '')]
  }

  function writePart(when: 'added' | 'done', part: Part, text: string): string {
    const said = `${at}${placeOf(part)},"part":${JSON.stringify({ type: TYPES[part.kind].part, text })}`
    return events.writeText(`response.${TYPES[part.kind].partEvent}.${when}`, said)
  }

  function endPart(): string[] {
    const part = parts.at(-1)
    if (!part || !isOpen) return []
    isOpen = false
    const text = part.text.read()
    const said = `${at}${placeOf(part)},"text":${JSON.stringify(text)}`
    return [
      events.writeText(`response.${TYPES[part.kind].textEvent}.done`, said),
      writePart('done', part, text),
    ]
  }

  function textsOf(kind: ThoughtKind): readonly string[] {
    return parts.filter((part) => part.kind === kind).map(({ text }) => text.read())
  }

  return {
    open: () => [events.write('response.output_item.added', { output_index: place, item: done })],
    think(kind, text) {
      const before = isOpen && parts.at(-1)?.kind === kind ? [] : [...endPart(), ...openPart(kind)]
      const part = parts.at(-1)
      if (!part) return before
      part.text.add(text)
      const said = `${at}${placeOf(part)},"delta":${JSON.stringify(text)}`
      return [...before, events.writeText(`response.${TYPES[kind].textEvent}.delta`, said)]
    },
    endPart,
    partText: () => (isOpen ? (parts.at(-1)?.text.read() ?? '') : ''),
    isBetweenParts: () => !isOpen && parts.length > 0,
    sign: (secret) => void (encrypted = secret),
    close() {
      const ended = endPart()
      const whole = { summary: textsOf('summary'), content: textsOf('content') }
      const item = reasoningItem(id, { ...whole, encrypted })
      // A caller that goes on needs the secret here; it is repeated only where there is room.
      done = encrypted === undefined || memory.add(encrypted.length) ? item : reasoningItem(id, whole)
      return [...ended, events.write('response.output_item.done', { output_index: place, item })]
    },
    get item() {
      return done
    },
  }
}

const TYPES = {
  summary: {
    part: 'summary_text',
    partEvent: 'reasoning_summary_part',
    textEvent: 'reasoning_summary_text',
    index: 'summary_index',
  },
  content: {
    part: 'reasoning_text',
    partEvent: 'content_part',
    textEvent: 'reasoning_text',
    index: 'content_index',
  },
} as const satisfies Record<ThoughtKind, unknown>

function placeOf({ kind, index }: Part): string {
  return `"${TYPES[kind].index}":${index}`
}
