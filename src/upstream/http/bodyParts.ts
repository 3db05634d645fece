/** A smaller part of a body is copied to others like it: by itself it keeps an object, and the whole read that it came in. */
const SMALL_PART_BYTES = 1_024
const BLOCK_BYTES = 16 * 1_024

/** A body in the parts in which it came. Its memory is about its bytes, however small the parts are. */
export class BodyParts {
  readonly #parts: Uint8Array[] = []
  /** Room for small parts, and how much of it they take: together they are the part after `#parts`. */
  #block = new Uint8Array(0)
  #blockLength = 0
  #length = 0

  get length(): number {
    return this.#length
  }

  push(bytes: Uint8Array): void {
    this.#length += bytes.length
    // Most bodies come in one part, which is kept as it is.
    if (bytes.length >= SMALL_PART_BYTES || this.#length === bytes.length) return this.#add(bytes)
    if (this.#blockLength + bytes.length > this.#block.length) {
      this.#closeBlock()
      this.#block = new Uint8Array(BLOCK_BYTES)
    }
    this.#block.set(bytes, this.#blockLength)
    this.#blockLength += bytes.length
  }

  /** The whole body. */
  joined(): Uint8Array {
    this.#closeBlock()
    const [only] = this.#parts
    if (this.#parts.length === 1 && only) return only
    const whole = new Uint8Array(this.#length)
    let at = 0
    for (const part of this.#parts) {
      whole.set(part, at)
      at += part.length
    }
    return whole
  }

  #add(bytes: Uint8Array): void {
    this.#closeBlock()
    this.#parts.push(bytes)
  }

  /** What follows goes behind the block: into a new one, or as a part of its own. */
  #closeBlock(): void {
    if (this.#blockLength === 0) return
    this.#parts.push(this.#block.subarray(0, this.#blockLength))
    this.#block = this.#block.subarray(this.#blockLength)
    this.#blockLength = 0
  }
}
