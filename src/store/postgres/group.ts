import { OutcomeUnknown, StoreUnavailable } from '../../core/ports/till.ts'
import type { Lane, Transaction } from './transaction.ts'

/** Calls that wait for the database together. */
export interface Grouped<Request, Answer> {
  call(request: Request): Promise<Answer>
  /** Resolves when nothing is under way. */
  idle(): Promise<void>
}

export interface GroupOptions {
  /** How many calls share a step. */
  readonly sizeMax: number
  /** Hears how many calls were refused because the database was away. */
  readonly onUnavailable?: (fault: StoreUnavailable, calls: number) => void
  /** Hears that a group was answered. */
  readonly onDone?: () => void
}

/** More calls than this may not wait for one step, in calls. */
const WAITING_MAX = 20_000

interface Waiting<Request, Answer> {
  readonly request: Request
  readonly resolve: (answer: Answer) => void
  readonly reject: (error: unknown) => void
}

/**
 * One group is under way at a time; what arrives meanwhile is the next group. So contention makes
 * groups larger, not slower.
 *
 * @param run answers in the order of the requests
 */
export function groupCalls<Request, Answer>(
  run: (requests: readonly Request[]) => Promise<readonly Answer[]>,
  { sizeMax, onUnavailable, onDone }: GroupOptions,
): Grouped<Request, Answer> {
  let waiting: Waiting<Request, Answer>[] = []
  let working: Promise<void> | undefined

  async function work(): Promise<void> {
    while (waiting.length > 0) {
      const group = waiting.slice(0, sizeMax)
      waiting = waiting.slice(sizeMax)
      try {
        await runGroup(group)
      } catch (error) {
        // The database is away: whoever waited for it has waited long enough. Nothing of theirs was tried.
        const known = error instanceof StoreUnavailable && !(error instanceof OutcomeUnknown)
        const said = known ? error.message : 'the database cannot be reached'
        const untried = new StoreUnavailable(said, { cause: error })
        const refused = [...group, ...waiting]
        for (const { reject } of refused) reject(untried)
        waiting = []
        onUnavailable?.(untried, refused.length)
      }
    }
    working = undefined
  }

  /** Throws only `StoreUnavailable`, when those it was thrown at have been told. */
  async function runGroup(group: readonly Waiting<Request, Answer>[]): Promise<void> {
    try {
      const answers = await run(group.map(({ request }) => request))
      for (const [index, { resolve }] of group.entries()) resolve(answers[index] as Answer)
      onDone?.()
    } catch (error) {
      if (error instanceof StoreUnavailable) {
        for (const { reject } of group) reject(error)
        throw error
      }
      // One of them is at fault: alone, it fails alone.
      const [only, ...others] = group
      if (only && others.length === 0) only.reject(error)
      else for (const one of group) await runGroup([one])
    }
  }

  return {
    call(request) {
      if (waiting.length >= WAITING_MAX) {
        return Promise.reject(new StoreUnavailable('too many calls wait for the database'))
      }
      const answer = new Promise<Answer>((resolve, reject) => waiting.push({ request, resolve, reject }))
      // What arrives in the same turn is part of the first group.
      working ??= Promise.resolve().then(work)
      return answer
    },
    async idle() {
      await working
    },
  }
}

export interface StepOptions extends Pick<GroupOptions, 'sizeMax'> {
  /** Hears how many calls of a step were refused because the database was away. */
  readonly onUnavailable?: (fault: StoreUnavailable, calls: number, step: string) => void
  /** Hears that a step was done for some calls. */
  readonly onDone?: (step: string) => void
  /** Hears how many calls a transaction is for. */
  readonly onGroup?: ((step: string, calls: number) => void) | undefined
}

/** Calls of one step, each group of them in one transaction of a lane. */
export function groupStep<Request, Answer>(
  step: string,
  lane: Lane,
  transaction: (requests: readonly Request[]) => Transaction<readonly Answer[]>,
  { onGroup, onUnavailable, onDone, sizeMax }: StepOptions,
): Grouped<Request, Answer> {
  return groupCalls(
    (requests) => {
      onGroup?.(step, requests.length)
      return lane.run(transaction(requests))
    },
    {
      sizeMax,
      onUnavailable: (fault, calls) => onUnavailable?.(fault, calls, step),
      onDone: () => onDone?.(step),
    },
  )
}
