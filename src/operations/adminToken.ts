import { z } from 'zod'
import type { AdminToken } from '../core/ports/adminTokens.ts'
import { nameField, unixSeconds } from './field.ts'

/** What the audit log calls those that have no name of their own. */
const RESERVED = new Set(['token', 'configuration', 'command_line', 'gateway', 'unknown'])

export const NewAdminTokenBody = z
  .strictObject({
    name: nameField
      .regex(/^[A-Za-z0-9 .@_-]*$/, 'may have letters and digits of ASCII, blanks, and . - _ @')
      .refine((name) => !RESERVED.has(name.toLowerCase()), {
        error: ({ input }) => `"${String(input)}" is reserved. Take another name`,
      })
      .meta({
        description:
          'Name of who or what uses it; the audit log shows it. ASCII letters, digits, blanks and `.-_@`. No two valid tokens have the same name, whatever their case.',
        example: 'ci',
      }),
  })
  .meta({ id: 'NewAdminToken', example: { name: 'deploy' } })

const adminTokenShape = {
  id: z.string().meta({ example: 'token_01K8XJ5M7QZ3V9T4B6N2C1D0FG' }),
  name: z.string(),
  hint: z.string().meta({ description: 'First characters of the token.', example: 'tga_AB12…' }),
  status: z.enum(['active', 'revoked']),
  last_used_at: z
    .int()
    .nullable()
    .meta({ description: 'Unix seconds, up to some seconds old; null: never.' }),
  last_used_from: z.string().nullable().meta({ description: 'The address it was used from last.' }),
  revoked_at: z.int().nullable().meta({ description: 'Unix seconds.' }),
  created: z.int().meta({ description: 'Unix seconds.' }),
}

export const AdminTokenView = z.object(adminTokenShape).meta({ id: 'AdminToken' })
export type AdminTokenView = z.output<typeof AdminTokenView>

export const CreatedAdminTokenView = z
  .object({
    ...adminTokenShape,
    token: z.string().meta({ description: 'The token itself, shown this once.', example: 'tga_…' }),
  })
  .meta({ id: 'CreatedAdminToken' })
export type CreatedAdminTokenView = z.output<typeof CreatedAdminTokenView>

export function adminTokenView(token: AdminToken): AdminTokenView {
  return {
    id: token.id,
    name: token.name,
    hint: token.hint,
    status: token.revokedAt === null ? 'active' : 'revoked',
    last_used_at: token.lastUsedAt === null ? null : unixSeconds(token.lastUsedAt),
    last_used_from: token.lastUsedFrom,
    revoked_at: token.revokedAt === null ? null : unixSeconds(token.revokedAt),
    created: unixSeconds(token.createdAt),
  }
}
