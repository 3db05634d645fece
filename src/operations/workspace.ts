import { z } from 'zod'
import { formatUsd } from '../core/money.ts'
import type { Workspace } from '../core/ports/directory.ts'
import { modelsField, nameField, requestLimitField, unixSeconds } from './field.ts'

const typeField = z
  .enum(['personal', 'organization'])
  .meta({ description: 'Sets the default limit: 60 requests per minute, or 120.' })

export const NewWorkspaceBody = z
  .strictObject({
    name: nameField,
    type: typeField,
    requests_per_minute: requestLimitField.optional().meta({ description: "Overrides the type's default." }),
    models: modelsField.optional(),
    keep_responses: z.boolean().optional().meta({
      description: 'Whether input and output of Responses are kept for its callers. By default they are.',
    }),
  })
  .meta({ id: 'NewWorkspace', example: { name: 'Team Blue', type: 'organization' } })

export const WorkspaceChangeBody = NewWorkspaceBody.partial().meta({
  id: 'WorkspaceChange',
  example: { requests_per_minute: 240 },
})

export const WorkspaceView = z
  .object({
    id: z.string().meta({ example: 'ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG' }),
    name: z.string(),
    type: typeField,
    requests_per_minute: z.int().nullable().meta({ description: "Null: the type's default." }),
    models: z.array(z.string()).nullable().meta({ description: 'Null: all models.' }),
    keep_responses: z
      .boolean()
      .meta({ description: 'Whether input and output of Responses are kept for its callers.' }),
    balance_usd: z.string().meta({ description: 'Open holds included.', example: '12.50' }),
    held_usd: z.string().meta({ description: 'What calls in flight have reserved.', example: '0.00' }),
    created: z.int().meta({ description: 'Unix seconds.' }),
  })
  .meta({ id: 'Workspace' })

export type WorkspaceView = z.output<typeof WorkspaceView>

export function workspaceView(workspace: Workspace): WorkspaceView {
  return {
    id: workspace.id,
    name: workspace.name,
    type: workspace.type,
    requests_per_minute: workspace.requestsPerMinute,
    models: workspace.models === null ? null : [...workspace.models],
    keep_responses: workspace.keepResponses,
    balance_usd: formatUsd(workspace.balance),
    held_usd: formatUsd(workspace.held),
    created: unixSeconds(workspace.createdAt),
  }
}
