import { z } from 'zod'
import type { JsonObject } from '../../core/json.ts'
import { formatUsd, subtractNano, ZERO } from '../../core/money.ts'
import { answers } from '../docs/errorSchema.ts'
import { counted } from './counted.ts'
import type { CountedCall } from './endpoint.ts'
import { RATE_HEADERS } from './headers.ts'

const OwnCredits = z
  .object({
    workspace_id: z.string(),
    balance_usd: z.string().meta({ description: 'Open holds included.', example: '12.50' }),
    held_usd: z.string().meta({ description: 'What calls in flight have reserved.', example: '0.00' }),
    available_usd: z.string().meta({ description: 'The balance less what is held.', example: '12.50' }),
  })
  .meta({ id: 'OwnCredits' })

export const credits = counted({
  path: '/v1/credits',
  description: {
    operationId: 'get_own_credits',
    summary: "Show the workspace's balance",
    tag: 'Account',
    responses: answers(200, 'The balance.', OwnCredits, RATE_HEADERS),
  },
  describe: describeCredits,
})

async function describeCredits({ caller, deps }: CountedCall): Promise<JsonObject> {
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
