import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

interface CpuProfile {
  readonly nodes: readonly {
    readonly id: number
    readonly callFrame: { readonly functionName: string; readonly url: string; readonly lineNumber: number }
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
  const places = new Map(profile.nodes.map(({ id, callFrame }) => [id, placeOf(callFrame)]))
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

function placeOf({ functionName, url, lineNumber }: CpuProfile['nodes'][number]['callFrame']): string {
  const file = url.replace(/^.*\/(?=src\/|node_modules\/)/, '')
  return `${functionName || '(anonymous)'}  ${file}:${lineNumber + 1}`
}
