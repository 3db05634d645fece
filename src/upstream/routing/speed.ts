/** Answers that are looked at: the most recent ones. */
export const SPEEDS_REMEMBERED = 32
/** Fewer say nothing. */
export const SPEEDS_MIN = 4
/** A shorter answer tells more of the wait for its first token. */
export const SPEED_TOKENS_MIN = 256
/** Callers are charged by the speed. What is faster was at hand already, or a clock was set meanwhile. */
export const PER_SECOND_MAX = 300

/** How fast a target generates, learnt from whole answers whose tokens it reported, hidden reasoning included. */
export interface Speed {
  /** @param outputTokens of one choice */
  record(outputTokens: number, durationMs: number): void
  /** Output tokens a second: the median, so that no single caller's answer decides; undefined until it is learnt. */
  perSecond(): number | undefined
}

export function createSpeed(): Speed {
  const speeds = new Float64Array(SPEEDS_REMEMBERED)
  let count = 0
  return {
    record(outputTokens, durationMs) {
      if (outputTokens < SPEED_TOKENS_MIN) return
      const perSecond = durationMs > 0 ? (outputTokens * 1000) / durationMs : PER_SECOND_MAX
      speeds[count % SPEEDS_REMEMBERED] = Math.min(perSecond, PER_SECOND_MAX)
      count += 1
    },
    perSecond() {
      if (count < SPEEDS_MIN) return undefined
      const sorted = speeds.subarray(0, Math.min(count, SPEEDS_REMEMBERED)).toSorted()
      // Of two in the middle the slower one: it charges less.
      return sorted[(sorted.length - 1) >> 1]
    },
  }
}
