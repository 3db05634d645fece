import type { Migration } from './migration.ts'

/**
 * Who did what, and admin tokens with names. `changes` is JSON: by field what it was before and after. An entry of wrong
 * tokens counts those of one address in one minute.
 */
export const auditLog: Migration = {
  id: '0005-audit-log',
  statements: (engine) => {
    const keyed = engine === 'sqlite' ? 'without rowid' : ''
    return [
      `create table audit_log (
        id text not null primary key,
        at bigint not null,
        last_at bigint not null,
        count bigint not null,
        action text not null,
        actor_kind text not null,
        actor_id text,
        actor_name text,
        address text,
        request_id text,
        workspace_id text,
        subject text,
        changes text not null
      ) ${keyed}`,
      'create index audit_log_by_time on audit_log (at, id)',
      'create index audit_log_by_action on audit_log (action, at, id)',
      'create index audit_log_by_actor on audit_log (coalesce(actor_name, actor_kind), at, id)',
      'create index audit_log_by_workspace on audit_log (workspace_id, at, id) where workspace_id is not null',
      'create index audit_log_by_subject on audit_log (subject, at, id) where subject is not null',
      `create table admin_tokens (
        id text not null primary key,
        name text not null,
        hint text not null,
        secret_hash text not null unique,
        created_at bigint not null,
        revoked_at bigint,
        last_used_at bigint,
        last_used_from text
      ) ${keyed}`,
      'create unique index admin_tokens_in_force on admin_tokens (name) where revoked_at is null',
    ]
  },
}
