import { DEFAULT_REQUESTS_PER_MINUTE } from '../../core/limit.ts'
import type { KeyWithWorkspace } from '../../core/ports/directory.ts'
import type { Limits } from '../../core/ports/till.ts'

/** Who calls: a key that was found good, with its workspace. */
export interface Caller extends KeyWithWorkspace {
  readonly limits: Limits
}

/** The limits that hold for a key: the workspace's minute, and whatever the key was given. */
export function limitsOf({ key, workspace }: KeyWithWorkspace): Limits {
  return {
    workspacePerMinute: workspace.requestsPerMinute ?? DEFAULT_REQUESTS_PER_MINUTE[workspace.type],
    keyPerMinute: key.requestsPerMinute,
    keyPerDay: key.requestsPerDay,
    keyConcurrent: key.concurrentRequests,
    keyMonthlySpend: key.monthlySpend,
  }
}
