import { isDeepStrictEqual } from 'node:util'
import type { Json } from '../../core/json.ts'
import type { Path, Setting } from './agent.ts'
import type { Before, Kept } from './kept.ts'
import type { SettingsFile } from './settingsFile.ts'

/** SHA-256, lowercase hexadecimal. */
type Hash = (text: string) => string

/** One value of a file that is changed. */
export interface Change {
  readonly at: Path
  /** Undefined: there is none. */
  readonly before: Json | undefined
  readonly after: Json | undefined
  readonly secret: boolean
  /** Whatever is there later counts as written by this. */
  readonly ifAbsent: boolean
}

/** What the settings change in a file; nothing where they are there already. */
export function changesOf(file: SettingsFile, settings: readonly Setting[]): Change[] {
  return settings.flatMap(({ at, value, secret = false, ifAbsent = false }) => {
    const before = file.get(at)
    const isThere = ifAbsent ? before !== undefined : isDeepStrictEqual(before, value)
    return isThere ? [] : [{ at, before, after: value, secret, ifAbsent }]
  })
}

/**
 * What must be kept so that the changes can be undone, together with what earlier ones kept.
 * @param file before the changes
 * @param isNew whether there is no such file yet
 */
export function keep(
  file: SettingsFile,
  changes: readonly Change[],
  { isNew, earlier, hash }: { isNew: boolean; earlier: Kept | undefined; hash: Hash },
): Kept {
  const values = changes.map(({ at, before, after, secret, ifAbsent }): Before => {
    const old = earlier?.values.find((one) => isDeepStrictEqual(one.at, at))
    // What an earlier run wrote is not what the user had.
    const value = old !== undefined && isWritten(old, before, hash) ? old.before : before
    const written = ifAbsent ? null : hashOf(after, hash)
    return { at, ...(value !== undefined && { before: value }), written, secret }
  })
  const isReplaced = ({ at }: Before) => values.some((value) => isDeepStrictEqual(value.at, at))
  return {
    version: 1,
    created: isNew || (earlier?.created ?? false),
    values: [...(earlier?.values ?? []).filter((old) => !isReplaced(old)), ...values],
    containers: [...(earlier?.containers ?? []), ...missingContainers(file, changes)],
  }
}

/** The objects and lists that the changes create. */
function missingContainers(file: SettingsFile, changes: readonly Change[]): Path[] {
  const missing = new Map<string, Path>()
  for (const { at } of changes) {
    for (let depth = 1; depth < at.length; depth++) {
      const path = at.slice(0, depth)
      if (file.get(path) === undefined) missing.set(JSON.stringify(path), path)
    }
  }
  return [...missing.values()]
}

/** Makes the changes in the text of the file; the file itself stays. */
export function apply(file: SettingsFile, changes: readonly Change[]): void {
  for (const { at, after } of changes) {
    if (after === undefined) file.remove(at)
    else file.set(at, after)
  }
}

/** What undoing changes, and what it leaves because the value was changed since. */
export function undoing(
  file: SettingsFile,
  { values }: Kept,
  hash: Hash,
): { readonly changes: Change[]; readonly left: Path[] } {
  const changes: Change[] = []
  const left: Path[] = []
  for (const value of values.filter(({ written }) => written !== null)) {
    const { at, before: after, secret } = value
    const before = file.get(at)
    if (isDeepStrictEqual(before, after)) continue
    if (isWritten(value, before, hash)) changes.push({ at, before, after, secret, ifAbsent: false })
    else left.push(at)
  }
  return { changes, left }
}

/**
 * Removes the objects and lists that connecting created, and what was written only because it was absent, where nothing
 * else is left beside it: a file to which its user has added something still needs it. Gives what it removed.
 */
export function removeScaffolding(file: SettingsFile, { values, containers }: Kept): Change[] {
  const scaffolding = values.filter(({ written }) => written === null)
  const parents = [...containers, ...scaffolding.map(({ at }) => at.slice(0, -1))]
  const removed: Change[] = []
  for (const parent of parents.toSorted((a, b) => b.length - a.length)) {
    const own = scaffolding.flatMap(({ at, secret }): Change[] => {
      const before = isDeepStrictEqual(at.slice(0, -1), parent) ? file.get(at) : undefined
      return before === undefined ? [] : [{ at, before, after: undefined, secret, ifAbsent: false }]
    })
    if (file.size(parent) > own.length) continue
    apply(file, own)
    removed.push(...own)
    if (containers.some((path) => isDeepStrictEqual(path, parent))) file.remove(parent)
  }
  return removed
}

/** Whether a value is as it was written. */
function isWritten({ written }: Before, now: Json | undefined, hash: Hash): boolean {
  if (now === undefined) return false
  return written === null || written === hashOf(now, hash)
}

function hashOf(value: Json | undefined, hash: Hash): string {
  return hash(JSON.stringify(value ?? null))
}
