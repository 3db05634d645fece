import type { FailureKind } from '../../core/failure.ts'
import type { WorkspaceId } from '../../core/id.ts'
import { RecentMap } from '../../core/recent.ts'
import { Cooldown, type Standing, worse } from './cooldown.ts'
import type { Cooling, CoolingTime } from './effect.ts'
import {
  EVERYONE,
  FORGOTTEN_AFTER_MS,
  SWEEP_INTERVAL_MS,
  type Scope,
  type ScopedBlock,
  WORKSPACES_REMEMBERED_MAX,
} from './scope.ts'

/** A target, a credential, or a credential at a target: not to be used for a while, by everyone or by one workspace. */
export class ScopedCooldown {
  readonly #everyone = new Cooldown()
  /** Undefined while it has failed no workspace: then a call costs no look-up. */
  #own: RecentMap<WorkspaceId, Cooldown> | undefined
  /** The workspace that met it last, with no answer to any workspace since. */
  #metBy: { readonly workspaceId: WorkspaceId; readonly until: number } | undefined
  #sweepAt = 0

  standing(workspaceId: WorkspaceId, now: number): Standing {
    const forAll = this.#everyone.standing(now)
    const own = this.#own?.get(workspaceId)
    return own ? worse(forAll, own.standing(now)) : forAll
  }

  /** How long the workspace may not use it at all, in milliseconds. */
  firmWaitMs(workspaceId: WorkspaceId, now: number): number {
    const own = this.#own?.get(workspaceId)
    return Math.max(firmWaitMs(this.#everyone, now), own ? firmWaitMs(own, now) : 0)
  }

  /** @returns for whom it is parked now and was not before */
  cool(workspaceId: WorkspaceId, cooling: Cooling, reason: FailureKind, now: number): ScopedBlock[] {
    const parked: ScopedBlock[] = []
    if (cooling.scope !== 'everyone') {
      const own = this.#ownOf(workspaceId)
      this.#cool(own, workspaceId, { time: cooling.time, reason, now, parked })
      const met = this.#metBy
      const isSecond = met !== undefined && met.workspaceId !== workspaceId && now < met.until
      this.#metBy = { workspaceId, until: own.until(now) ?? now }
      if (!isForEveryone(cooling, isSecond)) return parked
    }
    const time = boundedForEveryone(cooling)
    this.#cool(this.#everyone, EVERYONE, { time, reason, now, parked })
    return parked
  }

  /** It has proved good, for everyone but the workspaces with a cooldown of their own. */
  answered(workspaceId: WorkspaceId, now: number): void {
    this.#everyone.clear()
    if (this.#own === undefined) return
    this.#metBy = undefined
    this.#own.delete(workspaceId)
    this.#sweep(now)
    if (this.#own.size === 0) this.#own = undefined
  }

  blocks(now: number): ScopedBlock[] {
    const all: [Scope, Cooldown][] = [[EVERYONE, this.#everyone], ...(this.#own ?? [])]
    return all.flatMap(([scope, cooldown]) => blockOf(scope, cooldown, now) ?? [])
  }

  lift(scope: Scope): void {
    this.#metBy = undefined
    if (scope !== EVERYONE) {
      this.#own?.delete(scope)
      return
    }
    this.#everyone.clear()
    this.#own = undefined
  }

  #ownOf(workspaceId: WorkspaceId): Cooldown {
    this.#own ??= new RecentMap(WORKSPACES_REMEMBERED_MAX)
    const own = this.#own.get(workspaceId) ?? new Cooldown()
    this.#own.set(workspaceId, own)
    return own
  }

  #cool(cooldown: Cooldown, scope: Scope, { time, reason, now, parked }: CoolingStep): void {
    const wasParked = cooldown.standing(now) === 'parked'
    cooldown.cool(time, reason, now)
    const block = wasParked ? undefined : blockOf(scope, cooldown, now)
    if (block?.firm) parked.push(block)
  }

  #sweep(now: number): void {
    if (now < this.#sweepAt || this.#own === undefined) return
    this.#sweepAt = now + SWEEP_INTERVAL_MS
    for (const [id, cooldown] of this.#own)
      if (cooldown.overSince(now) >= FORGOTTEN_AFTER_MS) this.#own.delete(id)
  }
}

interface CoolingStep {
  readonly time: CoolingTime
  readonly reason: FailureKind
  readonly now: number
  readonly parked: ScopedBlock[]
}

/** @param isSecond another workspace has met it as well, with no answer in between */
function isForEveryone({ scope }: Cooling, isSecond: boolean): boolean {
  switch (scope) {
    case 'everyone':
    case 'workspace_and_everyone':
      return true
    case 'second_workspace':
      return isSecond
    case 'workspace':
      return false
  }
}

/** What one caller met binds the others no longer than this. */
function boundedForEveryone({ time, everyoneMaxMs }: Cooling): CoolingTime {
  if (time.askedMs === undefined || everyoneMaxMs === undefined) return time
  return { ...time, askedMs: Math.min(time.askedMs, everyoneMaxMs) }
}

function blockOf(scope: Scope, cooldown: Cooldown, now: number): ScopedBlock | undefined {
  const until = cooldown.until(now)
  if (until === undefined) return undefined
  return { scope, reason: cooldown.reason, until, firm: cooldown.standing(now) === 'parked' }
}

function firmWaitMs(cooldown: Cooldown, now: number): number {
  return cooldown.standing(now) === 'parked' ? -cooldown.overSince(now) : 0
}
