import { GatewayError, refuse } from '../core/error.ts'
import { addNano, formatUsd, ZERO } from '../core/money.ts'
import type { Transfer } from '../core/ports/books.ts'
import { printableStart } from '../core/printable.ts'
import { SHOWN_LENGTH_MAX } from './id.ts'

/**
 * The refusal of a call that has transfers and no receipt: it was admitted, and not settled. Model, attempts and ending
 * were in the memory of its process, so nothing of them is known.
 *
 * @param transfers oldest first, at least one
 */
export function unsettledCall(id: string, transfers: readonly Transfer[]): GatewayError {
  const shown = printableStart(id, SHOWN_LENGTH_MAX)
  // A settlement writes the receipt with its release: without a receipt, it is that of a lease which ran out.
  const release = transfers.find(({ kind }) => kind === 'release')
  return new GatewayError(
    refuse('not_found', release ? endedUnsettled(shown, release) : notSettledYet(shown, transfers)),
  )
}

function endedUnsettled(id: string, { amount, workspaceId, createdAt }: Transfer): string {
  const hold = `${formatUsd(amount)} USD of workspace ${workspaceId}`
  return `There is no receipt of the request "${id}": its process ended, or lost its database, before the call was settled. Its hold of ${hold} was released at ${new Date(createdAt).toISOString()}, and it cost nothing.`
}

function notSettledYet(id: string, transfers: readonly Transfer[]): string {
  const held = transfers
    .filter(({ kind }) => kind === 'hold' || kind === 'extend')
    .reduce((sum, { amount }) => addNano(sum, amount), ZERO)
  return `There is no receipt of the request "${id}" yet: it holds ${formatUsd(held)} USD of workspace ${transfers[0]?.workspaceId}. The call is under way, or its process has ended: then the hold is released within 45 seconds, and it costs nothing.`
}
