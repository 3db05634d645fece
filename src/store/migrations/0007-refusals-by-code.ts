import type { Migration } from './migration.ts'

/** Refused calls are counted by code. Those that were counted before have the code `unknown`. */
export const refusalsByCode: Migration = {
  id: '0007-refusals-by-code',
  statements: (engine) => [
    `create table refusals_by_code (
      key_id text not null,
      day bigint not null,
      code text not null,
      refused bigint not null,
      primary key (key_id, day, code)
    ) ${engine === 'sqlite' ? 'without rowid' : ''}`,
    `insert into refusals_by_code (key_id, day, code, refused)
      select key_id, day, 'unknown', refused from refusal_counts`,
    'drop table refusal_counts',
  ],
}
