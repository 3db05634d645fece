/** Sums by owner. An owner without anything takes no memory. */
export class Tally<Id> {
  readonly #sums = new Map<Id, number>()
  #total = 0

  /** Of all owners together. */
  get total(): number {
    return this.#total
  }

  of(id: Id): number {
    return this.#sums.get(id) ?? 0
  }

  /** @param amount negative: it is given back */
  add(id: Id, amount: number): void {
    const sum = this.of(id) + amount
    if (sum > 0) this.#sums.set(id, sum)
    else this.#sums.delete(id)
    this.#total += amount
  }
}
