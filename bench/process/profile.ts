import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface CallFrame {
  readonly functionName: string
  readonly url: string
  readonly lineNumber: number
}

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: CallFrame
    readonly children?: readonly number[]
  }[]
  readonly samples: readonly number[]
  readonly timeDeltas: readonly number[]
}

const LINES_MAX = 60

/** Where the time went, by module and by function, from the CPU profile in a folder. */
export function describeProfile(folder: string): string[] {
  const name = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'))
  if (name === undefined) return ['no profile was written']
  const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile
  const stacks = stacksOf(profile)
  return [
    '',
    'By room, with what it calls of the runtime:',
    ...shares(profile, (id) => roomOf(stacks.get(id) ?? [])),
    '',
    'By function:',
    ...shares(profile, (id) => functionOf(stacks.get(id) ?? [])),
  ]
}

/** The share of time of each name that samples are given, the longest first. */
function shares({ samples, timeDeltas }: CpuProfile, nameOf: (id: number) => string): string[] {
  const micros = new Map<string, number>()
  let total = 0
  for (const [position, sample] of samples.entries()) {
    const name = nameOf(sample)
    const delta = timeDeltas[position] ?? 0
    micros.set(name, (micros.get(name) ?? 0) + delta)
    total += delta
  }
  const dearest = [...micros].sort((a, b) => b[1] - a[1]).slice(0, LINES_MAX)
  return dearest.map(([name, micros]) => `${((100 * micros) / total).toFixed(1).padStart(5)} %  ${name}`)
}

/** Each node's stack, innermost first. */
function stacksOf({ nodes }: CpuProfile): Map<number, readonly CallFrame[]> {
  const stacks = new Map<number, readonly CallFrame[]>()
  const children = new Set(nodes.flatMap(({ children = [] }) => children))
  const byId = new Map(nodes.map((node) => [node.id, node]))
  const waiting = nodes
    .filter(({ id }) => !children.has(id))
    .map((node) => ({ node, above: [] as CallFrame[] }))
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const stack = [next.node.callFrame, ...next.above]
    stacks.set(next.node.id, stack)
    for (const id of next.node.children ?? []) {
      const node = byId.get(id)
      if (node) waiting.push({ node, above: stack })
    }
  }
  return stacks
}

function roomOf(stack: readonly CallFrame[]): string {
  const file = placeOf(stack.find(({ url }) => isFile(url))?.url ?? '')
  return (
    file
      .split('/')
      .slice(0, file.startsWith('src/upstream/http') ? 3 : 2)
      .join('/') || 'the runtime'
  )
}

/** A function of the runtime is shown with the function that called it. */
function functionOf(stack: readonly CallFrame[]): string {
  const position = stack.findIndex(({ url }) => isFile(url))
  const named = position > 0 ? [stack[0], stack[position]] : [stack[0]]
  return named.map((frame) => (frame ? nameOf(frame) : '?')).join('  in ')
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName || '(anonymous)'
  return isFile(url) ? `${name}  ${placeOf(url)}:${lineNumber + 1}` : name
}

function isFile(url: string): boolean {
  return url.includes('/')
}

function placeOf(url: string): string {
  return url.replace(/^.*\/(?=src\/|node_modules\/)/, '')
}
