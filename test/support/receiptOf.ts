import type { Operations } from '../../src/operations/operations.ts'
import type { ReceiptDetailView } from '../../src/operations/receipt.ts'

/** The receipt of a call that owned a hold. Throws for one that was refused. */
export async function receiptOf(operations: Operations, id: string): Promise<ReceiptDetailView> {
  const found = await operations.request(id)
  if (found.kind !== 'receipt') throw new Error(`${id} was refused: ${found.message}`)
  return found
}
