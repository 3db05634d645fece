import type { WorkspaceId } from '../../core/id.ts'
import { RecentMap } from '../../core/recent.ts'
import { Circuit } from './circuit.ts'
import { ErrorWindow } from './errorWindow.ts'
import { FORGOTTEN_AFTER_MS, SWEEP_INTERVAL_MS, WORKSPACES_REMEMBERED_MAX } from './scope.ts'
import { type Share, createShare } from './streak.ts'

/** How a target has failed one workspace. */
export interface StrikeRecord {
  readonly id: WorkspaceId
  readonly circuit: Circuit
  /** Its calls since its first failure. */
  readonly window: ErrorWindow
  readonly strikes: Share
  readonly breaks: Share
  /** Its part in what opened the circuit for everyone. */
  partInOpening: number
  touchedAt: number
}

/** The workspaces that a target has failed: a bounded number of them, and only while it matters. */
export class StrikeRecords {
  readonly #records: RecentMap<WorkspaceId, StrikeRecord>
  readonly #onForgotten: (record: StrikeRecord) => void
  #sweepAt = 0

  /** @param onForgotten gets each record that is dropped */
  constructor(onForgotten: (record: StrikeRecord) => void) {
    this.#onForgotten = onForgotten
    this.#records = new RecentMap(WORKSPACES_REMEMBERED_MAX, onForgotten)
  }

  get size(): number {
    return this.#records.size
  }

  get(id: WorkspaceId): StrikeRecord | undefined {
    return this.#records.get(id)
  }

  all(): IterableIterator<StrikeRecord> {
    return this.#records.values()
  }

  /** The record of a workspace that the target fails now. @param epoch of a circuit that is new */
  remember(id: WorkspaceId, epoch: number, now: number): StrikeRecord {
    const record = this.#records.get(id) ?? {
      id,
      circuit: new Circuit(epoch),
      window: new ErrorWindow(),
      strikes: createShare(),
      breaks: createShare(),
      partInOpening: 0,
      touchedAt: now,
    }
    record.touchedAt = now
    this.#records.set(id, record)
    return record
  }

  forget(record: StrikeRecord): void {
    if (this.#records.delete(record.id)) this.#onForgotten(record)
  }

  /** Forgets, now and then, the workspaces that are served again, and those that have not called for long. */
  sweep(now: number): void {
    if (now < this.#sweepAt) return
    this.#sweepAt = now + SWEEP_INTERVAL_MS
    for (const record of this.#records.values()) if (isOver(record, now)) this.forget(record)
  }

  /** The one that most failures belong to; undefined where several have as many. */
  leader(failuresOf: (record: StrikeRecord) => number): StrikeRecord | undefined {
    let leader: StrikeRecord | undefined
    let most = 0
    for (const record of this.#records.values()) {
      const failures = failuresOf(record)
      if (failures < most || failures === 0) continue
      leader = failures === most ? undefined : record
      most = failures
    }
    return leader
  }
}

function isOver({ circuit, window, strikes, breaks, touchedAt }: StrikeRecord, now: number): boolean {
  if (now - touchedAt >= FORGOTTEN_AFTER_MS) return true
  return !circuit.opened && strikes.own === 0 && breaks.own === 0 && window.counts(now).failures === 0
}
