/**
 * The test command. Brings what the machine lacks (a Postgres server, from npm or Debian), then runs the
 * tests: all of them in their short form, or with `--long` the full form of those that have one.
 */
import { join } from 'node:path'
import { postgresAvailability } from '../test/support/postgres.ts'
import { providePostgres } from './providePostgres.ts'

const root = join(import.meta.dir, '..')
/** A single test; the long form of the simulation takes most of half an hour. */
const TEST_TIMEOUT_MS = { short: 60_000, long: 60 * 60_000 }
/** Folders whose tests have a long form. */
const LONG_FOLDERS = ['test/simulation', 'test/long']

const { long, rest } = readArguments(process.argv.slice(2))
const environment = { ...process.env, ...providePostgres(), ...(long && { TOLLGATE_TEST_LONG: '1' }) }
Object.assign(process.env, environment)
const availability = postgresAvailability()
if (!availability.available) {
  console.warn(`\nSKIPPED: everything that needs Postgres: ${availability.reason}\n`)
}
process.exitCode = await runTests([...(long ? LONG_FOLDERS : []), ...rest])

async function runTests(paths: readonly string[]): Promise<number> {
  const timeout = long ? TEST_TIMEOUT_MS.long : TEST_TIMEOUT_MS.short
  const startedAt = performance.now()
  const tests = Bun.spawn([process.execPath, 'test', `--timeout=${timeout}`, ...paths], {
    cwd: root,
    env: environment,
    stdout: 'inherit',
    stderr: 'pipe',
  })
  const counts = { pass: 0, fail: 0, skip: 0 }
  const decoder = new TextDecoder()
  let tail = ''
  for await (const bytes of tests.stderr) {
    process.stderr.write(bytes)
    tail = (tail + decoder.decode(bytes, { stream: true })).slice(-4_000)
  }
  for (const [, count, kind] of tail.matchAll(/^\s*(\d+) (pass|fail|skip)\s*$/gm)) {
    counts[kind as keyof typeof counts] = Number(count)
  }
  const code = await tests.exited
  const seconds = Math.round((performance.now() - startedAt) / 1000)
  console.log(`\nTests took ${seconds} s`)
  console.log(`${counts.pass} passed, ${counts.fail} failed, ${counts.skip} skipped`)
  if (counts.pass === 0) return 1
  return code
}

function readArguments(given: readonly string[]): { long: boolean; rest: string[] } {
  return { long: given.includes('--long'), rest: given.filter((argument) => argument !== '--long') }
}
