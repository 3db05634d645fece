import type { Migration } from './migration.ts'

/**
 * Refused calls, the newest of each key, and how many there were on each UTC day. `place` is the end of the id, which
 * is in order of time whatever kind of request it was: lists of everything go by it.
 */
export const refusedCalls: Migration = {
  id: '0004-refused-calls',
  statements: (engine) => {
    const keyed = engine === 'sqlite' ? 'without rowid' : ''
    return [
      `create table refused_calls (
        id text not null primary key,
        place text not null,
        workspace_id text not null,
        key_id text not null,
        refused_at bigint not null,
        status bigint not null,
        code text not null,
        message text not null,
        param text,
        model text,
        address text
      ) ${keyed}`,
      `create table refusal_counts (
        key_id text not null,
        day bigint not null,
        minute bigint not null,
        minute_kept bigint not null,
        refused bigint not null,
        primary key (key_id, day)
      ) ${keyed}`,
      'create index refused_calls_by_place on refused_calls (place)',
      'create index refused_calls_by_age on refused_calls (refused_at)',
      'create index refused_calls_by_key on refused_calls (key_id, refused_at)',
      'create index refused_calls_by_workspace on refused_calls (workspace_id, refused_at)',
    ]
  },
}
