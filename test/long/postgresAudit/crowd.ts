import type { GatewayProcess, ProcessCustomer, ProcessWorld } from '../../support/processWorld.ts'
import { scaled } from '../../support/scale.ts'
import { isWhole } from '../load.ts'

/** Every other one is answered in streams. */
const CALLERS = scaled({ short: 12, long: 24, budgeted: 12 })
/** Who was refused or cut off tries again after this long: patient enough to leave the processes some CPU. */
const RETRY_MS = 50
/** Longer than a process may stand still and an answer may wait together; on a slow machine, too. */
const CALL_MS_MAX = 120_000

/** When a caller had its whole answer, and from which process. */
interface Answer {
  readonly at: number
  readonly pid: number
}

/** Callers that remember what they were answered, each with one of the processes for as long as it runs. */
export interface Crowd {
  /** Ids of the calls that were answered whole and that were refused, and how many ended without either. */
  outcomes(): {
    readonly answered: readonly string[]
    readonly refused: readonly string[]
    readonly cut: number
  }
  /** How calls were refused, and how often: a status, or `event` in a stream. */
  refusals(): Readonly<Record<string, number>>
  /** How many answers came between two moments (`performance.now`), of one process or of all. */
  answersBetween(from: number, to: number, process?: GatewayProcess): number
  /** The longest time without any answer between two moments, in milliseconds; of one process or of all. */
  longestGapMs(from: number, to: number, process?: GatewayProcess): number
  /** Resolves when so many calls have been answered. */
  reach(answered: number): Promise<void>
  /** Resolves when each of them has answered a call that was begun from now on. Default: every process that runs. */
  servedBy(processes?: readonly GatewayProcess[]): Promise<void>
  /** Resolves when the last call has ended. */
  stop(): Promise<void>
}

export function startCrowd(world: ProcessWorld, customers: readonly ProcessCustomer[]): Crowd {
  const answered = new Set<string>()
  const answers: Answer[] = []
  const refused = new Map<string, string>()
  let cut = 0
  const state = { running: true }
  let waiting: (() => void)[] = []
  /** When the call began that each process answered last. */
  const lastBegun = new Map<number, number>()

  function changed(): void {
    const wakes = waiting
    waiting = []
    for (const wake of wakes) wake()
  }
  async function until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => waiting.push(resolve))
  }

  /** Whether it was answered. */
  async function call(process: GatewayProcess, customer: ProcessCustomer, stream: boolean): Promise<boolean> {
    const begunAt = performance.now()
    let id: string
    let status: number
    let text: string
    try {
      const response = await world.chat(process, customer.secret, { stream }, {}, CALL_MS_MAX)
      id = response.headers.get('x-request-id') ?? 'without an id'
      status = response.status
      text = await response.text()
    } catch (error) {
      if (error instanceof Error && error.name === 'TimeoutError') throw error
      // The process was killed under the call.
      cut++
      return false
    }
    if (status !== 200) refused.set(id, String(status))
    else if (isWhole(text, stream)) {
      answered.add(id)
      answers.push({ at: performance.now(), pid: process.pid })
      lastBegun.set(process.pid, Math.max(begunAt, lastBegun.get(process.pid) ?? 0))
      return true
    } else if (text.includes('"error"')) refused.set(id, 'event')
    else cut++
    return false
  }

  async function caller(ordinal: number): Promise<void> {
    const stream = ordinal % 2 === 0
    while (state.running) {
      const process = world.processes[Math.floor(ordinal / 2) % world.processes.length]
      const customer = customers[ordinal % customers.length]
      const served = process && customer && (await call(process, customer, stream))
      changed()
      if (!served) await Bun.sleep(RETRY_MS)
    }
  }
  const callers = Promise.all(Array.from({ length: CALLERS }, (_, ordinal) => caller(ordinal)))
  // Whoever stops the crowd learns of it.
  callers.catch(changed)

  function timesOf(from: number, to: number, process?: GatewayProcess): number[] {
    return answers
      .filter(({ at, pid }) => at >= from && at <= to && (process === undefined || pid === process.pid))
      .map(({ at }) => at)
  }

  return {
    outcomes: () => ({ answered: [...answered], refused: [...refused.keys()], cut }),
    refusals() {
      const counts: Record<string, number> = {}
      for (const how of refused.values()) counts[how] = (counts[how] ?? 0) + 1
      return counts
    },
    answersBetween: (from, to, process) => timesOf(from, to, process).length,
    longestGapMs(from, to, process) {
      const times = [from, ...timesOf(from, to, process), to]
      return Math.max(...times.slice(1).map((time, index) => time - (times[index] ?? time)))
    },
    reach: (count) => Promise.race([callers, until(() => answered.size >= count)]).then(() => undefined),
    async servedBy(processes = world.processes) {
      const now = performance.now()
      const served = () => processes.every(({ pid }) => (lastBegun.get(pid) ?? 0) >= now)
      await Promise.race([callers, until(served)])
    },
    async stop() {
      state.running = false
      await callers
    },
  }
}
