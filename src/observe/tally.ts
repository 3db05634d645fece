import type { Counter } from 'prom-client'

/** Counts by labels, to be handed to a counter now and then. */
export function createTally<Label extends string>() {
  const tallied = new Map<string, { labels: Record<Label, string>; count: number }>()
  return {
    /** @param key names the labels; they are built for its first occurrence only */
    add(key: string, labels: () => Record<Label, string>): void {
      const known = tallied.get(key)
      if (known) known.count += 1
      else tallied.set(key, { labels: labels(), count: 1 })
    },
    countInto(counter: Counter<Label>): void {
      for (const { labels, count } of tallied.values()) counter.inc(labels, count)
      tallied.clear()
    },
  }
}
