import type { WorkspaceId } from '../../core/id.ts'
import { type Breaker, type Entered, REFUSED } from './breaker.ts'
import type { Circuit } from './circuit.ts'
import { type CircuitChange, Epochs } from './circuitChange.ts'
import { OwnCircuits } from './ownCircuits.ts'
import { EVERYONE, type Scope } from './scope.ts'
import { SharedCircuit } from './sharedCircuit.ts'
import { type StrikeRecord, StrikeRecords } from './strikeRecords.ts'

/** @param onChange gets each change of a circuit */
export function createBreaker(onChange: (change: CircuitChange) => void = () => undefined): Breaker {
  const epochs = new Epochs()
  const shared = new SharedCircuit(epochs, onChange)
  const own = new OwnCircuits(epochs, shared, onChange)
  /** Undefined while the target fails no workspace: then a call costs no look-up. */
  let records: StrikeRecords | undefined
  /** A workspace without a record begins here: calls from before a lift do not count. */
  let firstEpoch = 0

  function remember(workspaceId: WorkspaceId, now: number): StrikeRecord {
    records ??= new StrikeRecords((record) => {
      shared.strikes.forget(record.strikes)
      shared.breaks.forget(record.breaks)
    })
    return records.remember(workspaceId, firstEpoch, now)
  }

  function strike(call: Entered, now: number): StrikeRecord {
    const record = remember(call.workspaceId, now)
    record.window.add(now, true)
    if (shared.circuit.isCurrent(call.epoch)) shared.strikes.add(record.strikes)
    if (record.circuit.isCurrent(call.epoch)) record.strikes.own += 1
    return record
  }

  function strikeForEveryone(call: Entered, now: number): StrikeRecord | undefined {
    if (shared.circuit.isCurrent(call.epoch)) shared.struckForEveryone(now)
    return records?.get(call.workspaceId)
  }

  /** For everyone the target has answered. */
  function answeredAll(epoch: number, now: number): void {
    shared.window.add(now, false)
    if (!shared.circuit.isCurrent(epoch)) return
    if (shared.circuit.opened) shared.close(records)
    else shared.strikes.end()
  }

  return {
    enter(workspaceId, now) {
      if (records === undefined && !shared.circuit.opened) return epochs.current
      const circuit = records?.get(workspaceId)?.circuit
      if (!shared.admits(workspaceId, now) || circuit?.admits(now) === false) return REFUSED
      if (!shared.circuit.opened && !circuit?.opened) return epochs.current
      const epoch = epochs.next()
      shared.circuit.probe(epoch)
      circuit?.probe(epoch)
      onChange({ scope: shared.circuit.opened ? EVERYONE : workspaceId, state: 'half_open' })
      return epoch
    },

    answered({ workspaceId, epoch }, now) {
      answeredAll(epoch, now)
      if (records === undefined) return
      const record = records.get(workspaceId)
      if (record) own.answered(record, epoch, now)
      records.sweep(now)
      if (records.size === 0) records = undefined
    },

    struck(call, { kind, forEveryone }, now) {
      shared.window.add(now, true)
      const record = forEveryone ? strikeForEveryone(call, now) : strike(call, now)
      if (shared.circuit.isCurrent(call.epoch)) {
        if (!shared.circuit.opened) shared.openIfBad(records, kind, now)
        else {
          if (record && !forEveryone) record.partInOpening += 1
          shared.open(records, kind, now)
        }
      }
      if (record) own.struck(record, call.epoch, kind, now)
    },

    spoiled({ workspaceId, epoch }, kind, now) {
      answeredAll(epoch, now)
      const record = remember(workspaceId, now)
      record.window.add(now, true)
      if (record.circuit.isCurrent(epoch)) record.strikes.own += 1
      own.struck(record, epoch, kind, now)
    },

    released({ workspaceId, epoch }) {
      shared.circuit.release(epoch)
      records?.get(workspaceId)?.circuit.release(epoch)
    },

    completed(workspaceId) {
      shared.breaks.end()
      const record = records?.get(workspaceId)
      if (record) record.breaks.own = 0
    },

    brokeOff(workspaceId, kind, now) {
      const record = remember(workspaceId, now)
      shared.window.turnBad(now)
      record.window.turnBad(now)
      shared.breaks.add(record.breaks)
      record.breaks.own += 1
      shared.openIfBad(records, kind, now)
      own.openIfBad(record, kind, now)
    },

    brokeOffAlone(workspaceId, kind, now) {
      const record = remember(workspaceId, now)
      record.window.turnBad(now)
      record.breaks.own += 1
      own.openIfBad(record, kind, now)
    },

    retryAt(workspaceId, now) {
      if (records === undefined && !shared.circuit.opened) return undefined
      const ofAll = shared.retryAt(workspaceId, now)
      const ofOwn = records?.get(workspaceId)?.circuit.retryAt(now)
      return ofAll === undefined || ofOwn === undefined ? (ofAll ?? ofOwn) : Math.max(ofAll, ofOwn)
    },

    forEveryone: (now) => ({ state: shared.circuit.state(now), retryAt: shared.circuit.retryAt(now) }),
    recent: (now) => shared.window.counts(now),

    blocks(now) {
      const circuits: [Scope, Circuit][] = [[EVERYONE, shared.circuit]]
      for (const { id, circuit } of records?.all() ?? []) circuits.push([id, circuit])
      return circuits.flatMap(([scope, circuit]) => {
        if (circuit.admits(now)) return []
        return [{ scope, reason: circuit.reason, until: circuit.retryAt(now) ?? now, firm: true }]
      })
    },

    lift(scope) {
      const lifted = scope === EVERYONE ? [...(records?.all() ?? [])] : [records?.get(scope) ?? []].flat()
      for (const record of lifted) {
        own.close(record)
        records?.forget(record)
      }
      if (scope === EVERYONE) shared.close(undefined)
      firstEpoch = epochs.next()
    },
  }
}
