import { z } from 'zod'
import { ReceiptDetailView, ReceiptView } from './receipt.ts'
import { RefusedCallDetailView, RefusedCallView } from './refusedCall.ts'

/** A call of a list: what it cost, or why it was refused. */
export const CallView = z.discriminatedUnion('kind', [ReceiptView, RefusedCallView])
export type CallView = z.output<typeof CallView>

export const CallDetailView = z.discriminatedUnion('kind', [ReceiptDetailView, RefusedCallDetailView])
export type CallDetailView = z.output<typeof CallDetailView>
