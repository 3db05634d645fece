import { z } from 'zod'

/** What `/v1/key` and `/v1/credits` answer: for the OpenAPI document only. */

const CountLimit = z
  .object({ limit: z.int(), remaining: z.int() })
  .nullable()
  .meta({ description: 'Null: no limit of its own.' })

export const OwnKey = z
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

export const OwnCredits = z
  .object({
    workspace_id: z.string(),
    balance_usd: z.string().meta({ description: 'Open holds included.', example: '12.50' }),
    held_usd: z.string().meta({ description: 'What calls in flight have reserved.', example: '0.00' }),
    available_usd: z.string().meta({ description: 'The balance less what is held.', example: '12.50' }),
  })
  .meta({ id: 'OwnCredits' })
