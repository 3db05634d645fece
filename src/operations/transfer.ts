import { z } from 'zod'
import { formatUsd } from '../core/money.ts'
import type { Transfer } from '../core/ports/books.ts'
import { noteField, unixSeconds, usdField } from './field.ts'

export const CreditBody = z
  .strictObject({
    amount_usd: usdField
      .refine((amount) => amount !== 0n, 'must not be zero')
      .meta({
        description: 'A negative amount is an adjustment: it takes from the balance.',
        example: '25.00',
      }),
    kind: z
      .enum(['topup', 'refund'])
      .optional()
      .meta({ description: 'What a positive amount is booked as. Default `topup`.' }),
    note: noteField.optional(),
  })
  .refine((body) => body.kind === undefined || body.amount_usd > 0n, {
    path: ['kind'],
    message: 'is allowed with a positive amount only; a negative amount is always an adjustment',
  })
  .meta({ id: 'Credit', example: { amount_usd: '25.00', note: 'invoice 1042' } })

const TRANSFER_KINDS = [
  'topup',
  'hold',
  'extend',
  'charge',
  'release',
  'refund',
  'adjust',
  'writeoff',
] as const

export const TransferView = z
  .object({
    id: z.string().meta({ example: 'tr_01K8XJ5M7QZ3V9T4B6N2C1D0FG' }),
    kind: z.enum(TRANSFER_KINDS).meta({
      description:
        '`topup` and `refund` add to the balance, `charge` and `adjust` take from it, the rest leave it.',
    }),
    amount_usd: z.string().meta({ description: 'Unsigned: `kind` gives the direction.', example: '0.00042' }),
    balance_usd: z.string().meta({ description: 'The balance after it.', example: '24.99958' }),
    request_id: z.string().nullable().meta({ description: 'The call that it belongs to; null: none.' }),
    note: z.string().nullable().meta({ description: 'What the operator wrote.' }),
    created: z.int().meta({ description: 'Unix seconds.' }),
  })
  .meta({ id: 'Transfer' })

export type TransferView = z.output<typeof TransferView>

export function transferView(transfer: Transfer): TransferView {
  return {
    id: transfer.id,
    kind: transfer.kind,
    amount_usd: formatUsd(transfer.amount),
    balance_usd: formatUsd(transfer.balance),
    request_id: transfer.requestId,
    note: transfer.note,
    created: unixSeconds(transfer.createdAt),
  }
}
