/** One line that `bun test` prints, by what it reports. */
export type ResultLine =
  | { readonly kind: 'file'; readonly file: string }
  | {
      readonly kind: 'result'
      readonly status: 'pass' | 'fail' | 'skip'
      /** With the names of its groups: `group > test`. */
      readonly name: string
    }
  /** The test that failed last did so because its time was up. */
  | { readonly kind: 'timeout' }
  /** An error outside of any test of the file. */
  | { readonly kind: 'unhandled' }
  /** The process that ran the file is gone. */
  | { readonly kind: 'crash'; readonly file: string; readonly cause: string }
  /** From here on the runner repeats itself and adds up. */
  | { readonly kind: 'recap' }
  /** How many passed or failed, as the runner itself counts. */
  | { readonly kind: 'count'; readonly status: 'pass' | 'fail'; readonly count: number }
  /** The runner's last line: it came to its end. */
  | { readonly kind: 'end' }
  /** What the runner says of itself. */
  | { readonly kind: 'noise' }
  | { readonly kind: 'text' }

const RESULT = /^\((pass|fail|skip|todo)\) (.*?)(?: \[[\d.]+m?s\])?$/
const FILE = /^(\S+\.ts):$/
const CRASH = /^(?:✗|\(fail\)) (\S+\.ts) \(worker crashed: (.*)\)$/
const TIMEOUT = /^\s+\^ this test timed out after /
const RECAP = /^\d+ tests? (?:skipped|failed|todo):$/
const COUNT = /^\s*(\d+) (pass|fail)$/
const END = /^Ran \d+ tests? across \d+ files?\./

/** Reads one line of `bun test`, without colours. */
export function readResultLine(line: string): ResultLine {
  const crash = CRASH.exec(line)
  if (crash?.[1] !== undefined) return { kind: 'crash', file: crash[1], cause: crash[2] ?? '' }
  const result = RESULT.exec(line)
  if (result?.[2] !== undefined) {
    const status = result[1] === 'todo' ? 'skip' : (result[1] as 'pass' | 'fail' | 'skip')
    return { kind: 'result', status, name: result[2] }
  }
  const file = FILE.exec(line)
  if (file?.[1] !== undefined) return { kind: 'file', file: file[1] }
  if (TIMEOUT.test(line)) return { kind: 'timeout' }
  if (line.startsWith('# Unhandled error')) return { kind: 'unhandled' }
  if (RECAP.test(line)) return { kind: 'recap' }
  if (END.test(line)) return { kind: 'end' }
  const count = COUNT.exec(line)
  if (count) return { kind: 'count', status: count[2] as 'pass' | 'fail', count: Number(count[1]) }
  return { kind: line.startsWith('bun test v') ? 'noise' : 'text' }
}
