import type { Insertable, Selectable } from 'kysely'
import { assert } from '../core/assert.ts'
import type { ErrorCode } from '../core/error.ts'
import type { StoredAnswer } from '../core/idempotency.ts'
import { type KeptSums, NOTHING_KEPT } from '../core/keptRoom.ts'
import type { AdminTokenId, AuditId, KeyId, RequestId, TransferId, WorkspaceId } from '../core/id.ts'
import type { StoredChange } from '../core/once.ts'
import type { Window } from '../core/limit.ts'
import { nano, type Nano } from '../core/money.ts'
import type { Attempt, Ending, Receipt, Transfer, TransferKind, UsageRecord } from '../core/ports/books.ts'
import type { AdminToken } from '../core/ports/adminTokens.ts'
import type { Actor, AuditAction, AuditEntry } from '../core/ports/audit.ts'
import type { Key, Workspace, WorkspaceType } from '../core/ports/directory.ts'
import type { KeptResponse, MadeBy } from '../core/ports/keptResponses.ts'
import type { RefusalTally, RefusedCall } from '../core/ports/refusals.ts'
import type { ChargeLine } from '../core/price.ts'
import type { Hold, KeySpend, KeyState, WorkspaceState } from '../core/tillState.ts'
import type { UsageSource } from '../core/usage.ts'
import type { Schema, StoredInteger } from './schema.ts'

/** Rows of the tables to values of the core, and back. What we stored ourselves is trusted. */

export function readNano(value: StoredInteger): Nano {
  return nano(BigInt(value))
}

export function readNumber(value: StoredInteger): number {
  return Number(value)
}

/** The place of a transfer: `ledgerPlaces`. */
export function readPlace(value: StoredInteger): bigint {
  return BigInt(value)
}

export function readOptionalNumber(value: StoredInteger | null): number | null {
  return value === null ? null : Number(value)
}

export function readFlag(value: StoredInteger): boolean {
  return Number(value) === 1
}

export function writeFlag(value: boolean): number {
  return value ? 1 : 0
}

export function writeList(list: readonly string[] | null): string | null {
  return list && JSON.stringify(list)
}

export function readList(text: string | null): readonly string[] | null {
  return text === null ? null : (JSON.parse(text) as string[])
}

export function readWorkspace(row: Selectable<Schema['workspaces']>): Workspace {
  return {
    id: row.id as WorkspaceId,
    name: row.name,
    type: row.type as WorkspaceType,
    requestsPerMinute: readOptionalNumber(row.requests_per_minute),
    models: readList(row.models),
    keepResponses: readFlag(row.keep_responses),
    balance: readNano(row.balance),
    held: readNano(row.held),
    createdAt: readNumber(row.created_at),
  }
}

export function readKey(row: Omit<Selectable<Schema['keys']>, 'secret_hash'>): Key {
  return {
    id: row.id as KeyId,
    workspaceId: row.workspace_id as WorkspaceId,
    name: row.name,
    hint: row.hint,
    requestsPerMinute: readOptionalNumber(row.requests_per_minute),
    requestsPerDay: readOptionalNumber(row.requests_per_day),
    monthlySpend: row.monthly_spend === null ? null : readNano(row.monthly_spend),
    concurrentRequests: readOptionalNumber(row.concurrent_requests),
    models: readList(row.models),
    expiresAt: readOptionalNumber(row.expires_at),
    revokedAt: readOptionalNumber(row.revoked_at),
    createdAt: readNumber(row.created_at),
    replacedBy: row.replaced_by as KeyId | null,
    countersId: (row.counters_id ?? row.id) as KeyId,
  }
}

export function readStoredChange(row: Selectable<Schema['admin_changes']>): StoredChange {
  const { input_hash: inputHash, subject, answer } = row
  return { inputHash, subject, answer, answerUntil: readOptionalNumber(row.answer_until) }
}

export function readWorkspaceState(
  row: Pick<Selectable<Schema['workspaces']>, 'balance' | 'held' | 'minute_opened_at' | 'minute_count'>,
): WorkspaceState {
  return {
    balance: readNano(row.balance),
    held: readNano(row.held),
    minute: readWindow(row.minute_opened_at, row.minute_count),
  }
}

export function readKeyState(row: Omit<Selectable<Schema['key_counters']>, 'key_id'>): KeyState {
  return {
    minute: readWindow(row.minute_opened_at, row.minute_count),
    day: readWindow(row.day_opened_at, row.day_count),
    openCalls: readNumber(row.open_calls),
  }
}

function readWindow(openedAt: StoredInteger | null, count: StoredInteger | null): Window | undefined {
  if (openedAt === null || count === null) return undefined
  return { openedAt: readNumber(openedAt), count: readNumber(count) }
}

export function readKeySpend(row: Pick<Selectable<Schema['key_spend']>, 'spent' | 'held'>): KeySpend {
  return { spent: readNano(row.spent), held: readNano(row.held) }
}

/** A hold, and the place of its call's last transfer; null while the call has none. */
export interface StoredHold extends Hold {
  readonly lastTransfer: bigint | null
}

/** What a settlement needs of its call's hold. */
export type TakenHold = Pick<StoredHold, 'amount' | 'month' | 'lastTransfer'>

export function readHold(row: Selectable<Schema['holds']>): StoredHold {
  return {
    id: row.id as RequestId,
    workspaceId: row.workspace_id as WorkspaceId,
    keyId: row.key_id as KeyId,
    expiresAt: readNumber(row.expires_at),
    ...readTakenHold(row),
  }
}

export function readTakenHold(
  row: Pick<Selectable<Schema['holds']>, 'amount' | 'month' | 'last_transfer'>,
): TakenHold {
  return {
    amount: readNano(row.amount),
    month: row.month,
    lastTransfer: row.last_transfer === null ? null : readPlace(row.last_transfer),
  }
}

export function readTransfer(row: Selectable<Schema['transfers']>): Transfer {
  return {
    id: row.id === null ? transferIdOf(row.sequence) : (row.id as TransferId),
    workspaceId: row.workspace_id as WorkspaceId,
    kind: row.kind as TransferKind,
    amount: readNano(row.amount),
    balance: readNano(row.balance),
    requestId: row.request_id as RequestId | null,
    note: row.note,
    createdAt: readNumber(row.created_at),
  }
}

const SEQUENCE_DIGITS = 19
const SEQUENCE_ID = /^tr_(\d{19})$/

/** The id of a transfer that was given none: its place. */
function transferIdOf(sequence: StoredInteger): TransferId {
  return `tr_${String(sequence).padStart(SEQUENCE_DIGITS, '0')}` as TransferId
}

/** The place that such an id names; undefined when the id was given. */
export function sequenceOf(id: string): bigint | undefined {
  const digits = SEQUENCE_ID.exec(id)?.[1]
  return digits === undefined ? undefined : BigInt(digits)
}

export function readStoredAnswer(
  row: Pick<
    Selectable<Schema['answers']>,
    'request_id' | 'body_hash' | 'expires_at' | 'content_type' | 'body'
  >,
): StoredAnswer {
  const { content_type: contentType, body } = row
  return {
    id: row.request_id as RequestId,
    bodyHash: row.body_hash,
    expiresAt: readNumber(row.expires_at),
    answer: contentType === null || body === null ? undefined : { contentType, body },
  }
}

/** What the till did for a call: the part of a receipt that is not in its record. */
export type Settled = Pick<Receipt, 'hold' | 'charge' | 'writeoff'>

/** What is written with a record: `lastTransfer` is null for a call without any. */
export interface NewlySettled extends Settled {
  readonly lastTransfer: bigint | null
}

export function readSettled(
  row: Pick<Selectable<Schema['usage_records']>, 'hold' | 'charge' | 'writeoff' | 'last_transfer'>,
): NewlySettled {
  return {
    hold: readNano(row.hold),
    charge: readNano(row.charge),
    writeoff: readNano(row.writeoff),
    lastTransfer: row.last_transfer === null ? null : readPlace(row.last_transfer),
  }
}

/** The columns of `usage_records`, in the order of `usageRecordValues`. */
export const USAGE_RECORD_COLUMNS = [
  'id',
  'workspace_id',
  'key_id',
  'model',
  'requested_model',
  'provider',
  'upstream_model',
  'stream',
  'status',
  'ending',
  'prompt_tokens',
  'cached_tokens',
  'cache_write_tokens',
  'completion_tokens',
  'reasoning_tokens',
  'usage_source',
  'lines',
  'attempts',
  'started_at',
  'first_event_at',
  'ended_at',
  'end_user',
  'hold',
  'charge',
  'writeoff',
  'last_transfer',
] as const satisfies readonly (keyof Schema['usage_records'])[]

/** The columns in which the record of a call that is taken back differs, in the order of `takenBackValues`. */
export const TAKEN_BACK_COLUMNS = [
  'status',
  'ending',
  'lines',
  'charge',
  'writeoff',
  'last_transfer',
] as const satisfies readonly (keyof Schema['usage_records'])[]

export function takenBackValues(
  record: UsageRecord,
  { charge, writeoff, lastTransfer }: NewlySettled,
): (string | number | bigint | null)[] {
  return [record.status, record.ending, writeLines(record.lines), charge, writeoff, lastTransfer]
}

export function usageRecordValues(
  record: UsageRecord,
  settled: NewlySettled,
): (string | number | bigint | null)[] {
  const { usage } = record
  return [
    record.id,
    record.workspaceId,
    record.keyId,
    record.model,
    record.requestedModel,
    record.provider,
    record.upstreamModel,
    writeFlag(record.stream),
    record.status,
    record.ending,
    usage.promptTokens,
    usage.cachedTokens,
    usage.cacheWriteTokens,
    usage.completionTokens,
    usage.reasoningTokens,
    record.usageSource,
    writeLines(record.lines),
    writeAttempts(record.attempts, record.startedAt),
    record.startedAt,
    record.firstEventAt,
    record.endedAt,
    record.user,
    settled.hold,
    settled.charge,
    settled.writeoff,
    settled.lastTransfer,
  ]
}

export function readReceipt(row: Selectable<Schema['usage_records']>): Receipt {
  return {
    id: row.id as RequestId,
    workspaceId: row.workspace_id as WorkspaceId,
    keyId: row.key_id as KeyId,
    model: row.model,
    requestedModel: row.requested_model,
    provider: row.provider,
    upstreamModel: row.upstream_model,
    stream: readFlag(row.stream),
    status: readNumber(row.status),
    ending: row.ending as Ending,
    usage: {
      promptTokens: readNumber(row.prompt_tokens),
      cachedTokens: readNumber(row.cached_tokens),
      cacheWriteTokens: readNumber(row.cache_write_tokens),
      completionTokens: readNumber(row.completion_tokens),
      reasoningTokens: readNumber(row.reasoning_tokens),
    },
    usageSource: row.usage_source as UsageSource,
    lines: readLines(row.lines),
    attempts: readAttempts(row.attempts, readNumber(row.started_at)),
    startedAt: readNumber(row.started_at),
    firstEventAt: readOptionalNumber(row.first_event_at),
    endedAt: readNumber(row.ended_at),
    user: row.end_user,
    hold: readNano(row.hold),
    charge: readNano(row.charge),
    writeoff: readNano(row.writeoff),
  }
}

/** Provider, model, outcome, milliseconds from the call's start to the attempt's start and end, status. */
type StoredAttempt = [string, string, Attempt['outcome'], number, number, number?]

function writeAttempts(attempts: readonly Attempt[], callStartedAt: number): string {
  return JSON.stringify(
    attempts.map(({ provider, upstreamModel, outcome, startedAt, endedAt, status }): StoredAttempt => {
      const [start, end] = [startedAt - callStartedAt, endedAt - callStartedAt]
      return status === undefined
        ? [provider, upstreamModel, outcome, start, end]
        : [provider, upstreamModel, outcome, start, end, status]
    }),
  )
}

function readAttempts(text: string, callStartedAt: number): Attempt[] {
  return (JSON.parse(text) as StoredAttempt[]).map(
    ([provider, upstreamModel, outcome, start, end, status]) => ({
      provider,
      upstreamModel,
      startedAt: callStartedAt + start,
      endedAt: callStartedAt + end,
      outcome,
      ...(status !== undefined && { status }),
    }),
  )
}

/** JSON has no 64-bit integers: a unit price is written as a decimal string of nano-dollars. */
function writeLines(lines: readonly ChargeLine[]): string {
  return JSON.stringify(lines.map((line) => [line.class, line.tokens, line.unitPrice.toString()]))
}

function readLines(text: string): ChargeLine[] {
  return (JSON.parse(text) as [ChargeLine['class'], number, string][]).map(([kind, tokens, unitPrice]) => {
    assert(/^\d+$/.test(unitPrice), 'a stored unit price is a whole number')
    return { class: kind, tokens, unitPrice: nano(BigInt(unitPrice)) }
  })
}

export function readRefusedCall(row: Omit<Selectable<Schema['refused_calls']>, 'place'>): RefusedCall {
  return {
    id: row.id as RequestId,
    workspaceId: row.workspace_id as WorkspaceId,
    keyId: row.key_id as KeyId,
    at: readNumber(row.refused_at),
    status: readNumber(row.status),
    code: row.code as ErrorCode,
    message: row.message,
    param: row.param,
    model: row.model,
    address: row.address,
  }
}

export function readRefusalCount(
  row: Pick<Selectable<Schema['refusals_by_code']>, 'day' | 'code' | 'refused'>,
): RefusalTally['counts'][number] {
  return {
    day: readNumber(row.day),
    code: row.code as ErrorCode | 'unknown',
    refused: readNumber(row.refused),
  }
}

export function readAdminToken(row: Omit<Selectable<Schema['admin_tokens']>, 'secret_hash'>): AdminToken {
  return {
    id: row.id as AdminTokenId,
    name: row.name,
    hint: row.hint,
    createdAt: readNumber(row.created_at),
    revokedAt: readOptionalNumber(row.revoked_at),
    lastUsedAt: readOptionalNumber(row.last_used_at),
    lastUsedFrom: row.last_used_from,
  }
}

export function readAuditEntry(row: Selectable<Schema['audit_log']>): AuditEntry {
  return {
    id: row.id as AuditId,
    at: readNumber(row.at),
    lastAt: readNumber(row.last_at),
    count: readNumber(row.count),
    action: row.action as AuditAction,
    actor: readActor(row),
    address: row.address,
    requestId: row.request_id as RequestId | null,
    workspaceId: row.workspace_id as WorkspaceId | null,
    subject: row.subject,
    changes: JSON.parse(row.changes) as AuditEntry['changes'],
  }
}

function readActor(
  row: Pick<Selectable<Schema['audit_log']>, 'actor_kind' | 'actor_id' | 'actor_name'>,
): Actor {
  const kind = row.actor_kind as Actor['kind']
  const name = row.actor_name ?? ''
  switch (kind) {
    case 'token':
      return { kind, id: row.actor_id as AdminTokenId, name }
    case 'command_line':
      return { kind, name }
    default:
      return { kind }
  }
}

export function auditRow(entry: AuditEntry): Insertable<Schema['audit_log']> {
  const { actor } = entry
  return {
    id: entry.id,
    at: entry.at,
    last_at: entry.lastAt,
    count: entry.count,
    action: entry.action,
    actor_kind: actor.kind,
    actor_id: 'id' in actor ? actor.id : null,
    actor_name: 'name' in actor ? actor.name : null,
    address: entry.address,
    request_id: entry.requestId,
    workspace_id: entry.workspaceId,
    subject: entry.subject,
    changes: JSON.stringify(entry.changes),
  }
}

/** Of a workspace that has kept nothing yet there is no row. */
export function readKeptSums(row: Selectable<Schema['kept_sums']> | undefined): KeptSums {
  if (!row) return NOTHING_KEPT
  return { answers: readNumber(row.answers), bytes: readNumber(row.bytes), items: readNumber(row.items) }
}

/** @param expiresAt that of its conversation */
export function readKeptResponse(
  row: Pick<
    Selectable<Schema['kept_responses']>,
    | 'id'
    | 'workspace_id'
    | 'previous_id'
    | 'created_at'
    | 'provider'
    | 'upstream_model'
    | 'credential'
    | 'input'
    | 'response'
  >,
  expiresAt: number,
): KeptResponse {
  return {
    id: row.id as RequestId,
    workspaceId: row.workspace_id as WorkspaceId,
    previousId: row.previous_id as RequestId | null,
    createdAt: readNumber(row.created_at),
    expiresAt,
    input: row.input,
    response: row.response,
    madeBy: readMadeBy(row),
  }
}

export function readMadeBy({
  provider,
  upstream_model: upstreamModel,
  credential,
}: Pick<Selectable<Schema['kept_responses']>, 'provider' | 'upstream_model' | 'credential'>): MadeBy | null {
  if (provider === null || upstreamModel === null || credential === null) return null
  return { provider, upstreamModel, credential }
}
