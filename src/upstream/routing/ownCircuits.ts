import type { FailureKind } from '../../core/failure.ts'
import { type CircuitChange, type Epochs, circuitOpened } from './circuitChange.ts'
import type { SharedCircuit } from './sharedCircuit.ts'
import type { StrikeRecord } from './strikeRecords.ts'

/** The circuits of single workspaces: what opens and closes each. */
export class OwnCircuits {
  readonly #epochs: Epochs
  readonly #shared: SharedCircuit
  readonly #onChange: (change: CircuitChange) => void

  constructor(epochs: Epochs, shared: SharedCircuit, onChange: (change: CircuitChange) => void) {
    this.#epochs = epochs
    this.#shared = shared
    this.#onChange = onChange
  }

  answered(record: StrikeRecord, epoch: number, now: number): void {
    record.window.add(now, false)
    if (!record.circuit.isCurrent(epoch)) return
    record.strikes.own = 0
    if (record.circuit.opened) this.close(record)
  }

  /** @param epoch of the call that failed */
  struck(record: StrikeRecord, epoch: number, kind: FailureKind, now: number): void {
    if (!record.circuit.isCurrent(epoch)) return
    if (record.circuit.opened) this.#open(record, kind, now)
    else this.openIfBad(record, kind, now)
  }

  openIfBad(record: StrikeRecord, kind: FailureKind, now: number): void {
    const { circuit, window, strikes, breaks } = record
    if (circuit.opened) return
    const { strikes: ofStrikes, breaks: ofBreaks } = this.#shared
    if (ofStrikes.isLongFor(strikes) || ofBreaks.isLongFor(breaks) || window.isBad(now))
      this.#open(record, kind, now)
  }

  close(record: StrikeRecord): void {
    if (!record.circuit.opened) return
    record.circuit.close(this.#epochs.next())
    record.window.clear()
    this.#onChange({ scope: record.id, state: 'closed' })
  }

  #open(record: StrikeRecord, kind: FailureKind, now: number): void {
    record.circuit.open(this.#epochs.next(), kind, now)
    record.strikes.own = 0
    record.breaks.own = 0
    const of = { scope: record.id, struck: [record.id], struckMore: 0 }
    this.#onChange(circuitOpened(record.circuit, of, now))
  }
}
