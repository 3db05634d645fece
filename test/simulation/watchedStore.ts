import type { Claim, ClaimVerdict } from '../../src/core/ports/answers.ts'
import type { Store } from '../../src/core/ports/store.ts'
import {
  type Admission,
  type AdmissionVerdict,
  type Extension,
  type ExtensionVerdict,
  OutcomeUnknown,
  type Settlement,
  type SettlementResult,
  StoreUnavailable,
} from '../../src/core/ports/till.ts'
import type { RequestId, WorkspaceId } from '../../src/core/id.ts'
import type { SeededRandom } from '../support/seededRandom.ts'

/** Hears what the database has committed, whether or not the process that asked for it lives to know. */
export interface StoreWitness {
  admitted(admission: Admission, verdict: AdmissionVerdict): void
  extended(extension: Extension, verdict: ExtensionVerdict): void
  settled(settlement: Settlement, result: SettlementResult): void
  renewed(ids: readonly RequestId[], expiresAt: number): void
  swept(at: number, released: number): void
  claimed(claim: Claim, verdict: ClaimVerdict): void
  freed(workspace: WorkspaceId, idempotencyKey: string, id: RequestId): void
  /** The process never heard whether it was committed. */
  doubted(id: RequestId): void
}

/** One process's way to the real store: it can be cut, and the process can die. */
export interface WatchedStore {
  readonly store: Store
  /** Steps under way, those of a dead process included. */
  readonly pending: number
  /** The process dies: what is under way is committed or not, and nobody hears of it. */
  kill(): void
  /** While it is away, every step fails and nothing happens. */
  away: boolean
  /** The answers of the next steps that are committed get lost. */
  losesAnswers: number
  /** What happens when the answer of the next settlement gets lost; undefined: it does not. */
  losesSettlement: (() => void) | undefined
}

/** How long a step may be on its way to the store and back, in turns of the event loop. */
const TURNS_MAX = 2

/** What a dead process waits for. */
function never<Result>(): Promise<Result> {
  return new Promise<Result>(() => undefined)
}

export function watchStore(real: Store, random: SeededRandom, witness: StoreWitness): WatchedStore {
  let pending = 0
  let dead = false

  async function turns(): Promise<void> {
    for (let left = random.integer(0, TURNS_MAX); left > 0; left--) {
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  /** The step as this process sees it. The others see what `run` does, and when. */
  async function step<Result>(
    run: () => Promise<Result>,
    committed: (result: Result) => void = () => undefined,
    id?: RequestId,
  ): Promise<Result> {
    if (dead) return never()
    pending++
    const outcome = await attempt(run, committed, id).then(
      (result) => ({ ok: true, result }) as const,
      (error: unknown) => ({ ok: false, error }) as const,
    )
    pending--
    if (dead) return never()
    if (!outcome.ok) throw outcome.error
    return outcome.result
  }

  async function attempt<Result>(
    run: () => Promise<Result>,
    committed: (result: Result) => void,
    id: RequestId | undefined,
  ): Promise<Result> {
    await turns()
    if (dead || watched.away) throw new StoreUnavailable('the simulated database is away')
    const result = await run()
    committed(result)
    await turns()
    if (watched.losesAnswers > 0 && id !== undefined) {
      watched.losesAnswers--
      throw lost(id)
    }
    return result
  }

  function lost(id: RequestId): OutcomeUnknown {
    witness.doubted(id)
    return new OutcomeUnknown('the simulated answer was lost')
  }

  async function settle(settlement: Settlement): Promise<SettlementResult> {
    const { losesSettlement } = watched
    const result = await till.settle(settlement)
    if (losesSettlement === undefined) return result
    watched.losesSettlement = undefined
    losesSettlement()
    // Committed, whatever its process hears.
    witness.settled(settlement, result)
    throw lost(settlement.id)
  }

  const { directory, till, books, answers } = real
  const store: Store = {
    directory: {
      createWorkspace: (...change) => step(() => directory.createWorkspace(...change)),
      workspace: (id) => step(() => directory.workspace(id)),
      workspaces: (page) => step(() => directory.workspaces(page)),
      updateWorkspace: (id, change) => step(() => directory.updateWorkspace(id, change)),
      createKey: (...change) => step(() => directory.createKey(...change)),
      rotateKey: (...change) => step(() => directory.rotateKey(...change)),
      key: (id) => step(() => directory.key(id)),
      keys: (workspace, page) => step(() => directory.keys(workspace, page)),
      updateKey: (id, change) => step(() => directory.updateKey(id, change)),
      revokeKey: (id, at) => step(() => directory.revokeKey(id, at)),
      findKey: (secretHash) => step(() => directory.findKey(secretHash)),
      forgetAnswers: (at) => step(() => directory.forgetAnswers(at)),
      // Real time has no place here: processes find changes when their caches are over.
      onChange: () => () => undefined,
    },
    till: {
      admit: (admission) =>
        step(
          () => till.admit(admission),
          (verdict) => witness.admitted(admission, verdict),
          admission.id,
        ),
      extend: (extension) =>
        step(
          () => till.extend(extension),
          (verdict) => witness.extended(extension, verdict),
          extension.id,
        ),
      settle: (settlement) =>
        step(
          () => settle(settlement),
          (result) => witness.settled(settlement, result),
          settlement.id,
        ),
      renew: (ids, expiresAt) =>
        step(
          () => till.renew(ids, expiresAt),
          () => witness.renewed(ids, expiresAt),
        ),
      sweep: (at) =>
        step(
          () => till.sweep(at),
          (released) => witness.swept(at, released),
        ),
    },
    books: { ...books, receipt: (id) => step(() => books.receipt(id)) },
    answers: {
      claim: (claim) =>
        step(
          () => answers.claim(claim),
          (verdict) => witness.claimed(claim, verdict),
        ),
      free: (workspace, idempotencyKey, id) =>
        step(
          () => answers.free(workspace, idempotencyKey, id),
          () => witness.freed(workspace, idempotencyKey, id),
        ),
      expire: (at) => step(() => answers.expire(at)),
    },
    keptResponses: real.keptResponses,
    refusals: real.refusals,
    adminTokens: real.adminTokens,
    audit: real.audit,
    ping: () => step(() => real.ping()),
    close: () => real.close(),
  }

  const watched: WatchedStore = {
    store,
    get pending() {
      return pending
    },
    kill() {
      dead = true
    },
    away: false,
    losesAnswers: 0,
    losesSettlement: undefined,
  }
  return watched
}
