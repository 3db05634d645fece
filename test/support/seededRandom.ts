/** Chance that a seed decides: the same seed, the same sequence. */
export interface SeededRandom {
  /** From 0 up to 1. */
  next(): number
  /** A whole number from `from` to `to`, both included. */
  integer(from: number, to: number): number
  /** True with this probability. */
  chance(probability: number): boolean
  pick<Item>(items: readonly [Item, ...Item[]]): Item
  /** Picks by weight; weights need not add up to anything. */
  weighted<Item>(items: readonly (readonly [weight: number, item: Item])[]): Item
  bytes(into: Uint8Array): void
  /** A sequence of its own, which depends on the seed and the name alone. */
  fork(name: string): SeededRandom
}

/** Xorshift over a hash of the seed: small, fast and good enough for choices. */
export function createSeededRandom(seed: string): SeededRandom {
  let state = hash(seed) || 1

  function next(): number {
    state ^= state << 13
    state ^= state >>> 17
    state ^= state << 5
    return (state >>> 0) / 2 ** 32
  }
  // The first numbers of similar seeds are alike.
  for (let i = 0; i < 8; i++) next()

  function integer(from: number, to: number): number {
    return from + Math.floor(next() * (to - from + 1))
  }

  return {
    next,
    integer,
    chance: (probability) => next() < probability,
    pick: (items) => items[integer(0, items.length - 1)] ?? items[0],
    weighted(items) {
      let left = next() * items.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of items) {
        left -= weight
        if (left < 0) return item
      }
      const last = items.at(-1)
      if (!last) throw new Error('nothing to pick from')
      return last[1]
    },
    bytes(into) {
      for (let i = 0; i < into.length; i++) into[i] = integer(0, 255)
    },
    fork: (name) => createSeededRandom(`${seed}/${name}`),
  }
}

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let value = 0x811c9dc5
  for (let i = 0; i < text.length; i++) {
    value ^= text.charCodeAt(i)
    value = Math.imul(value, 0x01000193)
  }
  return value >>> 0
}
