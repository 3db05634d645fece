/**
 * The test command: `--help` says what it can do. Brings what the machine lacks (a Postgres server, from npm or
 * Debian, and pgbouncer), starts what all tests share, runs them on all cores, runs once more what failed, and sums up. Whatever ends
 * it, nothing that it started lives on.
 */
import { availableParallelism } from 'node:os'
import { join, relative } from 'node:path'
import { BINARY_VARIABLE } from '../test/support/program.ts'
import { POSTGRES_URL_VARIABLE, postgresAvailability, startPostgres } from '../test/support/postgres.ts'
import { POSTGRES_OFF_VARIABLE } from '../test/support/postgres-binaries.ts'
import { slownessOfMachine } from '../test/support/slowness.ts'
import { LONG_VARIABLE, MINUTES_VARIABLE, TEST_LIMIT_VARIABLE } from '../test/support/scale.ts'
import { inWords } from './testing/limits.ts'
import { type Request, USAGE, filesOf, readRequest } from './testing/modes.ts'
import { findStarters, readProcess } from './testing/processes.ts'
import { createRunFolder } from './testing/runFolder.ts'
import { summarise } from './testing/summary.ts'
import { FAILING_TOLERANCE, budgetOf, outgrown, slownessOfRun, writeTimings } from './testing/times.ts'
import { type RunningTests, type TestReport, type TestResult, startTests } from './testing/testProcess.ts'
import { providePgbouncer } from './providePgbouncer.ts'
import { providePostgres } from './providePostgres.ts'

const root = join(import.meta.dir, '..')
/** What changes are counted from: the first that the clone has. */
const BASE_BRANCHES = ['main', 'origin/main'] as const
/** When so many files fail, the cause is not chance, and running them again shows nothing. */
const RERUN_FILES_MAX = 8
const STARTERS_WATCH_MS = 200
/** Many tests wait for something, so a core has two processes. Each is up to twice as slow as alone. */
const PROCESSES_PER_CORE = 2
/** What ends the run early, and the exit code that says so. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const
const SIGNAL_NAMES = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

const given = process.argv.slice(2)
if (given.includes('--help')) console.log(USAGE)
else process.exit(await command())

async function command(): Promise<number> {
  let request: Request
  try {
    request = readRequest(given)
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`)
    return 2
  }
  const startedAt = performance.now()
  const folder = await createRunFolder()
  const run: { current?: RunningTests; endedBy?: keyof typeof SIGNALS } = {}
  function end(signal: keyof typeof SIGNALS): void {
    run.endedBy = signal
    console.error(`\nEnded by ${signal}, at: ${run.current?.runningFiles().join(', ') || 'no file'}`)
    run.current?.kill()
  }
  for (const signal of SIGNAL_NAMES) process.once(signal, () => end(signal))
  endWithStarters(() => run.current?.kill())

  const postgres = await sharedServer(request, folder.path)
  try {
    const environment = environmentOf(request, folder.path, postgres?.url)
    async function runTests(
      what: readonly string[],
      verbose: boolean,
      filesTotal?: number,
    ): Promise<TestReport> {
      const { limits } = request
      const plan = { root, arguments: what, environment, limits, folder: folder.path, filesTotal, verbose }
      const tests = startTests(plan)
      run.current = tests
      if (run.endedBy !== undefined) tests.kill()
      return tests.report
    }
    const timings = await writeTimings(root, folder.path)
    // A process loads the modules of src once, for all of its files.
    const parallel = [`--parallel=${processCount()}`, '--no-isolate', `--timings=${timings}`]
    const report = await runTests([...parallel, ...pathsOf(request)], request.verbose, countFiles(request))
    if (run.endedBy !== undefined) return SIGNALS[run.endedBy]
    const failures = report.results.filter((result) => result.status === 'fail')
    const verdict =
      report.hang === undefined
        ? await runAgain(failures, (what) => runTests(what, true))
        : { failed: failures, flaky: [] }
    if (run.endedBy !== undefined) return SIGNALS[run.endedBy]
    const slow = await outgrownAlone(request, report, (what) => runTests(what, false))
    if (run.endedBy !== undefined) return SIGNALS[run.endedBy]
    const problems = [...problemsOf(request, report, failures), ...slow.failing]
    const tookMs = performance.now() - startedAt
    for (const line of summarise({ report, ...verdict, grown: slow.grown, problems, tookMs }))
      console.log(line)
    return verdict.failed.length + problems.length === 0 ? 0 : 1
  } finally {
    await postgres?.stop()
    await folder.remove()
  }
}

/** One server for all processes of the run; undefined where tests have none, or one that the environment names. */
async function sharedServer(request: Request, folder: string) {
  if (request.mode === 'fast') return undefined
  Object.assign(process.env, providePostgres(), providePgbouncer())
  const availability = postgresAvailability()
  if (availability.available && availability.from === 'environment') return undefined
  if (!availability.available) {
    console.warn(`\nSKIPPED: everything that needs Postgres: ${availability.reason}\n`)
    return undefined
  }
  return startPostgres({ folder })
}

function environmentOf(request: Request, folder: string, postgresUrl: string | undefined) {
  return {
    ...process.env,
    TMPDIR: folder,
    [TEST_LIMIT_VARIABLE]: String(request.limits.test),
    ...(postgresUrl !== undefined && { [POSTGRES_URL_VARIABLE]: postgresUrl }),
    ...(request.mode === 'fast' && { [POSTGRES_OFF_VARIABLE]: '1' }),
    ...(request.mode === 'long' && { [LONG_VARIABLE]: '1' }),
    ...(request.mode === 'binary' && { [BINARY_VARIABLE]: join(root, 'dist/tollgate') }),
    ...(request.minutes !== undefined && { [MINUTES_VARIABLE]: String(request.minutes) }),
  }
}

function pathsOf({ mode, rest }: Request): readonly string[] {
  if (mode === 'changed') return [`--changed=${baseBranch()}`, ...rest]
  const files = namesPaths(rest) ? [] : (filesOf(mode, root) ?? [])
  return [...files.map(pathOf), ...rest]
}

function baseBranch(): string {
  const has = (branch: string) =>
    Bun.spawnSync(['git', 'rev-parse', '--quiet', '--verify', `${branch}^{commit}`], { cwd: root }).success
  return BASE_BRANCHES.find(has) ?? BASE_BRANCHES[0]
}

function namesPaths(rest: readonly string[]): boolean {
  return rest.some((word, i) => !word.startsWith('-') && rest[i - 1] !== '-t')
}

function processCount(): number {
  return PROCESSES_PER_CORE * availableParallelism()
}

/** How many files the run has; undefined where only `bun test` knows. */
function countFiles({ mode, rest }: Request): number | undefined {
  if (rest.length > 0) return undefined
  return filesOf(mode, root)?.length
}

/** A file as `bun test` takes it for a path. */
function pathOf(file: string): string {
  return `./${relative(root, join(root, file))}`
}

/** Runs what failed once more, each file alone, without anything beside it. */
async function runAgain(
  failures: readonly TestResult[],
  run: (what: readonly string[]) => Promise<TestReport>,
): Promise<{ failed: TestResult[]; flaky: TestResult[] }> {
  const byFile = Map.groupBy(failures, ({ file }) => file)
  if (byFile.size === 0 || byFile.size > RERUN_FILES_MAX) return { failed: [...failures], flaky: [] }
  const failed: TestResult[] = []
  const flaky: TestResult[] = []
  for (const [file, results] of byFile) {
    console.log(`\nOnce more, alone: ${file}`)
    const { results: second, hang, doubt } = await run([pathOf(file), ...namePattern(results)])
    for (const result of results) {
      const verdicts = second.filter(({ name }) => isHook(result) || name === result.name)
      const passed =
        (hang ?? doubt) === undefined &&
        verdicts.length > 0 &&
        verdicts.every(({ status }) => status !== 'fail')
      ;(passed ? flaky : failed).push(result)
    }
  }
  return { failed, flaky }
}

/**
 * Names the files that take more than their budget allows, in the run and again by themselves, and those of them that
 * fail it. The long form has no budgets: it is as long as it is asked to be.
 */
async function outgrownAlone(
  { mode, fileBudgetMs }: Request,
  { hang, doubt, fileTimes }: TestReport,
  run: (what: readonly string[]) => Promise<TestReport>,
): Promise<{ readonly grown: readonly string[]; readonly failing: readonly string[] }> {
  const grown: string[] = []
  const failing: string[] = []
  if (mode === 'long' || (hang ?? doubt) !== undefined) return { grown, failing }
  const budget = budgetOf(fileBudgetMs)
  const slowness = Math.max(PROCESSES_PER_CORE, slownessOfRun(fileTimes))
  for (const file of outgrown(fileTimes, budget, slowness).slice(0, RERUN_FILES_MAX)) {
    console.log(`\nOnce more, alone, because it took long: ${file}`)
    const alone = await run([pathOf(file)])
    const machine = slownessOfMachine()
    if (outgrown(alone.fileTimes, budget, machine).length === 0) continue
    const [took = 0, tookAlone = 0] = [fileTimes.get(file), alone.fileTimes.get(file)]
    const fails = outgrown(alone.fileTimes, budget, machine, FAILING_TOLERANCE).length > 0
    ;(fails ? failing : grown).push(
      `${file} has outgrown its budget of ${inWords(budget(file))}: it took ${inWords(took)}, and ${inWords(tookAlone)} alone. Make it faster, or split it; test/times.json has the budgets`,
    )
  }
  return { grown, failing }
}

/** What failed outside of a test makes its whole file run again. */
function isHook({ name }: TestResult): boolean {
  return name.startsWith('(') || name.endsWith('(unnamed)')
}

function namePattern(results: readonly TestResult[]): string[] {
  if (results.some(isHook)) return []
  // The runner compares with the names of groups and test, with blanks between.
  const names = results.map(({ name }) => name.replaceAll(/[$()*+.?[\\\]^{|}]/g, String.raw`\$&`))
  return ['-t', `^(?:${names.map((name) => name.replaceAll(' > ', '(?: > | )')).join('|')})$`]
}

function problemsOf({ mode }: Request, report: TestReport, failures: readonly TestResult[]): string[] {
  if (report.hang !== undefined) return [report.hang]
  if (report.results.length === 0 && (mode !== 'changed' || report.exitCode !== 0)) return ['No test was run']
  if (report.doubt !== undefined) return [report.doubt]
  if (report.exitCode !== 0 && failures.length === 0) {
    return [`The test process ended with ${report.exitCode ?? 'a signal'} and named no failure`]
  }
  return []
}

/** Ends this process when npm, or the shell between npm and this process, has gone without ending it. */
function endWithStarters(kill: () => void): void {
  const starters = findStarters()
  setInterval(() => {
    if (starters.every((pid) => readProcess(pid) !== undefined)) return
    kill()
    process.exit(1)
  }, STARTERS_WATCH_MS).unref()
}
