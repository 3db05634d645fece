import { readFileSync, readdirSync } from 'node:fs'

const PAGE_BYTES = 4096
const SAMPLE_MS = 50

/** CPU time of a process and all of its threads so far, in microseconds; exact to the nanosecond, unlike `times`. */
export function cpuMicros(pid: number): number {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    nanoseconds += Number(read(`/proc/${pid}/task/${thread}/schedstat`).split(' ')[0] ?? 0)
  }
  return nanoseconds / 1000
}

/** Resident memory in megabytes of 10^6 bytes. */
export function residentMb(pid: number): number {
  return (Number(read(`/proc/${pid}/statm`).split(' ')[1]) * PAGE_BYTES) / 1e6
}

export interface Used<Result> {
  readonly result: Result
  readonly cpuMicros: number
  readonly peakMb: number
}

/** What a process uses while something runs. */
export async function usedBy<Result>(pid: number, run: () => Promise<Result>): Promise<Used<Result>> {
  let peakMb = residentMb(pid)
  const sampler = setInterval(() => (peakMb = Math.max(peakMb, residentMb(pid))), SAMPLE_MS)
  const before = cpuMicros(pid)
  try {
    const result = await run()
    return { result, cpuMicros: cpuMicros(pid) - before, peakMb: Math.max(peakMb, residentMb(pid)) }
  } finally {
    clearInterval(sampler)
  }
}

/** A thread may end between being listed and being read. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return '0 0 0'
  }
}
