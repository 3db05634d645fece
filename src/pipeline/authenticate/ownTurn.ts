/**
 * Turns of the event loop for work that takes milliseconds: at most one such piece of work in each, so that callers
 * whose work is small have theirs between.
 */
export type OwnTurn = () => Promise<void>

export function createOwnTurns(): OwnTurn {
  let last: Promise<void> = Promise.resolve()
  return () => (last = last.then(nextTurn))
}

function nextTurn(): Promise<void> {
  return new Promise((begin) => {
    setImmediate(begin)
  })
}
