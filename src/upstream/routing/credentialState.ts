import type { WorkspaceId } from '../../core/id.ts'
import type { Credential } from '../../providers/configured.ts'
import type { Tried } from '../router.ts'
import { type Standing, worse } from './cooldown.ts'
import { ScopedCooldown } from './scopedCooldown.ts'

/** A credential at a target, with both reasons not to use it. */
export interface CredentialState {
  /** Undefined when the provider needs none. */
  readonly credential: Credential | undefined
  /** At every target of its provider. */
  readonly everywhere: ScopedCooldown
  readonly here: ScopedCooldown
}

export function standingOf(state: CredentialState, workspaceId: WorkspaceId, at: number): Standing {
  return worse(state.everywhere.standing(workspaceId, at), state.here.standing(workspaceId, at))
}

/** The first credential that is ready, else the first that is not parked. */
export function freeCredential(
  states: readonly CredentialState[],
  workspaceId: WorkspaceId,
  at: number,
  tried: Tried | undefined,
): CredentialState | undefined {
  let lastChoice: CredentialState | undefined
  for (const state of states) {
    if (tried?.has(state.credential)) continue
    const standing = standingOf(state, workspaceId, at)
    if (standing === 'ready') return state
    if (standing === 'last_choice') lastChoice ??= state
  }
  return lastChoice
}

/** The state of a credential is kept for as long as the secret is the same, whatever its place in the list. */
export function credentialKey(provider: string, credential: Credential | undefined): string {
  if (!credential) return provider
  const { name: _, ...secret } = credential
  return `${provider} ${JSON.stringify(secret)}`
}

/** The cooldown of a key, made when it is first asked for. */
export function cooldownIn(cooldowns: Map<string, ScopedCooldown>, key: string): ScopedCooldown {
  let cooldown = cooldowns.get(key)
  if (!cooldown) {
    cooldown = new ScopedCooldown()
    cooldowns.set(key, cooldown)
  }
  return cooldown
}
