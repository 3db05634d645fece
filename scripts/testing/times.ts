import { join } from 'node:path'
import { Glob } from 'bun'
import times from '../../test/times.json'

/** Milliseconds that a test file takes by itself on a machine that does nothing else; `test/times.json` names the long ones. */
const NAMED: Readonly<Record<string, number>> = times.files
/** A file outgrows its budget above so many times of it. */
const TOLERANCE = 1.5
/** And fails the run above so many times of it, alone: below, the cause may be the machine, which has to be able to be five times slower. */
export const FAILING_TOLERANCE = 5
const RATIOS_MIN = 10
const ALL_FOLDERS = ['src', 'scripts', 'test', 'bench']

/** The paths of the test files in these folders, or in all, from the root. */
export function testFiles(root: string, folders: readonly string[] = []): string[] {
  return (folders.length === 0 ? ALL_FOLDERS : folders).flatMap((folder) =>
    Array.from(new Glob('**/*.test.ts').scanSync(join(root, folder)), (path) => join(folder, path)),
  )
}

/**
 * The order in which files begin: long ones early, so that none is alone at the end, with short ones between them, so
 * that not all processes work, or wait, at the same time.
 */
export function startOrder(files: readonly string[]): string[] {
  const long = files.filter((file) => file in NAMED).toSorted((a, b) => (NAMED[b] ?? 0) - (NAMED[a] ?? 0))
  const short = files.filter((file) => !(file in NAMED)).toSorted((a, b) => scatter(a) - scatter(b))
  const each = Math.floor(short.length / (long.length + 1))
  const mixed = long.flatMap((file, i) => [file, ...short.slice(i * each, (i + 1) * each)])
  return [...mixed, ...short.slice(long.length * each)]
}

/** Neighbours in a folder wait for the same things: a number by which they do not stay together. */
function scatter(file: string): number {
  return Bun.hash.crc32(file)
}

/** Writes what `bun test --timings` reads: it begins with the file of the highest number. Gives its path. */
export async function writeTimings(root: string, folder: string): Promise<string> {
  const order = startOrder(testFiles(root)).toReversed()
  const files = Object.fromEntries(order.map((file, i) => [file, i + 1]))
  const path = join(folder, 'timings.json')
  await Bun.write(path, JSON.stringify({ version: 1, files }))
  return path
}

/** The budget of each file, in milliseconds. */
export type Budget = (file: string) => number

/** @param unnamedMs of a file that `test/times.json` does not name */
export function budgetOf(unnamedMs: number): Budget {
  return (file) => NAMED[file] ?? unnamedMs
}

/**
 * The files that took more than their budget allows.
 * @param took milliseconds of each file that came to its end
 * @param slowness how much slower than alone on a quiet machine each file is expected to be
 */
export function outgrown(
  took: ReadonlyMap<string, number>,
  budget: Budget,
  slowness: number,
  tolerance = TOLERANCE,
): string[] {
  return [...took].flatMap(([file, ms]) => (ms > tolerance * budget(file) * slowness ? [file] : []))
}

/** How much slower than alone the files of a run were that have a budget of their own: the median, and at least 1. */
export function slownessOfRun(took: ReadonlyMap<string, number>): number {
  const ratios = [...took].flatMap(([file, ms]) => {
    const budget = NAMED[file]
    return budget === undefined ? [] : [ms / budget]
  })
  // The ratio of one or two files says more about them than about the run.
  if (ratios.length < RATIOS_MIN) return 1
  return Math.max(1, ratios.toSorted((a, b) => a - b)[Math.floor(ratios.length / 2)] ?? 1)
}
