import type { Delta } from '../../../core/answer/event.ts'
import type { JsonObject } from '../../../core/json.ts'
import { readNumber, readObject, readText } from '../../read.ts'
import type { ItemMemory, KeptText, createMemory } from '../itemMemory.ts'
import { type ItemStatus, outputText, refusalPart } from '../items.ts'
import type { StreamEvents } from '../streamEvents.ts'

/** The items that have begun in frames of the provider and not ended: what the gateway writes goes on with them. */
export interface PassedItems {
  /** How many places of the answer are taken. */
  readonly places: number
  begin(json: JsonObject): void
  beginPart(json: JsonObject): void
  endPart(): void
  end(json: JsonObject): void
  /** A piece of an item. @param json gives what its event says of which item that is */
  add(delta: Delta, json: () => JsonObject): void
  /** Goes on with the message that is open; undefined where none is. */
  speak(text: string): string[] | undefined
  /** Writes the ends of all. */
  close(isCut: boolean): { readonly written: string[]; readonly items: JsonObject[] }
}

type PartKind = 'output_text' | 'refusal' | 'summary_text' | 'reasoning_text'

interface Part {
  readonly kind: PartKind
  readonly index: number
  readonly text: KeptText
  isEmpty: boolean
  isOpen: boolean
}

/** As it began. */
interface PassedItem {
  readonly item: JsonObject
  readonly place: number
  readonly memory: ItemMemory
  readonly parts: Part[]
  /** Arguments of a call, input of a custom tool. */
  readonly input: KeptText
}

/** Of an item that has ended nothing is kept. */
export function passedItems(events: StreamEvents, memory: ReturnType<typeof createMemory>): PassedItems {
  const open = new Map<number, PassedItem>()
  /** The places of items in the order they began. The last is that of an open item. */
  const begun: number[] = []
  let places = 0
  let latest: PassedItem | undefined

  function itemOf(json: () => JsonObject): PassedItem | undefined {
    return open.size > 1 ? open.get(placeIn(json())) : latest
  }

  function writePart(item: PassedItem, part: Part): string[] {
    const said = written(part)
    const { event, partEvent, place } = PARTS[part.kind]
    const at = `${atItem(item)},"${place}":${part.index}`
    const text = part.kind === 'refusal' ? { refusal: said.refusal } : { text: said.text }
    const logprobs = part.kind === 'output_text' ? { logprobs: [] } : {}
    return [
      events.writeText(`response.${event}.done`, `${at},${inner({ ...text, ...logprobs })}`),
      events.writeText(`response.${partEvent}.done`, `${at},${inner({ part: said })}`),
    ]
  }

  function writeEnd(
    item: PassedItem,
    isCut: boolean,
  ): { readonly written: string[]; readonly whole: JsonObject } {
    const whole = wholeOf(item, isCut ? 'incomplete' : 'completed')
    const parts = item.parts.filter(({ isOpen }) => isOpen).flatMap((part) => writePart(item, part))
    const done = { output_index: item.place, item: whole }
    return {
      whole,
      written: [...parts, ...writeInput(item), events.write('response.output_item.done', done)],
    }
  }

  function writeInput(item: PassedItem): string[] {
    const at = atItem(item)
    const input = item.input.read()
    switch (item.item.type) {
      case 'function_call': {
        const { name = '' } = item.item
        const said = inner({ name, arguments: input })
        return [events.writeText('response.function_call_arguments.done', `${at},${said}`)]
      }
      case 'custom_tool_call':
        return [events.writeText('response.custom_tool_call_input.done', `${at},${inner({ input })}`)]
      default:
        return []
    }
  }

  return {
    get places() {
      return places
    },
    begin(json) {
      const place = placeIn(json)
      places = Math.max(places, place + 1)
      const item = readObject(json.item)
      if (!item || !KINDS.has(item.type)) return
      const kept = memory.item()
      latest = { item, place, memory: kept, parts: [], input: kept.text() }
      open.set(place, latest)
      begun.push(place)
    },
    beginPart(json) {
      const item = itemOf(() => json)
      const kind = kindOf(readObject(json.part)?.type)
      if (!item || !kind) return
      const index = readNumber(json[PARTS[kind].place]) ?? item.parts.length
      item.parts.push({ kind, index, text: item.memory.text(), isEmpty: true, isOpen: true })
    },
    endPart() {
      const part = latest?.parts.at(-1)
      if (part) part.isOpen = false
    },
    end(json) {
      open.delete(placeIn(json))
      let last = begun.at(-1)
      while (last !== undefined && !open.has(last)) {
        begun.pop()
        last = begun.at(-1)
      }
      latest = last === undefined ? undefined : open.get(last)
    },
    add(delta, json) {
      const item = itemOf(json)
      const part = item?.parts.at(-1)
      if (part) addTo(part, delta.content ?? delta.refusal ?? withoutGap(part, delta.reasoning_content ?? ''))
      for (const call of delta.tool_calls ?? [])
        item?.input.add(call.function?.arguments ?? readText(readObject(call.custom)?.input) ?? '')
    },
    speak(text) {
      const part = latest?.parts.at(-1)
      if (!latest || part?.kind !== 'output_text' || !part.isOpen) return undefined
      addTo(part, text)
      const said = inner({ delta: text, logprobs: [] })
      const at = `${atItem(latest)},"content_index":${part.index}`
      return [events.writeText('response.output_text.delta', `${at},${said}`)]
    },
    close(isCut) {
      const ends = [...open.values()].map((item) => writeEnd(item, isCut))
      open.clear()
      begun.length = 0
      latest = undefined
      return { written: ends.flatMap((end) => end.written), items: ends.map((end) => end.whole) }
    },
  }
}

function addTo(part: Part, text: string): void {
  part.isEmpty &&= text === ''
  part.text.add(text)
}

/** A blank line separates the parts of reasoning in the canonical language. */
function withoutGap({ isEmpty }: Part, text: string): string {
  return isEmpty && text.startsWith('\n\n') ? text.slice(2) : text
}

function wholeOf({ item, parts, input }: PassedItem, status: ItemStatus): JsonObject {
  const ended = 'status' in item ? { ...item, status } : item
  const ofKinds = (...kinds: PartKind[]): JsonObject[] =>
    parts.filter(({ kind }) => kinds.includes(kind)).map(written)
  switch (item.type) {
    case 'message':
      return { ...ended, content: ofKinds('output_text', 'refusal') }
    case 'reasoning': {
      const content = ofKinds('reasoning_text')
      return { ...ended, summary: ofKinds('summary_text'), ...(content.length > 0 && { content }) }
    }
    case 'function_call':
      return { ...ended, arguments: input.read() }
    default:
      return { ...ended, input: input.read() }
  }
}

function written({ kind, text }: Part): JsonObject {
  switch (kind) {
    case 'output_text':
      return outputText(text.read())
    case 'refusal':
      return refusalPart(text.read())
    case 'summary_text':
    case 'reasoning_text':
      return { type: kind, text: text.read() }
  }
}

const KINDS: ReadonlySet<unknown> = new Set(['message', 'reasoning', 'function_call', 'custom_tool_call'])

const PARTS = {
  output_text: { event: 'output_text', partEvent: 'content_part', place: 'content_index' },
  refusal: { event: 'refusal', partEvent: 'content_part', place: 'content_index' },
  reasoning_text: { event: 'reasoning_text', partEvent: 'content_part', place: 'content_index' },
  summary_text: {
    event: 'reasoning_summary_text',
    partEvent: 'reasoning_summary_part',
    place: 'summary_index',
  },
} as const satisfies Record<PartKind, unknown>

function kindOf(type: unknown): PartKind | undefined {
  switch (type) {
    case 'output_text':
    case 'refusal':
    case 'summary_text':
    case 'reasoning_text':
      return type
    default:
      return undefined
  }
}

function placeIn({ output_index: place }: JsonObject): number {
  return readNumber(place) ?? 0
}

function atItem({ item, place }: PassedItem): string {
  return `"item_id":${JSON.stringify(readText(item.id) ?? '')},"output_index":${place}`
}

/** The members of an object, without its braces. */
function inner(object: JsonObject): string {
  return JSON.stringify(object).slice(1, -1)
}
