import { z } from 'zod'
import { KeyRefusalsView } from './refusedCall.ts'
import { formatUsd } from '../core/money.ts'
import type { KeyStanding } from '../core/ports/books.ts'
import type { Key } from '../core/ports/directory.ts'
import { modelsField, momentField, nameField, requestLimitField, unixSeconds, usdField } from './field.ts'

export const OVERLAP_SECONDS_MAX = 30 * 86_400

export const NewKeyBody = z
  .strictObject({
    name: nameField,
    requests_per_minute: requestLimitField.optional(),
    requests_per_day: requestLimitField.optional().meta({ description: 'Per UTC calendar day.' }),
    monthly_spend_usd: usdField
      .refine((amount) => amount >= 0n, 'must not be negative')
      .nullable()
      .optional()
      .meta({ description: 'Hard limit per UTC calendar month.', example: '20.00' }),
    concurrent_requests: requestLimitField.optional().meta({ description: 'Calls open at the same time.' }),
    models: modelsField.optional(),
    expires_at: momentField.nullable().optional(),
  })
  .meta({ id: 'NewKey', example: { name: 'Ann', requests_per_minute: 60, monthly_spend_usd: '20.00' } })

export const KeyChangeBody = NewKeyBody.partial().meta({
  id: 'KeyChange',
  example: { monthly_spend_usd: '30.00' },
})

export const RotationBody = z
  .strictObject({
    overlap_seconds: z
      .int('must be a whole number')
      .min(0, 'must not be negative')
      .max(OVERLAP_SECONDS_MAX, `must not be above ${OVERLAP_SECONDS_MAX} (30 days)`)
      .default(0)
      .meta({ description: 'How long the old key still works. 0: it is revoked immediately.' }),
  })
  .meta({ id: 'Rotation', example: { overlap_seconds: 3600 } })

const keyShape = {
  id: z.string().meta({ example: 'key_01K8XJ5M7QZ3V9T4B6N2C1D0FG' }),
  workspace_id: z.string(),
  name: z.string(),
  hint: z.string().meta({ description: 'First characters of the secret.', example: 'tg_AB12…' }),
  status: z.enum(['active', 'expired', 'revoked']).meta({ description: 'Only an active key is accepted.' }),
  requests_per_minute: z.int().nullable().meta({ description: 'Null: only the limit of the workspace.' }),
  requests_per_day: z.int().nullable().meta({ description: 'Per UTC calendar day; null: no limit.' }),
  monthly_spend_usd: z
    .string()
    .nullable()
    .meta({ description: 'Hard limit per UTC calendar month; null: no limit.' }),
  concurrent_requests: z
    .int()
    .nullable()
    .meta({ description: 'Calls open at the same time; null: no limit.' }),
  models: z.array(z.string()).nullable().meta({ description: "Null: all of the workspace's." }),
  expires_at: z.int().nullable().meta({ description: 'Unix seconds.' }),
  revoked_at: z.int().nullable().meta({ description: 'Unix seconds.' }),
  replaced_by: z
    .string()
    .nullable()
    .meta({ description: 'The id of its successor, once it has been rotated. Both share their counters.' }),
  created: z.int().meta({ description: 'Unix seconds.' }),
}

export const KeyView = z.object(keyShape).meta({ id: 'Key' })
export type KeyView = z.output<typeof KeyView>

const secretField = z.string().meta({ description: 'The secret. Shown this once; only its hash is stored.' })

export const CreatedKeyView = z.object({ ...keyShape, key: secretField }).meta({ id: 'CreatedKey' })
export type CreatedKeyView = z.output<typeof CreatedKeyView>

export const RotatedKeyView = z
  .object({ ...keyShape, key: secretField, previous: KeyView.meta({ description: 'The old key.' }) })
  .meta({ id: 'RotatedKey' })
export type RotatedKeyView = z.output<typeof RotatedKeyView>

export const KeyUseView = z
  .object({
    requests_this_minute: z.int().meta({ description: 'In the window that is open now.' }),
    minute_resets_at: z.int().nullable().meta({ description: 'Unix seconds.' }),
    requests_today: z.int().meta({ description: 'Of the UTC calendar day.' }),
    spent_this_month_usd: z.string().meta({ description: 'Charges of the UTC calendar month.' }),
    held_this_month_usd: z.string().meta({ description: 'What running calls of this month have reserved.' }),
    open_calls: z.int().meta({ description: 'Calls that run now.' }),
  })
  .meta({ id: 'KeyUse', description: 'What the key has used of its limits.' })

export const KeyDetailView = z
  .object({ ...keyShape, used: KeyUseView, refusals: KeyRefusalsView })
  .meta({ id: 'KeyDetail' })
export type KeyDetailView = z.output<typeof KeyDetailView>

/** @param at decides whether the key has expired; milliseconds since the epoch */
export function keyView(key: Key, at: number): KeyView {
  return {
    id: key.id,
    workspace_id: key.workspaceId,
    name: key.name,
    hint: key.hint,
    status: statusOf(key, at),
    requests_per_minute: key.requestsPerMinute,
    requests_per_day: key.requestsPerDay,
    monthly_spend_usd: key.monthlySpend === null ? null : formatUsd(key.monthlySpend),
    concurrent_requests: key.concurrentRequests,
    models: key.models === null ? null : [...key.models],
    expires_at: key.expiresAt === null ? null : unixSeconds(key.expiresAt),
    revoked_at: key.revokedAt === null ? null : unixSeconds(key.revokedAt),
    replaced_by: key.replacedBy,
    created: unixSeconds(key.createdAt),
  }
}

export function keyUseView(standing: KeyStanding): z.output<typeof KeyUseView> {
  return {
    requests_this_minute: standing.minuteUsed,
    minute_resets_at: standing.minuteResetAt === null ? null : unixSeconds(standing.minuteResetAt),
    requests_today: standing.dayUsed,
    spent_this_month_usd: formatUsd(standing.monthSpent),
    held_this_month_usd: formatUsd(standing.monthHeld),
    open_calls: standing.openCalls,
  }
}

function statusOf(key: Key, at: number): KeyView['status'] {
  // Whoever revoked it may have a clock that is ahead of ours.
  if (key.revokedAt !== null) return 'revoked'
  if (key.expiresAt !== null && key.expiresAt <= at) return 'expired'
  return 'active'
}
