/** A 32-bit hash of a text; equal texts have equal hashes in every process. */
export function hashText(text: string): number {
  // FNV-1a over UTF-16 units.
  let hash = 0x811c9dc5
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193)
  return finish(hash)
}

/** A number above 0 and up to 1 that a key and a target always share, spread evenly over both. */
export function stickyUnit(key: number, target: number): number {
  return (finish(key ^ Math.imul(target, 0x9e3779b1)) + 1) / 2 ** 32
}

/**
 * A place in a race where the lowest wins: with evenly spread units, each racer wins as often as its
 * weight says. With units of one key this is rendezvous hashing: a racer that leaves moves only those
 * who had chosen it.
 */
export function raceTime(unit: number, weight: number): number {
  return -Math.log(unit) / weight
}

// The finalizer of MurmurHash3: every bit of the input moves every bit of the output.
function finish(hash: number): number {
  let mixed = hash
  mixed = Math.imul(mixed ^ (mixed >>> 16), 0x85ebca6b)
  mixed = Math.imul(mixed ^ (mixed >>> 13), 0xc2b2ae35)
  return (mixed ^ (mixed >>> 16)) >>> 0
}
