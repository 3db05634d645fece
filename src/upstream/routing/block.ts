import type { FailureKind } from '../../core/failure.ts'
import type { Scope, ScopedBlock } from './scope.ts'

/** Something that is not used now, or only when nothing better is left: for whom, why, and until when. */
export interface Block extends ScopedBlock {
  readonly what: 'circuit' | 'target' | 'credential'
  /** Name of the provider in the configuration. */
  readonly provider: string
  /** Undefined: at every target of the provider. */
  readonly upstreamModel: string | undefined
  /** `acme#1`; undefined: it is not about a credential. */
  readonly credential: string | undefined
  readonly scope: Scope
  readonly reason: FailureKind
  /** Milliseconds since the epoch. */
  readonly until: number
}

/** Which blocks: of a provider, of one of its targets, of one workspace. */
export interface BlockFilter {
  readonly provider: string
  readonly upstreamModel?: string | undefined
  /** Default: all, those for everyone included. */
  readonly scope?: Scope | undefined
}
