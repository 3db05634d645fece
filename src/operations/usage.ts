import { z } from 'zod'
import type { KeyId, WorkspaceId } from '../core/id.ts'
import { formatUsd, nano } from '../core/money.ts'
import type { UsageGroup, UsageQuery as UsageQuestion } from '../core/ports/books.ts'
import { filterField, momentField } from './field.ts'
import { given } from './given.ts'

const GROUPINGS = ['day', 'model', 'key', 'workspace'] as const

export const UsageQuery = z
  .strictObject({
    from: momentField.optional().meta({ description: 'First moment: Unix seconds or ISO 8601.' }),
    to: momentField.optional().meta({ description: 'The moment after the last: Unix seconds or ISO 8601.' }),
    workspace_id: filterField.optional(),
    key_id: filterField.optional(),
    model: filterField.optional(),
    group_by: z.enum(GROUPINGS).default('day').meta({ description: 'Days are UTC calendar days.' }),
  })
  .refine((query) => query.from === undefined || query.to === undefined || query.from < query.to, {
    path: ['to'],
    message: 'must be after `from`',
  })

const usageShape = {
  requests: z.int().meta({ description: 'Calls for which money was held, however they ended.' }),
  prompt_tokens: z.int(),
  completion_tokens: z.int(),
  total_tokens: z.int(),
  charge_usd: z.string().meta({ description: 'What was charged for them.' }),
}

export const UsageView = z
  .object({
    group: z.string().meta({
      description: 'A UTC day, a model id, a key id or a workspace id, as `group_by` says.',
      example: '2026-11-20',
    }),
    name: z
      .string()
      .nullable()
      .meta({ description: 'Name of the key or the workspace; null for other groups.' }),
    ...usageShape,
  })
  .meta({ id: 'Usage' })

export const UsageListView = z
  .object({
    data: z.array(UsageView),
    next_cursor: z.null(),
    group_by: z.enum(GROUPINGS),
    total: z.object(usageShape).meta({ description: 'The sum of all groups.' }),
  })
  .meta({ id: 'UsageList' })

export type UsageListView = z.output<typeof UsageListView>

export function usageQuestion(query: z.output<typeof UsageQuery>): UsageQuestion {
  const { from, to, model } = query
  return {
    groupBy: query.group_by,
    ...given({
      from,
      to,
      model,
      workspaceId: query.workspace_id as WorkspaceId | undefined,
      keyId: query.key_id as KeyId | undefined,
    }),
  }
}

export function usageListView(
  groups: readonly UsageGroup[],
  groupBy: UsageQuestion['groupBy'],
): UsageListView {
  const sum = { requests: 0, promptTokens: 0, completionTokens: 0, charge: 0n }
  for (const group of groups) {
    sum.requests += group.requests
    sum.promptTokens += group.promptTokens
    sum.completionTokens += group.completionTokens
    sum.charge += group.charge
  }
  return {
    data: groups.map((group) => ({ group: group.group, name: group.name ?? null, ...figures(group) })),
    next_cursor: null,
    group_by: groupBy,
    total: figures({ ...sum, charge: nano(sum.charge) }),
  }
}

function figures(group: Omit<UsageGroup, 'group' | 'name'>) {
  return {
    requests: group.requests,
    prompt_tokens: group.promptTokens,
    completion_tokens: group.completionTokens,
    total_tokens: group.promptTokens + group.completionTokens,
    charge_usd: formatUsd(group.charge),
  }
}
