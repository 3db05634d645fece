/**
 * A map of bounded size: to make room for a new entry, the one that was set longest ago goes. Setting an entry again makes it
 * the newest; reading does not.
 */
export class RecentMap<Key, Value> extends Map<Key, Value> {
  readonly #sizeMax: number
  readonly #onDropped: ((value: Value) => void) | undefined

  /** @param onDropped gets each value that makes room for another */
  constructor(sizeMax: number, onDropped?: (value: Value) => void) {
    super()
    this.#sizeMax = sizeMax
    this.#onDropped = onDropped
  }

  override set(key: Key, value: Value): this {
    this.delete(key)
    super.set(key, value)
    if (this.size > this.#sizeMax) this.#dropOldest()
    return this
  }

  #dropOldest(): void {
    const oldest = this.entries().next()
    if (oldest.done) return
    const [key, value] = oldest.value
    this.delete(key)
    this.#onDropped?.(value)
  }
}
