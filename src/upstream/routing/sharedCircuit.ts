import type { FailureKind } from '../../core/failure.ts'
import type { WorkspaceId } from '../../core/id.ts'
import { Circuit } from './circuit.ts'
import { type CircuitChange, type Epochs, circuitOpened } from './circuitChange.ts'
import { ERROR_RATE_TO_OPEN, ErrorWindow } from './errorWindow.ts'
import { EVERYONE, WORKSPACES_NAMED_MAX } from './scope.ts'
import { Streak } from './streak.ts'
import type { StrikeRecord, StrikeRecords } from './strikeRecords.ts'

/** The workspace with most of the strikes waits so many times as long as the others before it may probe. */
const WAITS_OF_MOST_STRUCK = 2

/** What opens it. */
type Cause = 'strikes' | 'breaks' | 'rate'

/**
 * The circuit of a target for everyone. Failures of at least two workspaces open it, with no answer to any workspace in
 * between, or failures that no request can have caused.
 */
export class SharedCircuit {
  readonly circuit = new Circuit(0)
  readonly strikes = new Streak()
  /** Answers that broke off, with none completed between them. */
  readonly breaks = new Streak()
  readonly window = new ErrorWindow()
  /** The failures of the window that count for everyone. */
  readonly #common = new ErrorWindow()
  readonly #epochs: Epochs
  readonly #onChange: (change: CircuitChange) => void
  #mostStruck: WorkspaceId | undefined

  constructor(epochs: Epochs, onChange: (change: CircuitChange) => void) {
    this.#epochs = epochs
    this.#onChange = onChange
  }

  admits(workspaceId: WorkspaceId, now: number): boolean {
    return this.circuit.admits(now, this.#waitsOf(workspaceId))
  }

  retryAt(workspaceId: WorkspaceId, now: number): number | undefined {
    return this.circuit.retryAt(now, this.#waitsOf(workspaceId))
  }

  struckForEveryone(now: number): void {
    this.#common.add(now, true)
    this.strikes.addForEveryone()
  }

  openIfBad(records: StrikeRecords | undefined, kind: FailureKind, now: number): void {
    if (this.circuit.opened) return
    const cause = this.#cause(records, now)
    if (cause === undefined) return
    for (const record of records?.all() ?? []) record.partInOpening = this.#failuresOf(record, cause, now)
    this.open(records, kind, now)
  }

  open(records: StrikeRecords | undefined, kind: FailureKind, now: number): void {
    this.circuit.open(this.#epochs.next(), kind, now)
    this.#mostStruck = records?.leader(({ partInOpening }) => partInOpening)?.id
    const all = [...(records?.all() ?? [])].filter(({ partInOpening }) => partInOpening > 0)
    const struck = all.slice(0, WORKSPACES_NAMED_MAX).map(({ id }) => id)
    const of = { scope: EVERYONE, struck, struckMore: all.length - struck.length } as const
    this.#onChange(circuitOpened(this.circuit, of, now))
  }

  /** Closes it, and forgets the failures that opened it. */
  close(records: StrikeRecords | undefined): void {
    const wasOpen = this.circuit.opened
    this.circuit.close(this.#epochs.next())
    this.#mostStruck = undefined
    this.strikes.end()
    this.breaks.end()
    this.window.clear()
    this.#common.clear()
    for (const record of records?.all() ?? []) {
      record.partInOpening = 0
      if (!record.circuit.opened) record.window.clear()
    }
    if (wasOpen) this.#onChange({ scope: EVERYONE, state: 'closed' })
  }

  #waitsOf(workspaceId: WorkspaceId): number {
    return workspaceId === this.#mostStruck ? WAITS_OF_MOST_STRUCK : 1
  }

  #cause(records: StrikeRecords | undefined, now: number): Cause | undefined {
    if (this.strikes.isLongForEveryone) return 'strikes'
    if (this.breaks.isLongForEveryone) return 'breaks'
    return this.window.isBad(now) && this.#isBadForOthers(records, now) ? 'rate' : undefined
  }

  /** Whether the rate is bad without the workspace that fails most, too. */
  #isBadForOthers(records: StrikeRecords | undefined, now: number): boolean {
    let worst = { calls: 0, failures: 0 }
    let { failures } = this.#common.counts(now)
    for (const record of records?.all() ?? []) {
      const counts = record.window.counts(now)
      failures += counts.failures
      if (counts.failures > worst.failures) worst = counts
    }
    const ofOthers = failures - worst.failures
    return ofOthers > 0 && ofOthers >= (this.window.counts(now).calls - worst.calls) * ERROR_RATE_TO_OPEN
  }

  #failuresOf(record: StrikeRecord, cause: Cause, now: number): number {
    if (cause === 'rate') return record.window.counts(now).failures
    return cause === 'strikes' ? this.strikes.countOf(record.strikes) : this.breaks.countOf(record.breaks)
  }
}
