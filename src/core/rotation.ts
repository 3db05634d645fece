import type { Key, Rotated, Rotation, RotationVerdict } from './ports/directory.ts'

/**
 * Decides on the rotation of a key (docs/admin-api.md#keys). The successor takes over what the old key has at this
 * moment, its counters too.
 *
 * @param old undefined when there is no such key
 */
export function decideRotation(
  old: Key | undefined,
  { at, overlapMs, successor }: Rotation,
): { readonly kind: 'made'; readonly made: Rotated } | RefusedRotation {
  if (!old) return { kind: 'unknown' }
  if (old.replacedBy !== null) return { kind: 'replaced', by: old.replacedBy }
  if (old.revokedAt !== null) return { kind: 'ended', status: 'revoked' }
  if (old.expiresAt !== null && old.expiresAt <= at) return { kind: 'ended', status: 'expired' }
  const { id, hint } = successor
  const key: Key = { ...old, id, hint, createdAt: at }
  return { kind: 'made', made: { key, previous: { ...endOf(old, at, overlapMs), replacedBy: id } } }
}

type RefusedRotation = Extract<RotationVerdict, { kind: 'unknown' | 'ended' | 'replaced' }>

function endOf(old: Key, at: number, overlapMs: number): Key {
  if (overlapMs === 0) return { ...old, revokedAt: at }
  const end = at + overlapMs
  return old.expiresAt !== null && old.expiresAt <= end ? old : { ...old, expiresAt: end }
}
