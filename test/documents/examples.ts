import { existsSync } from 'node:fs'
import { cp, mkdir, readdir, symlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { skipFor } from '../support/runEvents.ts'
import { TEST_LIMIT_MS } from '../support/scale.ts'
import { blocksOf } from './blocks.ts'

/** A worked example of CONTRIBUTING.md: what a reader does, in this order. */
export interface Example {
  readonly name: string
  readonly steps: readonly Step[]
}

export type Step =
  | { readonly kind: 'file'; readonly path: string; readonly text: string }
  | { readonly kind: 'change'; readonly path: string; readonly places: readonly Place[] }
  | { readonly kind: 'command'; readonly command: string; readonly output: readonly string[] }

/** Lines of a `diff` block: each begins with `+`, `-` or a blank. */
type Place = readonly string[]

/** For what differs from one machine to the next, or does not matter. */
const ANYTHING = '…'

/** The examples of a page: what is below its headings of the third level. */
export function examplesOf(page: string): Example[] {
  return page
    .split(/^### /m)
    .slice(1)
    .map((section) => ({ name: section.slice(0, section.indexOf('\n')), steps: stepsOf(section) }))
}

function stepsOf(section: string): Step[] {
  const lines = section.split('\n')
  return blocksOf(section).flatMap(({ language, about: path, text, line }): Step[] => {
    if (language === 'console') return commandsOf(text)
    if (path === '') return []
    if (!lines[line - 3]?.startsWith(`\`${path}\``)) {
      throw new Error(`the paragraph before the block of ${path} must begin with its path`)
    }
    if (language === 'diff') return [{ kind: 'change', path, places: placesOf(text) }]
    return [{ kind: 'file', path, text }]
  })
}

function placesOf(text: string): Place[] {
  return text.split(/^@@\n/m).map((place) => place.replace(/\n$/, '').split('\n'))
}

function commandsOf(text: string): Step[] {
  return text
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...output] = part.trimEnd().split('\n')
      return { kind: 'command', command, output }
    })
}

/** Makes the change of a `diff` block. Throws unless each of its places is there exactly once. */
export function changed(path: string, text: string, places: readonly Place[]): string {
  return places.reduce((before, place) => changedAt(path, before, place), text)
}

function changedAt(path: string, text: string, place: Place): string {
  const lines = text.split('\n')
  const old = place.filter((line) => !line.startsWith('+')).map((line) => line.slice(1))
  const found = lines.flatMap((_, at) => (old.every((line, i) => isLike(lines[at + i], line)) ? [at] : []))
  const [at] = found
  if (old.length === 0 || at === undefined || found.length > 1) {
    throw new Error(`${path} has these lines ${found.length} times:\n${old.join('\n')}`)
  }
  let next = at
  // What `…` stood for in the line that was removed last; it is kept in the line that takes its place.
  let kept: readonly string[] = []
  const written = place.flatMap((line) => {
    if (line.startsWith('+')) return [filledIn(line.slice(1), kept)]
    const current = lines[next++] ?? ''
    if (!line.startsWith('-')) return [current]
    kept = current.match(patternOf(line.slice(1)))?.slice(1) ?? []
    return []
  })
  return lines.toSpliced(at, old.length, ...written).join('\n')
}

function filledIn(line: string, kept: readonly string[]): string {
  return line.split(ANYTHING).reduce((text, part, i) => text + (kept[i - 1] ?? ANYTHING) + part)
}

/** Whether a line is what is written for it; `…` stands for anything. */
function isLike(line: string | undefined, written: string): boolean {
  if (line === undefined || !written.includes(ANYTHING)) return line === written
  return patternOf(written).test(line)
}

function patternOf(written: string): RegExp {
  const parts = written.split(ANYTHING).map((part) => RegExp.escape(part))
  return new RegExp(`^${parts.join('(.*)')}$`)
}

/** The first line of an expected output that is not there, after the one before it. */
export function missingLine(output: string, expected: readonly string[]): string | undefined {
  const lines = output.split('\n').map((line) => line.trimEnd())
  let from = 0
  for (const line of expected) {
    const at = lines.findIndex((candidate, index) => index >= from && isLike(candidate, line.trimEnd()))
    if (at < 0) return line
    from = at + 1
  }
  return undefined
}

/** For `describe.skipIf`: whoever tries the examples in the checkout itself has their files already. */
export function mustSkipExamples(root: string, examples: readonly Example[]): boolean {
  const tried = examples
    .flatMap(({ steps }) => steps)
    .some((step) => step.kind === 'file' && existsSync(join(root, step.path)))
  return skipFor(tried ? 'the examples are in this checkout already' : undefined)
}

const NOT_COPIED: ReadonlySet<string> = new Set(['.git', 'node_modules', 'data', 'dist'])

/** A copy of the checkout in which files can be changed; what is installed is shared. */
export async function copyCheckout(root: string, to: string): Promise<void> {
  await mkdir(to, { recursive: true })
  for (const name of await readdir(root)) {
    if (!NOT_COPIED.has(name)) await cp(join(root, name), join(to, name), { recursive: true })
  }
  await symlink(join(root, 'node_modules'), join(to, 'node_modules'))
}

/** Does a step in a copy of the checkout. Throws where it does not go as the page says. */
export async function follow(step: Step, root: string): Promise<void> {
  if (step.kind === 'command') {
    const { code, output } = await runIn(root, step.command)
    const missing = missingLine(output, step.output)
    if (code === 0 && missing === undefined) return
    const what = code === 0 ? `does not print "${missing}"` : `ends with ${code}`
    throw new Error(`${step.command} ${what}:\n${output}`)
  }
  const path = join(root, step.path)
  const file = Bun.file(path)
  if (step.kind === 'change') {
    await Bun.write(path, changed(step.path, await file.text(), step.places))
    return
  }
  if (await file.exists()) throw new Error(`${step.path} is there already`)
  await mkdir(dirname(path), { recursive: true })
  await Bun.write(path, step.text)
}

/** Runs a shell command with nothing of this run's own environment. */
export async function runIn(root: string, command: string): Promise<{ code: number; output: string }> {
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(TOLLGATE_|BUN_|JEST_|npm_|FORCE_COLOR$)/.test(name)),
  )
  // A slow machine takes longer for a test than the runner allows by itself.
  const patient = command.replace('bin/bun test ', `bin/bun test --timeout ${TEST_LIMIT_MS} `)
  const child = Bun.spawn(['sh', '-c', `exec 2>&1; ${patient}`], {
    cwd: root,
    env: { ...env, NO_COLOR: '1' },
    stdin: 'ignore',
    stdout: 'pipe',
    stderr: 'ignore',
  })
  const output = await child.stdout.text()
  return { code: await child.exited, output }
}
