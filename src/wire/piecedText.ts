/** So many pieces are joined at a time. */
const PIECES_MAX = 1_024

/**
 * Text that comes in pieces. A string that is only added to keeps each piece as an object, so pieces of one character would
 * take forty times the memory of the text.
 */
export class PiecedText {
  #joined = ''
  #pieces: string[] = []
  #length = 0

  /** In UTF-16 units. */
  get length(): number {
    return this.#length
  }

  add(piece: string): void {
    this.#length += piece.length
    this.#pieces.push(piece)
    if (this.#pieces.length < PIECES_MAX) return
    this.#joined += this.#pieces.join('')
    this.#pieces = []
  }

  /** Gives the whole text, and begins again. */
  take(): string {
    const text = this.#joined + this.#pieces.join('')
    this.#joined = ''
    this.#pieces = []
    this.#length = 0
    return text
  }
}
