import { GatewayError, refuse } from '../core/error.ts'
import { formatUsd, nano, type Nano } from '../core/money.ts'
import {
  type CreditResult,
  ReportTooLarge,
  type Transfer,
  type UsageQuery as UsageFilters,
} from '../core/ports/books.ts'
import { unreachable } from '../core/assert.ts'
import { decodeInput, decodeQuery } from './decode.ts'
import type { OperationDeps } from './deps.ts'
import { checkedKey } from './once.ts'
import type { Operations } from './operations.ts'
import { PageQuery, pageRequest, readList } from './page.ts'
import { recording } from './recording.ts'
import { receiptDetailView, receiptView, requestsQuestion, RequestsQuery } from './receipt.ts'
import { refusedCallDetailView, refusedCallView } from './refusedCall.ts'
import { CreditBody, transferView } from './transfer.ts'
import { keyIdOf, requestIdOf, unknownId, workspaceIdOf } from './id.ts'
import { modelIdOf, refuseUnknownModel } from './knownModels.ts'
import { unsettledCall } from './unsettledCall.ts'
import { usageListView, UsageQuery, usageQuestion } from './usage.ts'

type BookOperations = Pick<
  Operations,
  'credit' | 'ledger' | 'usage' | 'requests' | 'failedRequests' | 'request'
>

export function bookOperations(deps: OperationDeps): BookOperations {
  const { store, ids, clock, models } = deps
  /** A filter that names nothing is a mistake: "no usage" would be a wrong answer to it. */
  async function checked<Question extends Filters>(question: Question): Promise<Question> {
    const { workspaceId, keyId, model } = question
    if (workspaceId !== undefined && !(await store.directory.workspace(workspaceIdOf(workspaceId)))) {
      throw unknownId('workspace', workspaceId)
    }
    if (keyId !== undefined && !(await store.directory.key(keyIdOf(keyId)))) throw unknownId('key', keyId)
    return model === undefined ? question : { ...question, model: modelIdOf(model, models()) }
  }

  return {
    async credit(workspaceId, body, act = {}) {
      const { amount_usd: amount, kind, note } = decodeInput(CreditBody, body)
      const id = ids.transfer()
      const { record, done } = recording<Transfer>(act, deps, (transfer) => {
        const after = transferView(transfer)
        const before = { balance_usd: formatUsd(balanceBefore(transfer)) }
        return {
          action: 'workspace.credit',
          workspaceId: transfer.workspaceId,
          subject: transfer.id,
          before,
          after,
        }
      })
      const result = await store.books.credit({
        id,
        workspaceId: workspaceIdOf(workspaceId),
        kind: amount < 0n ? 'adjust' : (kind ?? 'topup'),
        amount: amount < 0n ? nano(0n - amount) : amount,
        note: note ?? null,
        at: clock(),
        idempotencyKey: checkedKey(act) ?? null,
        record,
      })
      const transfer = transferOf(result, workspaceId)
      // Else it is the transfer of an earlier time, which had its entry then.
      if (transfer.id === id) done()
      return transferView(transfer)
    },

    async ledger(workspaceId, query) {
      const page = pageRequest(decodeQuery(PageQuery, query))
      const id = workspaceIdOf(workspaceId)
      if (!(await store.directory.workspace(id))) throw unknownId('workspace', workspaceId)
      return readList(store.books.ledger(id, page), transferView)
    },

    async usage(query) {
      const question = await checked(usageQuestion(decodeQuery(UsageQuery, query)))
      const groups = await narrowed(store.books.usage(question))
      if (groups.length === 0) refuseUnknownModel(question.model, models())
      return usageListView(groups, question.groupBy)
    },

    async requests(query) {
      const question = await checked(requestsQuestion(decodeQuery(RequestsQuery, query)))
      const list = await readList(narrowed(store.books.requests(question)), receiptView)
      if (list.data.length === 0) refuseUnknownModel(question.model, models())
      return list
    },

    async failedRequests(query) {
      const question = await checked(requestsQuestion(decodeQuery(RequestsQuery, query)))
      const { model } = question
      const named = models().find(({ id }) => id === model)?.aliases ?? []
      const asked = model === undefined ? question : { ...question, modelNames: [model, ...named] }
      const list = await readList(narrowed(store.books.failedRequests(asked)), (failed) =>
        failed.kind === 'receipt' ? receiptView(failed.receipt) : refusedCallView(failed.call),
      )
      if (list.data.length === 0) refuseUnknownModel(model, models())
      return list
    },

    async request(id) {
      const { books, refusals } = store
      const receipt = await books.receipt(requestIdOf(id))
      if (receipt) return receiptDetailView(receipt, await books.transfersOf(receipt.id))
      const refused = await refusals.find(requestIdOf(id))
      if (!refused) {
        const transfers = await books.transfersOf(requestIdOf(id))
        throw transfers.length === 0 ? unknownId('request', id) : unsettledCall(id, transfers)
      }
      return refusedCallDetailView(refused, await refusals.tally(refused.keyId, clock()))
    },
  }
}

/** Says how to narrow a report down that is too large. */
async function narrowed<Report>(report: Promise<Report>): Promise<Report> {
  try {
    return await report
  } catch (error) {
    if (!(error instanceof ReportTooLarge)) throw error
    const message =
      'from: there are too many requests for one report. Narrow it down by a later `from`, an earlier `to`, a workspace or a key.'
    throw new GatewayError(refuse('invalid_request', message, { param: 'from' }), { cause: error })
  }
}

function balanceBefore({ kind, amount, balance }: Transfer): Nano {
  return nano(kind === 'adjust' ? balance + amount : balance - amount)
}

type Filters = Pick<UsageFilters, 'workspaceId' | 'keyId' | 'model'>

function transferOf(result: CreditResult, workspaceId: string): Transfer {
  switch (result.kind) {
    case 'done':
      return result.transfer
    case 'no_workspace':
      throw unknownId('workspace', workspaceId)
    case 'insufficient': {
      const message = `Only ${formatUsd(result.available)} USD can be taken: a balance never goes below zero, and open holds stay covered.`
      throw new GatewayError(refuse('insufficient_balance', message, { param: 'amount_usd' }))
    }
    case 'too_large':
      throw new GatewayError(
        refuse('invalid_request', 'amount_usd: the balance would be larger than can be kept.', {
          param: 'amount_usd',
        }),
      )
    case 'conflict':
      throw new GatewayError(
        refuse('idempotency_conflict', 'This Idempotency-Key was used for another credit.', {
          param: 'Idempotency-Key',
        }),
      )
    default:
      return unreachable(result)
  }
}
