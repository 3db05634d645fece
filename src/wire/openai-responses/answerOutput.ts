import type { Json, JsonObject } from '../../core/json.ts'
import type { Made } from '../finishWords.ts'
import { readObject, readObjects } from '../read.ts'
import { isCallerRunCall } from './callerRun.ts'
import { CallItem } from './callItem.ts'
import { MessageItem } from './messageItem.ts'
import { MessageSoFar, type Said } from './messageSoFar.ts'
import { type ItemSigns, OpenItems, signsOfItem, signsOfPiece } from './openItems.ts'
import { matchItems } from './matchItems.ts'
import type { CallKind, ItemKind, OutputItem } from './outputItem.ts'
import { ReasoningItem } from './reasoningItem.ts'

/**
 * The output items of one answer, whole or streamed, as increments of the one message that the canonical language has.
 * Each part is said once, however often it comes: in pieces, in events for whole parts and items, and in the final list.
 * Items of other kinds (the vendor's own tools, compaction) have no place in it.
 */
export class AnswerOutput {
  readonly #message = new MessageSoFar()
  readonly #items = new OpenItems()
  readonly #calls: CallItem[] = []
  readonly #completionId: string
  readonly #places = new Places()
  /** The final list has calls that have no place in the message. */
  #hasOtherCalls = false

  constructor(completionId: string) {
    this.#completionId = completionId
  }

  get made(): Made {
    const { hasContent, calls } = this.#message
    return { content: hasContent || this.#hasOtherCalls, calls: calls > 0 || this.#hasOtherCalls }
  }

  /** The message that a piece of text belongs to. */
  messageOf(piece: JsonObject): MessageItem {
    const signs = signsOfPiece(piece)
    const known = this.#items.find('message', signs)
    return known instanceof MessageItem ? known : this.#imply(this.#newMessage(), signs)
  }

  /** The same of a thought. */
  reasoningOf(piece: JsonObject): ReasoningItem {
    const signs = signsOfPiece(piece)
    const known = this.#items.find('reasoning', signs)
    return known instanceof ReasoningItem ? known : this.#imply(this.#newReasoning(), signs)
  }

  /** The same of a call's arguments. */
  callOf(kind: CallKind, piece: JsonObject): CallItem {
    const signs = signsOfPiece(piece)
    const known = this.#items.find(kind, signs)
    return known instanceof CallItem ? known : this.#imply(this.#newCall(kind), signs)
  }

  /** `response.output_item.added` */
  begin({ item: value, output_index: index }: JsonObject): Said[] {
    const item = readObject(value) ?? {}
    const kind = kindOf(item)
    if (!kind) return []
    const signs = signsOfItem(item, index)
    const known = this.#items.findBeginning(kind, signs)
    if (known) return known.open(item)
    return this.#add(this.#create(kind), signs).open(item)
  }

  /** `response.output_item.done` */
  end({ item: value, output_index: index }: JsonObject): Said[] {
    const item = readObject(value) ?? {}
    const kind = kindOf(item)
    if (!kind) return []
    const signs = signsOfItem(item, index)
    const known = this.#items.findEnding(kind, signs) ?? this.#add(this.#create(kind), signs)
    return this.#finish(known, item, signs)
  }

  /** The final list, whatever came before; then nothing more comes of any item. */
  endAll(output: Json | undefined): Said[] {
    this.#hasOtherCalls = readObjects(output).some(isCallerRunCall)
    const known = matchItems(this.#items, readObjects(output).map(listed))
    const places = new Places()
    const said = readObjects(output).flatMap((item, index) => {
      const kind = kindOf(item)
      if (!kind) return []
      const signs = signsOfItem(item, index)
      const place = places.next(kind)
      const it = known.get(index) ?? this.#add(this.#create(kind, place), signs)
      return this.#finish(it, item, signs)
    })
    return [...said, ...this.#items.open.flatMap((item) => this.#finish(item, {}))]
  }

  /** Calls of functions without arguments get `{}`. */
  completeCalls(): Said[] {
    return this.#calls.flatMap((call) => call.complete())
  }

  #finish(it: OutputItem, item: JsonObject, signs?: ItemSigns): Said[] {
    if (this.#items.isEnded(it)) return []
    this.#items.end(it, signs)
    return it.finish(item)
  }

  #add(item: OutputItem, signs: ItemSigns): OutputItem {
    this.#items.add(item, signs)
    return item
  }

  #imply<Item extends OutputItem>(item: Item, signs: ItemSigns): Item {
    this.#items.addImplied(item, signs)
    return item
  }

  #create(kind: ItemKind, place?: number): OutputItem {
    switch (kind) {
      case 'message':
        return this.#newMessage()
      case 'reasoning':
        return this.#newReasoning(place)
      case 'function_call':
      case 'custom_tool_call':
        return this.#newCall(kind)
    }
  }

  #newMessage(): MessageItem {
    this.#places.next('message')
    return new MessageItem(this.#message)
  }

  #newReasoning(place = this.#places.next('reasoning')): ReasoningItem {
    return new ReasoningItem(this.#message, place)
  }

  #newCall(kind: CallKind): CallItem {
    this.#places.next(kind)
    const call = new CallItem(kind, this.#message, this.#completionId)
    this.#calls.push(call)
    return call
  }
}

/** Places among the items of the canonical message: all messages of an answer have one. */
class Places {
  #count = 0
  #message: number | undefined

  next(kind: ItemKind): number {
    if (kind !== 'message') return this.#count++
    this.#message ??= this.#count++
    return this.#message
  }
}

function kindOf({ type }: JsonObject): ItemKind | undefined {
  switch (type) {
    case 'message':
    case 'reasoning':
    case 'function_call':
    case 'custom_tool_call':
      return type
    default:
      return undefined
  }
}

function listed(item: JsonObject, index: number) {
  return { kind: kindOf(item), signs: signsOfItem(item, index) }
}
