import { readFileSync } from 'node:fs'

/** A process of this machine, as Linux's `/proc` describes it. */
export interface ProcessEntry {
  readonly parent: number
  /** Its program and arguments, with blanks between. */
  readonly command: string
}

/** What starts the test command: npm and the proof of a landing. */
const STARTERS = /^(npm|npx)\b|npm-cli\.js|\.ci\/run\b/

/** Undefined where there is no such process, or where it is dead and only its exit code is left. */
export function readProcess(pid: number): ProcessEntry | undefined {
  try {
    // `pid (name) state parent …`; the name may hold blanks and brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, parent] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return undefined
    const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
    return { parent: Number(parent), command }
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) {
      return undefined
    }
    throw error
  }
}

/**
 * The processes that started this one, from the nearest up to npm or `.ci/run`; none where neither did. Between npm
 * and this process is a shell that outlives npm, so the parent process does not show npm's end.
 */
export function findStarters(): number[] {
  const ancestors: number[] = []
  let starters = 0
  for (let pid = process.ppid; pid > 1;) {
    const found = readProcess(pid)
    if (found === undefined) break
    ancestors.push(pid)
    if (STARTERS.test(found.command)) starters = ancestors.length
    pid = found.parent
  }
  return ancestors.slice(0, starters)
}
