import { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'
import { formatUsd, maxNano, subtractNano, ZERO, type Nano } from '../../core/money.ts'
import { answers } from '../docs/errorSchema.ts'
import { counted } from './counted.ts'
import type { CountedCall } from './endpoint.ts'
import { RATE_HEADERS } from './headers.ts'

const CountLimit = z
  .object({ limit: z.int(), remaining: z.int() })
  .nullable()
  .meta({ description: 'Null: no limit of its own.' })

const OwnKey = z
  .object({
    id: z.string(),
    name: z.string(),
    hint: z.string().meta({ description: 'First characters of the secret.', example: 'tg_AB12…' }),
    workspace_id: z.string(),
    created: z.int().meta({ description: 'Unix seconds.' }),
    expires_at: z.int().nullable().meta({ description: 'Unix seconds.' }),
    models: z.array(z.string()).nullable().meta({ description: "Null: all of the workspace's." }),
    limits: z.object({
      workspace_requests_per_minute: z.int().meta({ description: 'All keys of the workspace share it.' }),
      requests_per_minute: CountLimit,
      requests_per_day: CountLimit.meta({ description: 'Per UTC calendar day; null: no limit.' }),
      concurrent_requests: CountLimit.meta({
        description: 'Calls open at the same time; null: no limit.',
      }),
      monthly_spend_usd: z.object({ limit: z.string(), remaining: z.string() }).nullable().meta({
        description:
          'Per UTC calendar month; null: no limit. What running calls have reserved is not remaining.',
      }),
    }),
    usage: z.object({
      requests_today: z.int().meta({ description: 'Of the UTC calendar day.' }),
      open_requests: z.int().meta({ description: 'Calls that run now.' }),
      spent_this_month_usd: z.string().meta({ description: 'Charges of the UTC calendar month.' }),
      held_usd: z.string().meta({ description: 'What running calls of this key have reserved.' }),
    }),
  })
  .meta({ id: 'OwnKey' })

export const key = counted({
  path: '/v1/key',
  description: {
    operationId: 'get_own_key',
    summary: "Show this key's limits and what is left of them",
    tag: 'Account',
    responses: answers(200, 'The key.', OwnKey, RATE_HEADERS),
  },
  describe: describeKey,
})

async function describeKey({ caller, deps }: CountedCall): Promise<JsonObject> {
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
