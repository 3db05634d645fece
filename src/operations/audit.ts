import { z } from 'zod'
import type { WorkspaceId } from '../core/id.ts'
import {
  ACTOR_KINDS,
  AUDIT_ACTIONS,
  type AuditEntry,
  type AuditQuery as AuditQuestion,
} from '../core/ports/audit.ts'
import { filterField, momentField, unixSeconds } from './field.ts'
import { given } from './given.ts'
import { pageFields, pageRequest } from './page.ts'

/** The ids of what changes: one of another kind has no entry. */
const SUBJECT = /^(?:ws|key|tr|token)_/

export const AuditQuery = z
  .strictObject({
    ...pageFields,
    from: momentField.optional().meta({ description: 'First moment: Unix seconds or ISO 8601.' }),
    to: momentField.optional().meta({ description: 'The moment after the last: Unix seconds or ISO 8601.' }),
    action: z.enum(AUDIT_ACTIONS).optional(),
    actor: filterField.optional().meta({
      description:
        'The name or the id of an admin token, the name of a person, or `configuration`, `gateway` or `unknown`.',
    }),
    actor_kind: z.enum(ACTOR_KINDS).optional().meta({
      description: 'For when a person and a token have the same name.',
    }),
    workspace_id: filterField.optional(),
    subject: filterField
      .regex(
        SUBJECT,
        'must be the id of a workspace (ws_…), a key (key_…), a transfer (tr_…) or an admin token (token_…)',
      )
      .meta({
        description:
          'The id of a key, a workspace, a transfer or a token. A key also has the rotation that made it.',
      })
      .optional(),
  })
  .refine((query) => query.from === undefined || query.to === undefined || query.from < query.to, {
    path: ['to'],
    message: 'must be after `from`',
  })

export const AuditEntryView = z
  .object({
    id: z.string().meta({ example: 'audit_01K8XJ5M7QZ3V9T4B6N2C1D0FG' }),
    action: z.string().meta({
      description: `What was done: ${AUDIT_ACTIONS.map((action) => `\`${action}\``).join(', ')}. \`token.refuse\` is a wrong admin token.`,
      example: 'key.update',
    }),
    actor: z
      .object({
        kind: z.string().meta({
          description:
            '`token`: a named admin token; `configuration`: the one of the configuration; `command_line`: a person beside the database; `gateway`: its first start; `unknown`: someone without a valid token.',
          example: 'token',
        }),
        id: z.string().nullable().meta({ description: 'Of the token.' }),
        name: z.string().nullable().meta({ description: 'Of the token or the person.', example: 'ci' }),
      })
      .meta({ id: 'Actor', description: 'Who did it.' }),
    address: z.string().nullable().meta({
      description: 'Where it came from: an IP address, or beside the database the name of the machine.',
      example: '203.0.113.7',
    }),
    request_id: z.string().nullable().meta({ description: '`X-Request-ID` of the answer.' }),
    workspace_id: z.string().nullable(),
    subject: z.string().nullable().meta({ description: 'The id of what was made or changed.' }),
    changes: z
      .record(z.string(), z.object({ before: z.unknown(), after: z.unknown() }))
      .meta({ description: 'The fields that changed, as this API shows them. Never a secret.' }),
    count: z.int().meta({ description: 'How many wrong tokens this entry counts; otherwise 1.' }),
    created: z.int().meta({ description: 'Unix seconds.' }),
    last_at: z.int().meta({ description: 'The last of several wrong tokens, in Unix seconds.' }),
  })
  .meta({ id: 'AuditEntry' })
export type AuditEntryView = z.output<typeof AuditEntryView>

export function auditEntryView(entry: AuditEntry): AuditEntryView {
  const { actor } = entry
  return {
    id: entry.id,
    action: entry.action,
    actor: {
      kind: actor.kind,
      id: 'id' in actor ? actor.id : null,
      name: 'name' in actor ? actor.name : null,
    },
    address: entry.address,
    request_id: entry.requestId,
    workspace_id: entry.workspaceId,
    subject: entry.subject,
    changes: { ...entry.changes },
    count: entry.count,
    created: unixSeconds(entry.at),
    last_at: unixSeconds(entry.lastAt),
  }
}

export function auditQuestion(query: z.output<typeof AuditQuery>): AuditQuestion {
  return {
    ...pageRequest(query),
    ...given({
      from: query.from,
      to: query.to,
      action: query.action,
      actor: query.actor,
      actorKind: query.actor_kind,
      workspaceId: query.workspace_id as WorkspaceId | undefined,
      subject: query.subject,
    }),
  }
}
