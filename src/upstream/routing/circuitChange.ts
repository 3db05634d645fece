import type { FailureKind } from '../../core/failure.ts'
import type { WorkspaceId } from '../../core/id.ts'
import type { Circuit } from './circuit.ts'
import type { Scope } from './scope.ts'

/** A circuit has changed, for a workspace or for everyone. */
export type CircuitChange = { readonly scope: Scope; readonly state: 'closed' | 'half_open' } | CircuitOpened

export interface CircuitOpened {
  readonly scope: Scope
  readonly state: 'open'
  readonly reason: FailureKind
  /** When it is tried again, in milliseconds since the epoch. */
  readonly until: number
  /** The workspaces whose failures opened it, the first of them, and how many more there are. None: no request did. */
  readonly struck: readonly WorkspaceId[]
  readonly struckMore: number
}

export function circuitOpened(
  circuit: Circuit,
  of: Pick<CircuitOpened, 'scope' | 'struck' | 'struckMore'>,
  now: number,
): CircuitOpened {
  return { ...of, state: 'open', reason: circuit.reason, until: circuit.retryAt(now) ?? now }
}

/** The epochs of one target: every change of one of its circuits begins another. */
export class Epochs {
  #current = 0

  get current(): number {
    return this.#current
  }

  next(): number {
    return ++this.#current
  }
}
