import type { Migration } from './migration.ts'

/**
 * What makes changes of the operator repeatable: a rotated key names its successor and whose counters both use (null:
 * its own), and what was answered is kept under a hash of its idempotency key, of new secrets encrypted and for minutes.
 */
export const changesOnce: Migration = {
  id: '0003-changes-once',
  statements: (engine) => [
    'alter table keys add column replaced_by text',
    'alter table keys add column counters_id text',
    `create table admin_changes (
      name text not null primary key,
      input_hash text not null,
      subject text not null,
      answer text,
      answer_until bigint,
      made_at bigint not null
    ) ${engine === 'sqlite' ? 'without rowid' : ''}`,
    'create index admin_changes_by_end on admin_changes (answer_until) where answer_until is not null',
  ],
}
