import { WAYS, type Target } from './ways.ts'

/**
 * Does every way to the target, each with a pause between (some 3,000 requests a minute, 25 times what an organization may make by default), until its input ends. Prints how often
 * each was done, and what was answered.
 */
const PAUSE_MS = 1_000

const target = JSON.parse(process.argv[2] ?? '') as Target
const over = new AbortController()
const counts: Record<string, Record<string, number>> = {}

async function repeat({ name, run }: (typeof WAYS)[number]): Promise<void> {
  const answers: Record<string, number> = (counts[name] = {})
  await Bun.sleep(Math.random() * PAUSE_MS)
  while (!over.signal.aborted) {
    const answer = await run(target)
    answers[answer] = (answers[answer] ?? 0) + 1
    await Bun.sleep(PAUSE_MS)
  }
}

process.stdin.on('end', () => over.abort()).resume()
await Promise.all(WAYS.map(repeat))
console.log(JSON.stringify(counts))
process.exit(0)
