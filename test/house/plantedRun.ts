import { test } from 'bun:test'
import { readFileSync, readdirSync, readlinkSync } from 'node:fs'
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readProcess } from '../../scripts/testing/processes.ts'
import { PGBOUNCER_VARIABLE } from '../support/pgbouncer.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'

export const TEST_COMMAND = ['bin/bun', '--no-orphans', 'run', 'scripts/test.ts']
/** Not the shell that npm starts it with. */
export const COMMAND_ITSELF = /^(?!sh ).* run scripts\/test\.ts/

const root = join(import.meta.dir, '../..')
const WATCH_MS = 20

/** A command of the project that runs beside the test, in a process group of its own. */
export interface PlantedRun {
  readonly pid: number
  readonly ended: Promise<number | null>
  /** Standard output and standard error so far. */
  output(): string
  /** Resolves once it runs so many processes whose command contains this; throws when it ends before. */
  runs(part: string, count?: number): Promise<void>
  /** What it has started and what still lives, itself included: pid and command. */
  processes(): { readonly pid: number; readonly command: string }[]
  /** The process with such a command, or the one that started it. */
  find(pattern: RegExp, which?: 'itself' | 'parent'): number
  /** Of several processes with such a command, the one that was started last. */
  findLast(pattern: RegExp): number
  /** Resolves once none of its processes lives, with how long that took. */
  gone(): Promise<{ readonly tookMs: number }>
}

/** A test with a temporary directory of its own for the runs that it starts. */
export function itInFolder(name: string, proof: (folder: string) => Promise<void>): void {
  test(
    name,
    async () => {
      const folder = await mkdtemp(join(tmpdir(), 'tollgate-planted-'))
      // A Postgres that may not run as root passes through to its own folder.
      await chmod(folder, 0o711)
      await proof(folder)
      await rm(folder, { recursive: true, force: true })
    },
    TEST_LIMIT_MS,
  )
}

/** Runs the test command on a planted file, without a Postgres, and returns what it printed. */
export async function runPlanted(folder: string, name: string, ...options: string[]) {
  const run = startCommand([...TEST_COMMAND, '--fast', ...options, ...planted(name)], folder)
  return { code: await run.ended, output: run.output() }
}

/** The paths of planted files, as the test command takes them. */
export function planted(...names: string[]): string[] {
  return names.map((name) => `./test/house/planted/${name}.planted.ts`)
}

/** @param folder the temporary directory of the command; what works there belongs to it */
export function startCommand(
  command: readonly string[],
  folder: string,
  environment: Readonly<Record<string, string>> = {},
  cwd = root,
): PlantedRun {
  const id = crypto.randomUUID()
  const mark = `TOLLGATE_PLANTED_RUN=${id}`
  const child = Bun.spawn([...command], {
    cwd,
    env: {
      ...withoutOurs(),
      // No planted file needs a pooler, and what is fetched would stay in the folder.
      [PGBOUNCER_VARIABLE]: 'none',
      ...environment,
      TOLLGATE_PLANTED_RUN: id,
      TMPDIR: folder,
    },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'pipe',
    detached: true,
  })
  let output = ''
  let over = false
  async function collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder()
    for await (const bytes of stream) {
      output += decoder.decode(bytes, { stream: true })
    }
  }
  const ended = Promise.all([collect(child.stdout), collect(child.stderr), child.exited]).then(() => {
    over = true
    return child.exitCode
  })

  const processes = () =>
    readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
      .flatMap((pid) => {
        const command = belongs(pid, mark, folder) ? readProcess(pid)?.command : undefined
        return command === undefined ? [] : [{ pid, command }]
      })

  return {
    pid: child.pid,
    ended,
    output: () => output,
    async runs(part, count = 1) {
      while (processes().filter(({ command }) => command.includes(part)).length < count) {
        if (over) throw new Error(`it ended before it ran "${part}":\n${output}`)
        await Bun.sleep(WATCH_MS)
      }
    },
    processes,
    find(pattern, which = 'itself') {
      const found = processes().find(({ pid, command }) => pid !== child.pid && pattern.test(command))
      if (!found) throw new Error(`no process ${pattern.source}`)
      return which === 'itself' ? found.pid : (readProcess(found.pid)?.parent ?? 0)
    },
    findLast(pattern) {
      return Math.max(...processes().flatMap(({ pid, command }) => (pattern.test(command) ? [pid] : [])))
    },
    async gone() {
      const startedAt = performance.now()
      while (processes().length > 0) await Bun.sleep(WATCH_MS)
      return { tookMs: performance.now() - startedAt }
    },
  }
}

/** Whether a process has the run's mark in its environment, or works in its folder (a gateway gets no environment). */
function belongs(pid: number, mark: string, folder: string): boolean {
  try {
    if (readFileSync(`/proc/${pid}/environ`, 'utf8').split('\0').includes(mark)) return true
    return readlinkSync(`/proc/${pid}/cwd`).startsWith(folder)
  } catch {
    // It has ended in between, or belongs to another user.
    return false
  }
}

/** The environment without what the run of this test has put into it. */
function withoutOurs(): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(process.env).filter(
      ([name]) => name === 'TOLLGATE_TEST_POSTGRES_BIN' || !/^(TOLLGATE_|BUN_|JEST_|npm_)/.test(name),
    ),
  )
}

/** `npm test` on a file that has a gateway and a Postgres of its own and goes on until it is killed. */
export async function startStaying(folder: string): Promise<PlantedRun> {
  const files = planted('orphan', 'failure')
  const run = startCommand(['npm', 'test', '--', ...files], folder, { TOLLGATE_PLANTED_STAYS: '1' })
  await run.runs('main.ts serve')
  // The one that all tests of the run share, and the file's own.
  await run.runs('postgres -D', 2)
  return run
}
