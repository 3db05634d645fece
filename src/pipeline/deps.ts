import type { UpstreamFailure } from '../core/failure.ts'
import type { IdSource } from '../core/id.ts'
import type { Store } from '../core/ports/store.ts'
import type { Usage } from '../core/usage.ts'
import type { WriteoffCause } from '../core/writeoff.ts'
import type { AnswerBudget } from '../upstream/answerBudget.ts'
import type { Authorize } from '../upstream/send.ts'
import type { Router } from '../upstream/router.ts'
import type { StreamRefusals } from '../upstream/streamRefusals.ts'
import type { Authenticator } from './authenticate/authenticate.ts'
import type { BodyBudget } from './authenticate/bodyBudget.ts'
import type { LiveCalls } from './liveCalls.ts'
import type { Veil } from '../core/veil.ts'
import type { OutstandingSettlements } from './settle/outstanding.ts'
import type { OwnTurn } from './authenticate/ownTurn.ts'
import type { PlanCatalog } from './plan/planCatalog.ts'
import type { UsedUpWindows } from './authenticate/usedUpWindows.ts'

/** What the steps of a request need from outside. Clock, randomness and waiting come in here only. */
export interface PipelineDeps {
  readonly store: Store
  readonly authenticator: Authenticator
  /** The catalogue in force; a reload swaps it, calls in flight keep theirs. */
  readonly catalog: () => PlanCatalog
  readonly router: Router
  readonly authorize: Authorize
  readonly tokens: TokenCounter
  readonly ids: IdSource
  readonly calls: LiveCalls
  readonly outstanding: OutstandingSettlements
  /** Hides what opens the door in what is kept of a caller's words. */
  readonly veil: Veil
  readonly streamRefusals: StreamRefusals
  readonly bodies: BodyBudget
  readonly answers: AnswerBudget
  /** Whether a call holds what it probably needs, or the most that it can cost. */
  readonly holds: () => HoldsSetting
  /** How long answers of Responses are kept, in milliseconds; 0: not at all. */
  readonly responsesKeepMs: () => number
  readonly usedUp: UsedUpWindows
  readonly events: PipelineEvents
  /** Milliseconds since the epoch. */
  readonly now: () => number
  /** From 0 up to 1. */
  readonly random: () => number
  /** Resolves in a turn of the event loop that no other large piece of work has. */
  readonly ownTurn: OwnTurn
  /** Resolves after the time, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
}

export type HoldsSetting = 'needed' | 'full'

export interface TokenCounter {
  /** The tokenizer's count. */
  count(text: string): Promise<number>
}

/** What happened, for logs and metrics. Must be cheap and never throw. */
export interface PipelineEvents {
  attemptFailed(event: {
    readonly id: string
    readonly route: string
    readonly failure: UpstreamFailure
  }): void
  /** A provider was asked for the number of tokens of a prompt, and did not give it. */
  tokenCountFailed(event: {
    readonly id: string
    readonly route: string
    readonly failure: UpstreamFailure
  }): void
  /** An answer that had begun broke off. */
  answerFailed(event: {
    readonly id: string
    readonly route: string
    readonly failure: UpstreamFailure
  }): void
  settled(event: {
    readonly id: string
    readonly workspaceId: string
    /** Provider and upstream model that answered; null where none did. */
    readonly route: string | null
    readonly ending: string
    readonly charge: bigint
    /** What an earlier settlement of the call had charged, and was given back; undefined: nothing. */
    readonly refund?: bigint | undefined
    /** Undefined when nothing was written off. */
    readonly writeoff: { readonly amount: bigint; readonly cause: WriteoffCause } | undefined
    readonly estimated: boolean
  }): void
  /** A settlement could not be committed at once: `first` for the first time in its call, `lost` when it was given up. */
  settlementDelayed(event: {
    readonly id: string
    readonly first: boolean
    readonly lost: boolean
    readonly cause: unknown
  }): void
  /** The database refuses one settlement, and takes others: it is tried further, and keeps nothing else waiting. */
  settlementSetAside(event: { readonly id: string; readonly cost: bigint; readonly cause: unknown }): void
  /** What was asked and answered; `read` is called only when prompts are to be logged. */
  conversation(id: string, read: () => Conversation): void
  /** A fault of the gateway itself, or a part of it that is away. The call it met ends all the same. */
  gatewayFailed(event: { readonly id: string; readonly at: GatewayStep; readonly cause: unknown }): void
  /** Of reported usage, what cannot be true was replaced by our own count or clamped. */
  usageRejected(event: { readonly id: string; readonly route: string; readonly reported: Usage }): void
  /**
   * A provider reports so many output tokens more than the limit that it was sent. Beyond the caller's own limit they are
   * billed to nobody, beyond a lower one of ours as far as the balance goes.
   */
  outputExceeded(event: {
    readonly id: string
    readonly route: string
    /** Name of the provider in the configuration. */
    readonly provider: string
    readonly tokens: number
  }): void
  /** A provider ended an answer for a reason that no list has: the answer counts as cut. */
  unknownFinish(event: {
    readonly id: string
    readonly route: string
    /** Name of the provider in the configuration. */
    readonly provider: string
    readonly word: string
  }): void
}

/** Where in a call's life a fault of the gateway showed. */
export type GatewayStep = 'memory' | 'answer' | 'pricing' | 'settlement' | 'report' | 'idempotency'

/** The words of one call. */
export interface Conversation {
  readonly messages: readonly unknown[]
  readonly answer: string
}
