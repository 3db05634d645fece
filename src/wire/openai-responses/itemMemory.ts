import { PiecedText } from '../piecedText.ts'

/**
 * So much of a streamed answer is kept to be repeated in `….done` events and in the last one, in UTF-16 units. No model writes as
 * much. An item with which an answer has more is not repeated: its texts are empty there.
 */
export const REPEATED_LENGTH_MAX = 2 * 1024 * 1024

/** What an item of a stream keeps of itself. */
export interface ItemMemory {
  /** Whether it is kept; false once it was too long. */
  readonly isKept: boolean
  /** Counts something that is to be kept; false where there is no room. */
  add(length: number): boolean
  /** A text of the item. */
  text(): KeptText
}

/** Text that comes in pieces; empty where its item is not kept. */
export interface KeptText {
  add(piece: string): void
  read(): string
}

/** The room that all items of an answer share. */
export function createMemory(lengthMax = REPEATED_LENGTH_MAX): { item(): ItemMemory } {
  let used = 0
  return {
    item() {
      let isKept = true
      return {
        get isKept() {
          return isKept
        },
        add,
        text: () => keptText(add),
      }

      function add(length: number): boolean {
        if (!isKept) return false
        if (used + length > lengthMax) {
          isKept = false
          return false
        }
        used += length
        return true
      }
    },
  }
}

function keptText(add: (length: number) => boolean): KeptText {
  const pieces = new PiecedText()
  let whole = ''
  return {
    add(piece) {
      if (add(piece.length)) pieces.add(piece)
      else {
        pieces.take()
        whole = ''
      }
    },
    read() {
      whole += pieces.take()
      return add(0) ? whole : ''
    },
  }
}
