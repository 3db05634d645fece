/** A piece of work to be timed; gives back what it made, so that nothing is optimised away. */
export type Work = () => string

/** Work of one kind by the name of who does it. */
export type Contest = ReadonlyMap<string, Work>

const WARM_UP_MS = 200
const ROUNDS = 25
/** A round of one contestant lasts about this long. */
const ROUND_MS = 5

/**
 * Nanoseconds of one run of each: the fastest of rounds that take turns. What else the machine does can
 * only make a round slower.
 */
export function measure(contest: Contest): ReadonlyMap<string, number> {
  const repeats = new Map([...contest].map(([name, work]) => [name, repeatsOf(work)]))
  const rounds = new Map<string, number[]>([...contest.keys()].map((name) => [name, []]))
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, work] of contest) rounds.get(name)?.push(timeOf(work, repeats.get(name) ?? 1))
  }
  return new Map([...rounds].map(([name, times]) => [name, Math.min(...times)]))
}

/** Warms up, and learns how often to repeat the work in a round. */
function repeatsOf(work: Work): number {
  const until = performance.now() + WARM_UP_MS
  let runs = 0
  while (performance.now() < until) {
    keep(work())
    runs += 1
  }
  return Math.max(1, Math.round((runs * ROUND_MS) / WARM_UP_MS))
}

function timeOf(work: Work, repeats: number): number {
  const startedAt = Bun.nanoseconds()
  for (let i = 0; i < repeats; i++) keep(work())
  return (Bun.nanoseconds() - startedAt) / repeats
}

let kept = 0
function keep(text: string): void {
  kept = (kept + text.length) % 1_000_003
}
