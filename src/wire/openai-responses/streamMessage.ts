import type { Json, JsonObject } from '../../core/json.ts'
import type { Envelope } from '../wire.ts'
import type { ItemMemory, KeptText } from './itemMemory.ts'
import { encodeAnnotation, itemId, messageItem, outputText, refusalPart } from './items.ts'
import type { StreamEvents, StreamedItem } from './streamEvents.ts'

/** Writes a message as it is said: a part for what it says, one for a refusal. */
export interface MessageWriter extends StreamedItem {
  open(): string[]
  speak(text: string, logprobs: readonly Json[]): string[]
  refuse(text: string): string[]
  cite(annotation: JsonObject): string[]
}

/** A part of the message, as far as it has come. */
interface Part {
  readonly kind: 'text' | 'refusal'
  readonly index: number
  readonly text: KeptText
  readonly annotations: JsonObject[]
  /** How many there are, kept or not. */
  citations: number
  readonly logprobs: Json[]
}

/**
 * @param place of the item in its answer
 * @param start where its text begins in that of the whole answer
 */
export function messageWriter(
  events: StreamEvents,
  envelope: Envelope,
  place: number,
  start: number,
  memory: ItemMemory,
): MessageWriter {
  const id = itemId(envelope, 'message', place)
  const at = `"item_id":${JSON.stringify(id)},"output_index":${place},"content_index":`
  const parts: Part[] = []
  let done = messageItem(id, 'in_progress', [])

  function partOf(kind: Part['kind']): { readonly part: Part; readonly opened: string[] } {
    const known = parts.find((part) => part.kind === kind)
    if (known) return { part: known, opened: [] }
    const part = {
      kind,
      index: parts.length,
      text: memory.text(),
      annotations: [],
      citations: 0,
      logprobs: [],
    }
    parts.push(part)
    return { part, opened: [events.writeText('response.content_part.added', fields(part, writePart(part)))] }
  }

  function fields({ index }: Part, part: JsonObject): string {
    return `${at}${index},"part":${JSON.stringify(part)}`
  }

  function writePart({ kind, text, annotations, logprobs }: Part): JsonObject {
    if (kind === 'refusal') return refusalPart(text.read())
    return memory.isKept ? outputText(text.read(), annotations, logprobs) : outputText('')
  }

  function closePart(part: Part): string[] {
    const whole = writePart(part)
    const [type, said] =
      part.kind === 'text'
        ? ['output_text', { text: whole.text, logprobs: whole.logprobs }]
        : ['refusal', { refusal: whole.refusal }]
    return [
      events.writeText(`response.${type}.done`, `${at}${part.index},${JSON.stringify(said).slice(1, -1)}`),
      events.writeText('response.content_part.done', fields(part, whole)),
    ]
  }

  return {
    open: () => [events.write('response.output_item.added', { output_index: place, item: done })],
    speak(text, logprobs) {
      const { part, opened } = partOf('text')
      part.text.add(text)
      const odds = JSON.stringify(logprobs)
      if (logprobs.length > 0 && memory.add(odds.length)) part.logprobs.push(...logprobs)
      const said = `${at}${part.index},"delta":${JSON.stringify(text)},"logprobs":${odds}`
      return [...opened, events.writeText('response.output_text.delta', said)]
    },
    refuse(text) {
      const { part, opened } = partOf('refusal')
      part.text.add(text)
      const said = `${at}${part.index},"delta":${JSON.stringify(text)}`
      return [...opened, events.writeText('response.refusal.delta', said)]
    },
    cite(given) {
      const annotation = encodeAnnotation(given, start)
      const part = parts.find(({ kind }) => kind === 'text')
      if (!annotation || !part) return []
      const json = JSON.stringify(annotation)
      const index = part.citations++
      if (memory.add(json.length)) part.annotations.push(annotation)
      const said = `${at}${part.index},"annotation_index":${index},"annotation":${json}`
      return [events.writeText('response.output_text.annotation.added', said)]
    },
    close(isCut) {
      const written = parts.flatMap(closePart)
      done = messageItem(id, isCut ? 'incomplete' : 'completed', parts.map(writePart))
      return [...written, events.write('response.output_item.done', { output_index: place, item: done })]
    },
    get item() {
      return done
    },
  }
}
