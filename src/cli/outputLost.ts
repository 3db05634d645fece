import { isJsonObject, type Json } from '../core/json.ts'

/** Standard output takes nothing more: its reader has left, or its disk is full. */
export class OutputLost extends Error {
  override readonly name = 'OutputLost'
  /** As with `| head`: nobody waits for the rest. */
  readonly readerLeft: boolean
  /** Something had been done by then, and the message says what. */
  readonly afterChange: boolean

  constructor(message: string, { readerLeft = false, afterChange = false, ...options }: OutputLostOptions) {
    super(message, options)
    this.readerLeft = readerLeft
    this.afterChange = afterChange
  }
}

interface OutputLostOptions extends ErrorOptions {
  readonly readerLeft?: boolean
  readonly afterChange?: boolean
}

/** The same failure, saying what had been done by then: nobody can read it off the result. */
export function outputLostAfter(result: unknown, lost: OutputLost): OutputLost {
  const { readerLeft, message } = lost
  return new OutputLost(doneBefore(result, message), { readerLeft, afterChange: true, cause: lost })
}

function doneBefore(result: unknown, why: string): string {
  const { id, key }: { id?: Json; key?: Json } = isJsonObject(result) ? result : {}
  if (typeof id !== 'string') return `it was done, but ${why}`
  if (typeof key !== 'string') return `it was done (${id}), but ${why}`
  return `The key ${id} was made, but ${why}: its secret is lost. Replace it: tollgate key rotate ${id}`
}
