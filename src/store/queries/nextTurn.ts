/** Lets calls through between two reads: an embedded engine reads without ever waiting. */
export function nextTurn(): Promise<void> {
  return new Promise((over) => {
    setImmediate(over)
  })
}
