import type { ReasoningDetail } from '../../core/chat/request.ts'
import type { ItemMemory } from './itemMemory.ts'
import { isOwnDetail, isSigned, markedSecret, needsSecret } from './secrets.ts'
import type { ReasoningWriter } from './streamReasoning.ts'
import { keyOf, plainBlock, readableIn } from './thoughtBlocks.ts'

const BLANK_LINE = '\n\n'

/** The reasoning of a streamed answer. Blocks of other formats that are beside each other are one item, each with a part for its text. */
export interface ThoughtStream {
  /** Reasoning as text: its block may follow. */
  think(text: string): string[]
  /** @param isAlone no reasoning is beside it in its delta, so that it may repeat what came before */
  add(detail: ReasoningDetail, isAlone: boolean): string[]
  /** Ends the item that is open: something else than reasoning begins. */
  close(): string[]
}

/** An item that has begun. */
export interface OpenedThought {
  readonly writer: ReasoningWriter
  /** What was written for it. */
  readonly written: string[]
}

interface OpenItem {
  readonly writer: ReasoningWriter
  /** Of the block that is open; undefined where none is, or none has said it. */
  key: unknown
  /** Undefined until a block has said it. */
  isOwn: boolean | undefined
  /** The blocks of other formats that have ended. */
  readonly blocks: ReasoningDetail[]
}

/**
 * @param begin ends all that is open, and begins an item
 * @param memory the room for the signed blocks that later items repeat
 * @param sealsPlain as of `needsSecret`
 */
export function thoughtStream(
  begin: () => OpenedThought,
  memory: ItemMemory,
  sealsPlain: boolean,
): ThoughtStream {
  let open: OpenItem | undefined
  /** The signed blocks of the items of other formats that have ended; undefined: none has. */
  let earlier: ReasoningDetail[] | undefined

  function openItem(): { readonly item: OpenItem; readonly written: string[] } {
    if (open) return { item: open, written: [] }
    const { writer, written } = begin()
    open = { writer, key: undefined, isOwn: undefined, blocks: [] }
    return { item: open, written }
  }

  function addOwn(detail: ReasoningDetail, isAlone: boolean): string[] {
    const text = readableIn(detail)
    const key = keyOf(detail)
    const isSame = open?.isOwn !== false && isSameKey(open?.key, key)
    const before = isSame ? [] : close()
    const { item, written } = openItem()
    const { writer } = item
    item.isOwn = true
    item.key ??= key
    const isRepeated = text === '' || (isAlone && writer.partText() === text)
    const kind = detail.type === 'reasoning.text' ? 'content' : 'summary'
    const said = isRepeated ? [] : writer.think(kind, text)
    const ended = writer.endPart()
    if (detail.data === undefined) return [...before, ...written, ...said, ...ended]
    writer.sign(detail.data)
    return [...before, ...written, ...said, ...ended, ...close()]
  }

  function addOther(detail: ReasoningDetail, isAlone: boolean): string[] {
    const before = open?.isOwn === true ? close() : []
    const { item, written } = openItem()
    item.isOwn = false
    const said = isSigned(detail) ? addSigned(item, detail, isAlone) : addPiece(item, detail)
    return [...before, ...written, ...said]
  }

  /** A piece of a block, whose signature may follow. */
  function addPiece(item: OpenItem, detail: ReasoningDetail): string[] {
    const key = keyOf(detail)
    const ended = isSameKey(item.key, key) ? [] : endPlain(item)
    item.key ??= key
    return [...ended, ...item.writer.think('summary', readableIn(detail))]
  }

  /** A signature is of its own text alone: what came before with another text is a block by itself. */
  function addSigned(item: OpenItem, detail: ReasoningDetail, isAlone: boolean): string[] {
    const { writer } = item
    const text = readableIn(detail)
    const said = writer.partText()
    const isRepeated = isAlone && said === text
    const goesOn = text === '' ? isSameKey(item.key, keyOf(detail)) : isNextPiece(item, detail)
    const isItsText = said !== '' && detail.type !== 'reasoning.encrypted' && (isRepeated || goesOn)
    const before = isItsText ? [] : endPlain(item)
    const more = (isItsText && isRepeated) || text === '' ? [] : writer.think('summary', text)
    item.blocks.push(isItsText && !isRepeated ? withText(detail, said + text) : detail)
    item.key = undefined
    return [...before, ...more, ...writer.endPart()]
  }

  function endPlain(item: OpenItem): string[] {
    const text = item.writer.partText()
    if (text !== '') item.blocks.push(plainBlock(text))
    item.key = undefined
    return item.writer.endPart()
  }

  function close(): string[] {
    if (!open) return []
    const item = open
    open = undefined
    if (item.isOwn === true) return item.writer.close(false)
    const ended = endPlain(item)
    if (needsSecret(item.blocks, sealsPlain)) item.writer.sign(markedSecret(item.blocks, repeated()))
    earlier = [...(earlier ?? []), ...item.blocks.filter(isSigned)]
    return [...ended, ...item.writer.close(false)]
  }

  /** None of them once there is no room: an answer of many items may not grow with their square. */
  function repeated(): readonly ReasoningDetail[] | undefined {
    if (earlier && earlier.length > 0 && !memory.add(JSON.stringify(earlier).length)) earlier = []
    return earlier
  }

  return {
    think(text) {
      const { item, written } = openItem()
      const { writer } = item
      // What separates the parts of a summary in one text. In other formats it belongs to the text.
      const isNext = item.isOwn !== false && writer.isBetweenParts() && text.startsWith(BLANK_LINE)
      const said = isNext ? text.slice(BLANK_LINE.length) : text
      return said === '' ? written : [...written, ...writer.think('summary', said)]
    },
    add(detail, isAlone) {
      const isOwn = isOwnDetail(detail)
      const saysNothing = readableIn(detail) === '' && (isOwn ? detail.data === undefined : !isSigned(detail))
      if (saysNothing) return []
      return isOwn ? addOwn(detail, isAlone) : addOther(detail, isAlone)
    },
    close,
  }
}

/** Whether two pieces may be of one block: one that says nothing of it belongs to the other. */
function isSameKey(known: unknown, key: unknown): boolean {
  return known === undefined || key === undefined || known === key
}

function isNextPiece({ key }: OpenItem, detail: ReasoningDetail): boolean {
  return key !== undefined && key === keyOf(detail)
}

function withText(detail: ReasoningDetail, text: string): ReasoningDetail {
  return typeof detail.summary === 'string' ? { ...detail, summary: text } : { ...detail, text }
}
