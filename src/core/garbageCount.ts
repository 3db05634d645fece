/** So much of large texts is released between two collections of garbage. */
const GARBAGE_BYTES_MAX = 8 * 1024 * 1024

/**
 * Counts released bytes, and calls for a collection when many have come together: the runtime by itself collects large texts
 * late, and the memory grows.
 */
export function createGarbageCount(collectGarbage: () => void): (bytes: number) => void {
  let garbage = 0
  return (bytes) => {
    garbage += bytes
    if (garbage < GARBAGE_BYTES_MAX) return
    garbage = 0
    collectGarbage()
  }
}
