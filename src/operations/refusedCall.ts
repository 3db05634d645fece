import { z } from 'zod'
import { DAY_MS } from '../core/limit.ts'
import type { RefusalTally, RefusedCall } from '../core/ports/refusals.ts'
import { unixSeconds } from './field.ts'

const refusedShape = {
  kind: z
    .literal('refused')
    .meta({ description: 'A call that was refused before anything was held for it.' }),
  id: z.string().meta({ example: 'chatcmpl-01K8XJ5M7QZ3V9T4B6N2C1D0FG' }),
  workspace_id: z.string(),
  key_id: z.string(),
  status: z.int().meta({ description: 'HTTP status of the response.', example: 404 }),
  code: z.string().meta({ description: '`error.code` of the answer.', example: 'model_not_found' }),
  message: z.string().meta({
    description: '`error.message` of the response, at most 1,000 characters, without what could be a secret.',
    example: 'The model "acme/chat-9" does not exist.',
  }),
  param: z.string().nullable().meta({ description: '`error.param` of the answer.', example: 'model' }),
  model: z
    .string()
    .nullable()
    .meta({ description: 'As the caller named it, at most 256 characters; null: none was named.' }),
  address: z.string().nullable().meta({
    description: 'Where the call came from: the proxy, where there is one. Null: no longer known.',
    example: '203.0.113.7',
  }),
  refused_at: z.string().meta({ description: 'ISO 8601 with milliseconds.' }),
  created: z.int().meta({ description: 'Unix seconds.' }),
}

export const RefusedCallView = z.object(refusedShape).meta({ id: 'RefusedCall' })
export type RefusedCallView = z.output<typeof RefusedCallView>

export const KeyRefusalsView = z
  .object({
    last_seven_days: z
      .int()
      .meta({ description: 'Refused in the last seven UTC days, today included, kept or not.' }),
    kept: z.int().meta({ description: 'How many of them are kept.' }),
    by_day: z
      .array(
        z.object({
          date: z.string().meta({ description: 'UTC.', example: '2026-11-20' }),
          by_code: z.record(z.string(), z.int()).meta({
            description: 'How many for each `error.code`. `unknown`: counted before codes were.',
            example: { model_not_found: 1 },
          }),
        }),
      )
      .meta({ description: 'Days with refused calls, newest first.' }),
  })
  .meta({ id: 'KeyRefusals', description: "The key's refused calls." })
export type KeyRefusalsView = z.output<typeof KeyRefusalsView>

export const RefusedCallDetailView = z
  .object({ ...refusedShape, key_refusals: KeyRefusalsView })
  .meta({ id: 'RefusedCallDetail' })
export type RefusedCallDetailView = z.output<typeof RefusedCallDetailView>

export function refusedCallView(call: RefusedCall): RefusedCallView {
  return {
    kind: 'refused',
    id: call.id,
    workspace_id: call.workspaceId,
    key_id: call.keyId,
    status: call.status,
    code: call.code,
    message: call.message,
    param: call.param,
    model: call.model,
    address: call.address,
    refused_at: new Date(call.at).toISOString(),
    created: unixSeconds(call.at),
  }
}

export function refusedCallDetailView(call: RefusedCall, tally: RefusalTally): RefusedCallDetailView {
  return { ...refusedCallView(call), key_refusals: keyRefusalsView(tally) }
}

export function keyRefusalsView({ counts, kept }: RefusalTally): KeyRefusalsView {
  const days = Map.groupBy(counts, ({ day }) => day)
  return {
    last_seven_days: counts.reduce((sum, { refused }) => sum + refused, 0),
    kept,
    by_day: Array.from(days, ([day, ofDay]) => ({
      date: new Date(day * DAY_MS).toISOString().slice(0, 'yyyy-mm-dd'.length),
      by_code: Object.fromEntries(ofDay.map(({ code, refused }) => [code, refused])),
    })),
  }
}
