import type { Migration } from './migration.ts'

/**
 * The memory of Responses. Answers that go on from each other are a conversation, which has the id of its first answer
 * and expires as a whole: an answer is never written again. `depth` counts the answers before it, with it. `made` is 1
 * for an item of output and 0 for one of input: the last entry under an item's id is the best. `kept_sums` has a row for
 * each workspace, which guards all that it keeps. `keep_responses` is 1 where a workspace keeps any.
 */
export const keptResponses: Migration = {
  id: '0008-kept-responses',
  statements: (engine) => {
    const keyed = engine === 'sqlite' ? 'without rowid' : ''
    return [
      `create table kept_sums (
        workspace_id text not null primary key,
        answers bigint not null,
        bytes bigint not null,
        items bigint not null,
        check (answers >= 0 and bytes >= 0 and items >= 0)
      ) ${keyed}`,
      `create table kept_conversations (
        id text not null primary key,
        workspace_id text not null,
        expires_at bigint not null
      ) ${keyed}`,
      `create table kept_responses (
        id text not null primary key,
        workspace_id text not null,
        conversation_id text not null,
        previous_id text,
        depth bigint not null,
        created_at bigint not null,
        bytes bigint not null,
        items bigint not null,
        provider text,
        upstream_model text,
        credential text,
        input text not null,
        response text not null
      )`,
      `create table kept_items (
        workspace_id text not null,
        item_id text not null,
        made bigint not null,
        kept_at bigint not null,
        response_id text not null,
        place bigint not null,
        primary key (workspace_id, item_id, made, kept_at, response_id)
      ) ${keyed}`,
      'alter table workspaces add column keep_responses bigint not null default 1',
      ...(engine === 'sqlite' ? CHANGE_FEED : []),
      'create index kept_conversations_by_end on kept_conversations (expires_at, workspace_id)',
      'create index kept_responses_by_age on kept_responses (workspace_id, created_at, id)',
      'create index kept_responses_by_conversation on kept_responses (conversation_id)',
      'create index kept_items_by_response on kept_items (response_id)',
    ]
  },
}

/** Processes that share the file see that the setting was changed. */
const CHANGE_FEED = [
  'drop trigger workspace_changed',
  `create trigger workspace_changed
    after update of name, type, requests_per_minute, models, keep_responses on workspaces begin
    insert into changes (key_id, workspace_id) values (null, new.id);
  end`,
]
