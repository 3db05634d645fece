import { existsSync, readFileSync } from 'node:fs'
import { join, relative } from 'node:path'
import { EVENTS_VARIABLE, type RunEvent } from '../../test/support/runEvents.ts'
import { inWords, type Limits } from './limits.ts'
import { listTests } from './listTests.ts'
import { readResultLine } from './resultLines.ts'

export interface TestResult {
  readonly file: string
  /** With the names of its groups: `group > test`. */
  readonly name: string
  readonly status: 'pass' | 'fail' | 'skip'
}

/** What one run of `bun test` came to. */
export interface TestReport {
  readonly results: readonly TestResult[]
  /** How long each file took that came to its end, in milliseconds. */
  readonly fileTimes: ReadonlyMap<string, number>
  /** Why tests of a file were skipped. */
  readonly skipReasons: ReadonlyMap<string, ReadonlySet<string>>
  /** Why the run was ended before its end: the file that hangs, and its test. */
  readonly hang: string | undefined
  /** Of `bun test`; null when it was killed. */
  readonly exitCode: number | null
  /** Why the results are not to be trusted: the runner did not come to its end, or counted others than were read. */
  readonly doubt: string | undefined
}

export interface TestPlan {
  /** The folder that holds the tests. */
  readonly root: string
  /** Paths and options of `bun test`. */
  readonly arguments: readonly string[]
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly limits: Limits
  /** For files of the test command. */
  readonly folder: string
  /** How many files there are, where that is known. */
  readonly filesTotal: number | undefined
  /** Prints every result, not only failures. */
  readonly verbose: boolean
}

/** A run of `bun test` that goes on. */
export interface RunningTests {
  readonly report: Promise<TestReport>
  /** The files that are being run at the moment. */
  runningFiles(): readonly string[]
  /** Ends it with everything that it has started. */
  kill(): void
}

const WATCH_MS = 250
/** A run that has printed nothing for so long says what it is at. */
const QUIET_MS = 30_000
const PRELOAD = join(import.meta.dir, '../../test/support/preload.ts')

let runs = 0

/**
 * Runs `bun test`: prints each file that has ended, what failed, and what tests print; ends it when a file or the
 * run hangs. Not bun's `--only-failures`: the name of a test that hangs in a loop is only known from the results
 * before it.
 */
export function startTests(plan: TestPlan): RunningTests {
  const events = join(plan.folder, `events-${++runs}`)
  const startedAt = performance.now()
  const child = Bun.spawn(
    [
      process.execPath,
      'test',
      // Whatever ends it, and in whatever way, what it has started ends with it.
      '--no-orphans',
      `--timeout=${plan.limits.test}`,
      `--preload=${PRELOAD}`,
      ...plan.arguments,
    ],
    {
      cwd: plan.root,
      env: { ...plan.environment, NO_COLOR: '1', FORCE_COLOR: undefined, [EVENTS_VARIABLE]: events },
      stdin: 'ignore',
      stdout: 'pipe',
      stderr: 'pipe',
    },
  )
  const results: TestResult[] = []
  const fileTimes = new Map<string, number>()
  const skipReasons = new Map<string, Set<string>>()
  const running = new Map<string, number>()
  let hang: string | undefined
  let recap = false
  let atEnd = false
  const counted = { pass: 0, fail: 0 }
  let file = ''
  let headed = ''
  let printedAt = startedAt

  function print(line: string): void {
    printedAt = performance.now()
    console.log(line)
  }
  function printOfFile(line: string): void {
    if (line.trim() === '' && (file === '' || headed !== file)) return
    if (headed !== file) print(`${file}:`)
    headed = file
    print(line)
  }
  function fail(where: string, name: string): void {
    results.push({ file: where, name, status: 'fail' })
  }

  /** The runner does not count what passed in a file whose process ended. */
  function forgetPasses(where: string): void {
    const kept = results.filter((result) => result.file !== where || result.status !== 'pass')
    results.splice(0, results.length, ...kept)
  }

  function take(text: string): void {
    const line = readResultLine(text)
    if (line.kind === 'end') atEnd = true
    if (line.kind === 'count') {
      recap = true
      counted[line.status] = line.count
    }
    if (recap) return
    switch (line.kind) {
      case 'file':
        file = line.file
        return
      case 'result':
        results.push({ file, name: line.name, status: line.status })
        if (line.status === 'fail' || plan.verbose) printOfFile(text)
        return
      case 'timeout':
        // A failure like others, as on a busy machine it may pass alone.
        printOfFile(text)
        print(`${file}: "${results.at(-1)?.name}" has not ended within ${inWords(plan.limits.test)}`)
        return
      case 'unhandled':
        fail(file, '(error outside of its tests)')
        printOfFile(text)
        return
      case 'crash':
        forgetPasses(line.file)
        fail(line.file, `(its process ended: ${line.cause})`)
        print(text)
        return
      case 'recap':
        recap = true
        return
      case 'text':
        printOfFile(text)
        return
      case 'count':
      case 'end':
      case 'noise':
    }
  }

  let read = 0
  function takeEvents(): void {
    if (!existsSync(events)) return
    const text = readFileSync(events, 'utf8')
    const whole = text.slice(read, text.lastIndexOf('\n') + 1)
    read += whole.length
    for (const line of whole.split('\n')) {
      if (line === '') continue
      const event = JSON.parse(line) as RunEvent
      const name = relative(plan.root, event.file)
      if (event.kind === 'skips') {
        skipReasons.set(name, (skipReasons.get(name) ?? new Set()).add(event.reason))
      } else if (event.kind === 'begins') running.set(name, performance.now())
      else {
        const took = performance.now() - (running.get(name) ?? startedAt)
        running.delete(name)
        fileTimes.set(name, took)
        const of = plan.filesTotal === undefined ? '' : ` of ${plan.filesTotal}`
        print(`${seconds(startedAt)}  ${fileTimes.size}${of}  ${name} ${inWords(took)}`)
      }
    }
  }

  function end(why: string): void {
    hang ??= why
    child.kill('SIGKILL')
  }

  function watch(): void {
    takeEvents()
    const now = performance.now()
    for (const [name, since] of running) {
      if (now - since > plan.limits.file) {
        end(`${name} has not ended within ${inWords(plan.limits.file)}: ${testOf(name)}`)
      }
    }
    if (now - startedAt > plan.limits.run) {
      const names = [...running.keys()].map((name) => `${name}: ${testOf(name)}`)
      end(
        `The run has not ended within ${inWords(plan.limits.run)}; it was at ${names.join('; ') || 'no file'}`,
      )
    }
    if (now - printedAt > QUIET_MS) {
      print(`${seconds(startedAt)}  … ${[...running.keys()].join(', ')}`)
    }
  }

  /** The test of a file that is being run: the one behind those that have ended. */
  function testOf(name: string): string {
    const ended = results.filter((result) => result.file === name).length
    return listTests(plan, name)?.[ended] ?? 'before its tests, or behind them'
  }

  function doubtOf(): string | undefined {
    if (!atEnd) return 'The test process ended before its end'
    const read = (status: TestResult['status']): number =>
      results.filter((result) => result.status === status).length
    // Errors outside of tests are failures here, and something else to the runner.
    if (read('pass') === counted.pass && read('fail') >= counted.fail) return undefined
    return `The runner counts ${counted.pass} passed and ${counted.fail} failed; its lines show ${read('pass')} and ${read('fail')}`
  }

  const watching = setInterval(watch, WATCH_MS)
  const report = (async (): Promise<TestReport> => {
    await Promise.all([eachLine(child.stderr, take), eachLine(child.stdout, take), child.exited])
    clearInterval(watching)
    takeEvents()
    return { doubt: doubtOf(), results, fileTimes, skipReasons, hang, exitCode: child.exitCode }
  })()
  return { report, runningFiles: () => [...running.keys()], kill: () => child.kill('SIGKILL') }
}

async function eachLine(stream: ReadableStream<Uint8Array>, take: (line: string) => void): Promise<void> {
  const decoder = new TextDecoder()
  let rest = ''
  for await (const bytes of stream) {
    const lines = (rest + decoder.decode(bytes, { stream: true })).split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) take(line)
  }
  if (rest !== '') take(rest)
}

function seconds(since: number): string {
  return `${Math.round((performance.now() - since) / 1000)} s`.padStart(6)
}
