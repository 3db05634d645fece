import type { JsonObject } from '../core/json.ts'
import { formatUsd, maxNano, subtractNano, ZERO, type Nano } from '../core/money.ts'
import type { Caller } from './authenticate/caller.ts'
import type { PipelineDeps } from './deps.ts'

/** `GET /v1/key`: the calling key's limits and what is left of them. */
export async function describeKey(caller: Caller, deps: PipelineDeps): Promise<JsonObject> {
  const { key, workspace, limits } = caller
  const now = deps.now()
  const standing = await deps.store.books.keyStanding(key.countersId, now)
  return {
    id: key.id,
    name: key.name,
    hint: key.hint,
    workspace_id: workspace.id,
    created: seconds(key.createdAt),
    expires_at: key.expiresAt === null ? null : seconds(key.expiresAt),
    models: key.models,
    limits: {
      workspace_requests_per_minute: limits.workspacePerMinute,
      requests_per_minute: countLimit(limits.keyPerMinute, standing.minuteUsed),
      requests_per_day: countLimit(limits.keyPerDay, standing.dayUsed),
      concurrent_requests: countLimit(limits.keyConcurrent, standing.openCalls),
      monthly_spend_usd: spendLimit(limits.keyMonthlySpend, standing.monthSpent, standing.monthHeld),
    },
    usage: {
      requests_today: standing.dayUsed,
      open_requests: standing.openCalls,
      spent_this_month_usd: formatUsd(standing.monthSpent),
      held_usd: formatUsd(standing.monthHeld),
    },
  }
}

/** `GET /v1/credits`: the workspace's balance and what open calls hold of it. */
export async function describeCredits(caller: Caller, deps: PipelineDeps): Promise<JsonObject> {
  const workspace = await deps.store.directory.workspace(caller.workspace.id)
  const balance = workspace?.balance ?? ZERO
  const held = workspace?.held ?? ZERO
  return {
    workspace_id: caller.workspace.id,
    balance_usd: formatUsd(balance),
    held_usd: formatUsd(held),
    available_usd: formatUsd(subtractNano(balance, held)),
  }
}

function countLimit(limit: number | null, used: number): JsonObject | null {
  return limit === null ? null : { limit, remaining: Math.max(0, limit - used) }
}

function spendLimit(limit: Nano | null, spent: Nano, held: Nano): JsonObject | null {
  if (limit === null) return null
  const left = maxNano(ZERO, subtractNano(subtractNano(limit, spent), held))
  return { limit: formatUsd(limit), remaining: formatUsd(left) }
}

function seconds(at: number): number {
  return Math.floor(at / 1000)
}
