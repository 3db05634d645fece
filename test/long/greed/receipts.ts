import type { Act } from '../../support/scriptedProvider.ts'

/** What the caller of a stream has received: its provider may wait for it. */
export interface Receipts {
  /** The caller has read this. */
  read(text: string): void
  /** Waits until the caller has so many deltas more, or the gateway has left, as it must when its caller has. */
  wait(deltas: number): Act
}

/** In every event of a stream, and in those that only begin a choice. */
const EVENT = 'data: {'
const BEGINNING = '"role":"assistant"'

export function createReceipts(): Receipts {
  let rest = ''
  const deltas = { received: 0, expected: 0 }
  let waiting: (() => void)[] = []

  return {
    read(text) {
      const events = (rest + text).split('\n\n')
      rest = events.pop() ?? ''
      deltas.received += events.filter(
        (event) => event.startsWith(EVENT) && !event.includes(BEGINNING),
      ).length
      const resolve = waiting
      waiting = []
      for (const go of resolve) go()
    },
    wait: (more) => ({
      async play(turn) {
        deltas.expected += more
        while (!turn.over && deltas.received < deltas.expected) {
          await Promise.race([new Promise<void>((resolve) => waiting.push(resolve)), turn.gone])
        }
      },
    }),
  }
}
