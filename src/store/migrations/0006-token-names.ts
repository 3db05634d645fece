import type { Migration } from './migration.ts'

/**
 * Names of valid admin tokens differ by more than their case, so that one is not taken for another in the audit log. Of
 * those that differed by it the older keeps its name, and the others get their id behind it.
 */
export const tokenNames: Migration = {
  id: '0006-token-names',
  statements: () => [
    `update admin_tokens set name = name || ' ' || id where revoked_at is null and exists (
      select 1 from admin_tokens other where other.revoked_at is null and lower(other.name) = lower(admin_tokens.name)
        and (other.created_at < admin_tokens.created_at
          or (other.created_at = admin_tokens.created_at and other.id < admin_tokens.id))
    )`,
    'drop index admin_tokens_in_force',
    'create unique index admin_tokens_in_force on admin_tokens (lower(name)) where revoked_at is null',
  ],
}
