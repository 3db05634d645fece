import { LEDGER_PLACES } from '../ledgerPlaces.ts'
import type { Engine, Migration } from './migration.ts'

/**
 * The books. Times are milliseconds since the epoch, money is nano-dollars in 64-bit integers,
 * lists and objects are JSON text. `workspaces` is the one row that money locks.
 */
export const books: Migration = {
  id: '0001-books',
  statements: (engine) => [
    ...(engine === 'sqlite' ? [] : [LEDGERS]),
    ...tables(engine),
    ...INDEXES,
    ...(engine === 'sqlite' ? [OPEN_LEDGER, ...CHANGE_FEED] : POSTGRES_INDEXES),
  ],
}

function tables(engine: Engine): string[] {
  // A small row that is only ever found by its key: SQLite then keeps one tree for it, not two.
  const keyed = engine === 'sqlite' ? 'without rowid' : ''
  return [
    `create table workspaces (
      id text not null primary key,
      name text not null,
      type text not null,
      requests_per_minute bigint,
      models text,
      created_at bigint not null,
      balance bigint not null,
      held bigint not null,
      minute_opened_at bigint,
      minute_count bigint,
      last_transfer bigint not null default ${engine === 'sqlite' ? '0' : NEXT_LEDGER},
      check (0 <= held and held <= balance)
    ) ${keyed}`,
    `create table keys (
      id text not null primary key,
      workspace_id text not null references workspaces (id),
      name text not null,
      hint text not null,
      secret_hash text not null unique,
      requests_per_minute bigint,
      requests_per_day bigint,
      monthly_spend bigint,
      concurrent_requests bigint,
      models text,
      expires_at bigint,
      revoked_at bigint,
      created_at bigint not null
    )`,
    `create table key_counters (
      key_id text not null primary key,
      minute_opened_at bigint,
      minute_count bigint,
      day_opened_at bigint,
      day_count bigint,
      open_calls bigint not null
    ) ${keyed}`,
    `create table key_spend (
      key_id text not null,
      month text not null,
      spent bigint not null,
      held bigint not null,
      primary key (key_id, month),
      check (spent >= 0 and held >= 0)
    ) ${keyed}`,
    `create table holds (
      id text not null primary key,
      workspace_id text not null,
      key_id text not null,
      amount bigint not null,
      month text not null,
      expires_at bigint not null,
      last_transfer bigint,
      check (amount >= 0)
    ) ${keyed}`,
    // `sequence`: see `ledgerPlaces`. `id` is given to credits; a transfer of a call is named by its sequence.
    // `previous` is the transfer of the same call before it: its `last_transfer` is all it takes to find them.
    `create table transfers (
      sequence ${engine === 'sqlite' ? 'integer' : 'bigint not null'} primary key,
      id text,
      workspace_id text not null,
      kind text not null,
      amount bigint not null,
      balance bigint not null,
      request_id text,
      previous bigint,
      note text,
      created_at bigint not null,
      check (amount >= 0)
    )`,
    `create table credits (
      idempotency_key text not null primary key,
      transfer_id text not null
    ) ${keyed}`,
    `create table usage_records (
      id text not null primary key,
      workspace_id text not null,
      key_id text not null,
      model text not null,
      requested_model text not null,
      provider text,
      upstream_model text,
      stream bigint not null,
      status bigint not null,
      ending text not null,
      prompt_tokens bigint not null,
      cached_tokens bigint not null,
      cache_write_tokens bigint not null,
      completion_tokens bigint not null,
      reasoning_tokens bigint not null,
      usage_source text not null,
      lines text not null,
      attempts text not null,
      started_at bigint not null,
      first_event_at bigint,
      ended_at bigint not null,
      end_user text,
      hold bigint not null,
      charge bigint not null,
      writeoff bigint not null,
      last_transfer bigint
    )`,
    // A claim until it has a body; then the answer it gave.
    `create table answers (
      workspace_id text not null,
      idempotency_key text not null,
      request_id text not null,
      body_hash text not null,
      expires_at bigint not null,
      content_type text,
      body text,
      primary key (workspace_id, idempotency_key)
    )`,
  ]
}

const INDEXES = [
  'create index workspaces_by_age on workspaces (created_at, id)',
  'create index keys_by_workspace on keys (workspace_id, created_at, id)',
  // Of calls only those whose lease ran out: no hold and no usage record tells where their transfers are.
  'create index transfers_by_swept_call on transfers (request_id) where request_id is not null and note is not null',
  'create unique index transfers_by_id on transfers (id) where id is not null',
  'create index usage_by_workspace on usage_records (workspace_id, started_at)',
  'create index usage_by_key on usage_records (key_id, started_at)',
  'create index answers_by_request on answers (request_id)',
  'create index answers_by_age on answers (expires_at)',
]

/** Gives a new workspace the places of its ledger: those after the ones of all others. */
const LEDGERS = 'create sequence ledgers'
const NEXT_LEDGER = `(nextval('ledgers') * ${LEDGER_PLACES})`
const OPEN_LEDGER = `create trigger workspace_created after insert on workspaces begin
  update workspaces
    set last_transfer = ((select max(last_transfer) from workspaces) / ${LEDGER_PLACES} + 1) * ${LEDGER_PLACES}
    where id = new.id;
end`

/**
 * SQLite reads its few open holds faster than it keeps an index on them, and the usage of all workspaces one
 * after the other. Postgres would also read the holds that are long deleted, and adds up usage in one statement.
 */
const POSTGRES_INDEXES = [
  'create index holds_by_lease on holds (expires_at)',
  'create index usage_by_age on usage_records (started_at)',
]

/** How the processes that share one SQLite file hear of each other's changes; Postgres has LISTEN and NOTIFY. */
const CHANGE_FEED = [
  `create table changes (
    sequence integer primary key autoincrement,
    key_id text,
    workspace_id text
  )`,
  `create trigger key_created after insert on keys begin
    insert into changes (key_id, workspace_id) values (new.id, new.workspace_id);
  end`,
  `create trigger key_changed after update on keys begin
    insert into changes (key_id, workspace_id) values (new.id, new.workspace_id);
  end`,
  `create trigger workspace_changed
    after update of name, type, requests_per_minute, models on workspaces begin
    insert into changes (key_id, workspace_id) values (null, new.id);
  end`,
  `create trigger changes_kept after insert on changes when new.sequence % 100 = 0 begin
    delete from changes where sequence <= new.sequence - 1000;
  end`,
]
