import type { JsonObject } from '../core/json.ts'
import type { Operations } from '../operations/operations.ts'

/**
 * The operations of a remote installation, saying where an update or a release changed nothing: the admin API answers it like any
 * other. Revocations are not asked about: nothing stands before one.
 */
export function tellingUnchanged(operations: Operations, onUnchanged: () => void): Operations {
  async function telling<View extends object>(
    before: View,
    update: Promise<View>,
    body: unknown,
  ): Promise<View> {
    const after = await update
    if (isSame(before, after, body)) onUnchanged()
    return after
  }
  return {
    ...operations,
    updateWorkspace: async (id, body, act) =>
      telling(await operations.workspace(id), operations.updateWorkspace(id, body, act), body),
    updateKey: async (id, body, act) =>
      telling(await operations.key(id), operations.updateKey(id, body, act), body),
    async releaseProvider(id, body, act) {
      const view = await operations.releaseProvider(id, body, act)
      if (view.released.length === 0) onUnchanged()
      return view
    },
  }
}

/** Compares the fields that were to be changed: balances and the like change by themselves. */
function isSame(before: object, after: object, body: unknown): boolean {
  const [old, now] = [before as JsonObject, after as JsonObject]
  return Object.keys(body as JsonObject).every(
    (field) => JSON.stringify(old[field]) === JSON.stringify(now[field]),
  )
}
