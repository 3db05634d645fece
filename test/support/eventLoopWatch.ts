import { readFileSync } from 'node:fs'

/** How often the watch looks: a stall is known to this precision. */
const TICK_MS = 1
/** On Linux: nanoseconds that the main thread ran, and nanoseconds that it waited for a free core. */
const SCHEDULER_FILE = '/proc/self/schedstat'
const NANOSECONDS_PER_MS = 1_000_000

/** The longest times, in milliseconds, that the event loop was kept from its timers. */
export interface Stalls {
  /** By computing: at most the CPU time of the process. */
  readonly busyMs: number
  /** By computing or waiting for the disk, which others may keep busy as well. */
  readonly blockedMs: number
}

export interface EventLoopWatch {
  stop(): Stalls
}

/** Measures how long this thread's own work keeps the event loop: not while other processes have the core. */
export function watchEventLoop(): EventLoopWatch {
  let [busyMs, blockedMs] = [0, 0]
  let last = readClocks()

  function look(): void {
    const now = readClocks()
    const blocked = now.wallMs - last.wallMs - (now.waitedForCoreMs - last.waitedForCoreMs)
    blockedMs = Math.max(blockedMs, blocked)
    busyMs = Math.max(busyMs, Math.min(blocked, now.cpuMs - last.cpuMs))
    last = now
  }

  const timer = setInterval(look, TICK_MS)
  return {
    stop() {
      clearInterval(timer)
      look()
      return { busyMs, blockedMs }
    },
  }
}

interface Clocks {
  readonly wallMs: number
  readonly cpuMs: number
  readonly waitedForCoreMs: number
}

function readClocks(): Clocks {
  const { user, system } = process.cpuUsage()
  return { wallMs: performance.now(), cpuMs: (user + system) / 1_000, waitedForCoreMs: readWaitedForCore() }
}

let schedulerTells = process.platform === 'linux'

/** 0 where the system does not tell: then others' use of the core counts as being blocked. */
function readWaitedForCore(): number {
  if (!schedulerTells) return 0
  try {
    const [, waited] = readFileSync(SCHEDULER_FILE, 'utf8').split(' ')
    return Number(waited) / NANOSECONDS_PER_MS
  } catch {
    schedulerTells = false
    return 0
  }
}
