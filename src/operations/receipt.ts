import { z } from 'zod'
import { FAILURE_REASONS } from '../core/failure.ts'
import type { KeyId, WorkspaceId } from '../core/id.ts'
import { formatUsd, type Nano } from '../core/money.ts'
import type { Attempt, Receipt, RequestQuery, Transfer } from '../core/ports/books.ts'
import type { ChargeLine } from '../core/price.ts'
import { filterField, momentField, unixSeconds } from './field.ts'
import { given } from './given.ts'
import { pageFields, pageRequest } from './page.ts'
import { TransferView, transferView } from './transfer.ts'

const CLIENT_LEFT = 'The client left before the provider answered.'

export const RequestsQuery = z
  .strictObject({
    ...pageFields,
    workspace_id: filterField.optional(),
    key_id: filterField.optional(),
    model: filterField.optional(),
    from: momentField.optional().meta({ description: 'First moment: Unix seconds or ISO 8601.' }),
    to: momentField.optional().meta({ description: 'The moment after the last: Unix seconds or ISO 8601.' }),
    failed: z.enum(['true', 'false']).optional().meta({
      description: '`true`: only calls with a status of 400 or more, including refused calls.',
    }),
  })
  .refine((query) => query.from === undefined || query.to === undefined || query.from < query.to, {
    path: ['to'],
    message: 'must be after `from`',
  })

const AttemptView = z
  .object({
    provider: z.string(),
    upstream_model: z.string().meta({ description: 'The name of the model at the provider.' }),
    outcome: z.string().meta({
      description: '`answered`, `client_left` while it was under way, or how it failed.',
      example: 'answered',
    }),
    status: z.int().nullable().meta({ description: "The provider's HTTP status, when there was one." }),
    reason: z.string().nullable().meta({
      description: 'Why there was no answer, or why it broke off, in one sentence; null: it answered.',
      example: null,
    }),
    started_ms: z.int().meta({ description: 'Milliseconds after the request began.' }),
    duration_ms: z.int().meta({ description: 'Milliseconds until it answered, failed or was given up.' }),
  })
  .meta({ id: 'Attempt' })

const ChargeLineView = z
  .object({
    class: z
      .enum(['input', 'cached_input', 'cache_write', 'output', 'reasoning'])
      .meta({ description: 'Each token is in one class.' }),
    tokens: z.int(),
    unit_price_usd: z.string().meta({ description: 'US dollars per 1,000,000 tokens.', example: '0.50' }),
    amount_usd: z
      .string()
      .meta({ description: 'Exact; the sum of the lines is rounded once, half up, to nano-dollars.' }),
  })
  .meta({ id: 'ChargeLine' })

const receiptShape = {
  kind: z.literal('receipt').meta({ description: 'A call for which money was held, however it ended.' }),
  id: z.string().meta({ example: 'chatcmpl-01K8XJ5M7QZ3V9T4B6N2C1D0FG' }),
  workspace_id: z.string(),
  key_id: z.string(),
  model: z
    .string()
    .meta({ description: 'Canonical id of the model that answered, or was asked when the client left.' }),
  requested_model: z.string().meta({ description: 'As the caller named it.' }),
  provider: z
    .string()
    .nullable()
    .meta({ description: 'The provider that answered, or was asked when the client left; null: none.' }),
  upstream_model: z.string().nullable().meta({ description: 'The name of the model at the provider.' }),
  stream: z.boolean().meta({ description: 'Whether the caller asked for a stream.' }),
  status: z
    .int()
    .meta({ description: 'HTTP status of the response; 499: the client left before it got one.' }),
  ending: z.string().meta({
    description: 'How the call ended. It decides what is charged: see the guide on billing.',
    example: 'completed',
  }),
  user: z.string().nullable().meta({ description: "The caller's `user` parameter." }),
  usage: z.object({
    prompt_tokens: z.int(),
    cached_tokens: z.int().meta({ description: 'Part of the prompt tokens.' }),
    cache_write_tokens: z.int().meta({ description: 'Part of the prompt tokens.' }),
    completion_tokens: z.int().meta({
      description: 'What was generated. `lines` has what is charged: never more than was asked for.',
    }),
    reasoning_tokens: z.int().meta({ description: 'Part of the completion tokens.' }),
    total_tokens: z.int(),
    source: z
      .enum(['reported', 'estimated'])
      .meta({ description: 'Reported by the provider, or counted by the gateway.' }),
  }),
  lines: z.array(ChargeLineView).meta({ description: 'What the call cost, by class of token.' }),
  hold_usd: z.string().meta({ description: 'What was reserved for the call, extensions included.' }),
  charge_usd: z.string().meta({ description: 'What the workspace paid.' }),
  writeoff_usd: z.string().meta({ description: 'What the balance could not pay; the operator pays it.' }),
  attempts: z.array(AttemptView).meta({ description: 'Every call to a provider, in order.' }),
  timings: z.object({
    started_at: z.string().meta({ description: 'ISO 8601 with milliseconds.' }),
    first_event_ms: z
      .int()
      .nullable()
      .meta({ description: 'Until the first event of the answer; null: there was none.' }),
    duration_ms: z.int().meta({ description: 'Until the call ended.' }),
  }),
  created: z.int().meta({ description: 'Unix seconds.' }),
}

export const ReceiptView = z.object(receiptShape).meta({ id: 'Receipt' })
export type ReceiptView = z.output<typeof ReceiptView>

export const ReceiptDetailView = z
  .object({ ...receiptShape, transfers: z.array(TransferView).meta({ description: 'Oldest first.' }) })
  .meta({ id: 'ReceiptDetail' })
export type ReceiptDetailView = z.output<typeof ReceiptDetailView>

export function requestsQuestion(query: z.output<typeof RequestsQuery>): RequestQuery {
  return {
    ...pageRequest(query),
    ...given({
      workspaceId: query.workspace_id as WorkspaceId | undefined,
      keyId: query.key_id as KeyId | undefined,
      model: query.model,
      from: query.from,
      to: query.to,
    }),
  }
}

export function receiptView(receipt: Receipt): ReceiptView {
  const { usage } = receipt
  return {
    kind: 'receipt',
    id: receipt.id,
    workspace_id: receipt.workspaceId,
    key_id: receipt.keyId,
    model: receipt.model,
    requested_model: receipt.requestedModel,
    provider: receipt.provider,
    upstream_model: receipt.upstreamModel,
    stream: receipt.stream,
    status: receipt.status,
    ending: receipt.ending,
    user: receipt.user,
    usage: {
      prompt_tokens: usage.promptTokens,
      cached_tokens: usage.cachedTokens,
      cache_write_tokens: usage.cacheWriteTokens,
      completion_tokens: usage.completionTokens,
      reasoning_tokens: usage.reasoningTokens,
      total_tokens: usage.promptTokens + usage.completionTokens,
      source: receipt.usageSource,
    },
    lines: receipt.lines.filter((line) => line.tokens > 0).map(lineView),
    hold_usd: formatUsd(receipt.hold),
    charge_usd: formatUsd(receipt.charge),
    writeoff_usd: formatUsd(receipt.writeoff),
    attempts: receipt.attempts.map((attempt) => attemptView(attempt, receipt.startedAt)),
    timings: {
      started_at: new Date(receipt.startedAt).toISOString(),
      first_event_ms:
        receipt.firstEventAt === null ? null : Math.round(receipt.firstEventAt - receipt.startedAt),
      duration_ms: Math.round(receipt.endedAt - receipt.startedAt),
    },
    created: unixSeconds(receipt.startedAt),
  }
}

export function receiptDetailView(receipt: Receipt, transfers: readonly Transfer[]): ReceiptDetailView {
  return { ...receiptView(receipt), transfers: transfers.map(transferView) }
}

function attemptView(attempt: Attempt, requestStartedAt: number): z.output<typeof AttemptView> {
  return {
    provider: attempt.provider,
    upstream_model: attempt.upstreamModel,
    outcome: attempt.outcome,
    status: attempt.status ?? null,
    reason: reasonOf(attempt.outcome),
    started_ms: Math.round(attempt.startedAt - requestStartedAt),
    duration_ms: Math.round(attempt.endedAt - attempt.startedAt),
  }
}

function reasonOf(outcome: Attempt['outcome']): string | null {
  if (outcome === 'answered') return null
  return outcome === 'client_left' ? CLIENT_LEFT : FAILURE_REASONS[outcome]
}

function lineView(line: ChargeLine): z.output<typeof ChargeLineView> {
  return {
    class: line.class,
    tokens: line.tokens,
    unit_price_usd: formatUsd(line.unitPrice),
    amount_usd: exactAmount(line),
  }
}

const AMOUNT_DECIMALS = 15

/** Tokens × price per million in full: a price in nano-dollars per million tokens has 15 decimals per token. */
export function exactAmount(line: Pick<ChargeLine, 'tokens' | 'unitPrice'>): string {
  const digits = (BigInt(line.tokens) * (line.unitPrice satisfies Nano))
    .toString()
    .padStart(AMOUNT_DECIMALS + 1, '0')
  const whole = digits.slice(0, -AMOUNT_DECIMALS)
  const fraction = digits.slice(-AMOUNT_DECIMALS)
  return `${whole}.${fraction.slice(0, 2)}${fraction.slice(2).replace(/0+$/, '')}`
}
