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

/** The functions with the most self time in the CPU profile that lies in a folder, dearest first. */
export function hottestFunctions(folder: string): string[] {
  const name = readdirSync(folder).find((name) => name.endsWith('.cpuprofile'))
  if (name === undefined) return ['no profile was written']
  const profile = JSON.parse(readFileSync(join(folder, name), 'utf8')) as CpuProfile
  const places = placesOf(profile)
  const selfMicros = new Map<string, number>()
  let total = 0
  for (const [position, sample] of profile.samples.entries()) {
    const place = places.get(sample) ?? '?'
    const micros = profile.timeDeltas[position] ?? 0
    selfMicros.set(place, (selfMicros.get(place) ?? 0) + micros)
    total += micros
  }
  const dearest = [...selfMicros].sort((a, b) => b[1] - a[1]).slice(0, LINES_MAX)
  return dearest.map(([place, micros]) => `${((100 * micros) / total).toFixed(1).padStart(5)} %  ${place}`)
}

/** Where each node is; one of the runtime's own is told with the function of ours that called it. */
function placesOf({ nodes }: CpuProfile): Map<number, string> {
  const parents = new Map(nodes.flatMap(({ id, children = [] }) => children.map((child) => [child, id])))
  const frames = new Map(nodes.map(({ id, callFrame }) => [id, callFrame]))
  return new Map(
    nodes.map(({ id, callFrame }) => {
      let place = nameOf(callFrame)
      let parent: number | undefined = id
      let frame: CallFrame | undefined = callFrame
      while (frame && !frame.url.includes('/') && parent !== undefined) {
        parent = parents.get(parent)
        frame = parent === undefined ? undefined : frames.get(parent)
        if (frame?.url.includes('/')) place += `  in ${nameOf(frame)}`
      }
      return [id, place]
    }),
  )
}

function nameOf({ functionName, url, lineNumber }: CallFrame): string {
  const name = functionName || '(anonymous)'
  return url === '' ? name : `${name}  ${url.replace(/^.*\/(?=src\/|node_modules\/)/, '')}:${lineNumber + 1}`
}
