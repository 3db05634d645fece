import { z } from 'zod'
import { GatewayError, refuse } from '../../core/error.ts'
import { requestIdOf, unknownId } from '../../operations/id.ts'
import { ReceiptDetailView, receiptDetailView } from '../../operations/receipt.ts'
import { answers } from '../docs/errorSchema.ts'
import { counted } from './counted.ts'
import { RATE_HEADERS } from './headers.ts'

export const generation = counted({
  path: '/v1/generation',
  description: {
    operationId: 'get_own_generation',
    summary: 'Show the receipt of a completion',
    tag: 'Account',
    request: { query: z.object({ id: z.string().meta({ description: "The completion's id." }) }) },
    responses: answers(200, 'The receipt.', ReceiptDetailView, RATE_HEADERS),
    refusals: ['invalid_request', 'not_found'],
  },
  async describe({ caller, query, deps }) {
    const id = new URLSearchParams(query).get('id') ?? ''
    if (id === '') {
      const refusal = refuse('invalid_request', 'The query parameter "id" is missing.', { param: 'id' })
      throw new GatewayError(refusal)
    }
    const { books } = deps.store
    const receipt = await books.receipt(requestIdOf(id))
    // 404, not 403: a 403 would show that the call of another workspace exists.
    if (receipt?.workspaceId !== caller.workspace.id) throw unknownId('request', id)
    return receiptDetailView(receipt, await books.transfersOf(receipt.id))
  },
})
