import type { ColumnType } from 'kysely'

/** A 64-bit integer: drivers give it as they like, `readNano` and `readNumber` take them all. */
export type StoredInteger = bigint | number | string
type Integer = ColumnType<StoredInteger, bigint | number, bigint | number>
type OptionalInteger = ColumnType<StoredInteger | null, bigint | number | null, bigint | number | null>

/** The tables of `migrations/`, as Kysely sees them. Column comments are there. */
export interface Schema {
  workspaces: {
    id: string
    name: string
    type: string
    requests_per_minute: OptionalInteger
    models: string | null
    keep_responses: ColumnType<StoredInteger, number, number>
    created_at: Integer
    balance: Integer
    held: Integer
    minute_opened_at: OptionalInteger
    minute_count: OptionalInteger
    last_transfer: ColumnType<StoredInteger, bigint | number | undefined, bigint | number>
  }
  keys: {
    id: string
    workspace_id: string
    name: string
    hint: string
    secret_hash: string
    requests_per_minute: OptionalInteger
    requests_per_day: OptionalInteger
    monthly_spend: OptionalInteger
    concurrent_requests: OptionalInteger
    models: string | null
    expires_at: OptionalInteger
    revoked_at: OptionalInteger
    created_at: Integer
    replaced_by: string | null
    counters_id: string | null
  }
  admin_changes: {
    name: string
    input_hash: string
    subject: string
    answer: string | null
    answer_until: OptionalInteger
    made_at: Integer
  }
  audit_log: {
    id: string
    at: Integer
    last_at: Integer
    count: Integer
    action: string
    actor_kind: string
    actor_id: string | null
    actor_name: string | null
    address: string | null
    request_id: string | null
    workspace_id: string | null
    subject: string | null
    changes: string
  }
  admin_tokens: {
    id: string
    name: string
    hint: string
    secret_hash: string
    created_at: Integer
    revoked_at: OptionalInteger
    last_used_at: OptionalInteger
    last_used_from: string | null
  }
  key_counters: {
    key_id: string
    minute_opened_at: OptionalInteger
    minute_count: OptionalInteger
    day_opened_at: OptionalInteger
    day_count: OptionalInteger
    open_calls: Integer
  }
  key_spend: {
    key_id: string
    month: string
    spent: Integer
    held: Integer
  }
  holds: {
    id: string
    workspace_id: string
    key_id: string
    amount: Integer
    month: string
    expires_at: Integer
    last_transfer: OptionalInteger
  }
  transfers: {
    sequence: Integer
    id: string | null
    workspace_id: string
    kind: string
    amount: Integer
    balance: Integer
    request_id: string | null
    previous: OptionalInteger
    note: string | null
    created_at: Integer
  }
  credits: {
    idempotency_key: string
    transfer_id: string
  }
  usage_records: {
    id: string
    workspace_id: string
    key_id: string
    model: string
    requested_model: string
    provider: string | null
    upstream_model: string | null
    stream: Integer
    status: Integer
    ending: string
    prompt_tokens: Integer
    cached_tokens: Integer
    cache_write_tokens: Integer
    completion_tokens: Integer
    reasoning_tokens: Integer
    usage_source: string
    lines: string
    attempts: string
    started_at: Integer
    first_event_at: OptionalInteger
    ended_at: Integer
    end_user: string | null
    hold: Integer
    charge: Integer
    writeoff: Integer
    last_transfer: OptionalInteger
  }
  answers: {
    workspace_id: string
    idempotency_key: string
    request_id: string
    body_hash: string
    expires_at: Integer
    content_type: string | null
    body: string | null
  }
  refused_calls: {
    id: string
    place: string
    workspace_id: string
    key_id: string
    refused_at: Integer
    status: Integer
    code: string
    message: string
    param: string | null
    model: string | null
    address: string | null
  }
  refusals_by_code: {
    key_id: string
    day: Integer
    code: string
    refused: Integer
  }
  kept_sums: {
    workspace_id: string
    answers: Integer
    bytes: Integer
    items: Integer
  }
  kept_conversations: {
    id: string
    workspace_id: string
    expires_at: Integer
  }
  kept_responses: {
    id: string
    workspace_id: string
    conversation_id: string
    previous_id: string | null
    depth: Integer
    created_at: Integer
    bytes: Integer
    items: Integer
    provider: string | null
    upstream_model: string | null
    credential: string | null
    input: string
    response: string
  }
  kept_items: {
    workspace_id: string
    item_id: string
    made: Integer
    kept_at: Integer
    response_id: string
    place: Integer
  }
}
