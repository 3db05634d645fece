import { printable } from '../../core/printable.ts'
import type { ReceiptDetailView } from '../../operations/receipt.ts'
import { details, table } from '../table.ts'

/** A receipt in tables, and in sentences why attempts failed. */
export function receiptText(view: ReceiptDetailView): string {
  const head = details([
    ['id', view.id],
    ['workspace', view.workspace_id],
    ['key', view.key_id],
    [
      'model',
      view.model === view.requested_model ? view.model : `${view.model} (asked for ${view.requested_model})`,
    ],
    ['provider', view.provider === null ? null : `${view.provider}/${view.upstream_model}`],
    ['status', view.status],
    ['ending', view.ending],
    ['usage', view.usage.source],
    ['started', view.timings.started_at],
    ['first event', view.timings.first_event_ms === null ? null : `${view.timings.first_event_ms} ms`],
    ['duration', `${view.timings.duration_ms} ms`],
    ['hold', `${view.hold_usd} USD`],
    ['charge', `${view.charge_usd} USD`],
    ['written off', `${view.writeoff_usd} USD`],
  ])
  const lines = table(
    view.lines,
    [
      { title: 'TOKENS OF', cell: (line) => line.class },
      { title: 'COUNT', cell: (line) => line.tokens, right: true },
      { title: 'USD PER 1M', cell: (line) => line.unit_price_usd, right: true },
      { title: 'AMOUNT USD', cell: (line) => line.amount_usd, right: true },
    ],
    'Nothing was charged.',
  )
  const attempts = table(
    view.attempts,
    [
      { title: 'ATTEMPT', cell: (attempt) => `${attempt.provider}/${attempt.upstream_model}` },
      { title: 'OUTCOME', cell: (attempt) => attempt.outcome },
      { title: 'STATUS', cell: (attempt) => attempt.status, right: true },
      { title: 'AFTER MS', cell: (attempt) => attempt.started_ms, right: true },
      { title: 'TOOK MS', cell: (attempt) => attempt.duration_ms, right: true },
    ],
    whyNone(view),
  )
  return `${head}\n${lines}\n${attempts}${reasons(view)}`
}

/** Why there was no attempt. The gateway looks for a ready target first, and the receipt has only the outcome of that. */
function whyNone({ ending, status }: ReceiptDetailView): string {
  const none = 'No provider was called'
  if (ending !== 'refused') return `${none}.`
  switch (status) {
    case 400:
      return `${none}: none of them can do what the request asks for.`
    case 502:
      return `${none}: each had rejected the gateway's key, or had no credit left. The log says which; "tollgate providers test" tries them.`
    case 503:
      return `${none}: each was paused after failures or rate limits. The log says which, and why.`
    default:
      return `${none}.`
  }
}

/** Why each attempt that did not answer failed, in the order of the table above it. */
function reasons({ attempts }: ReceiptDetailView): string {
  const failed = attempts.filter(({ reason }) => reason !== null)
  if (failed.length === 0) return ''
  const lines = failed.map(
    ({ provider, upstream_model: model, reason }) => `${printable(`${provider}/${model}: ${reason}`)}\n`,
  )
  return `\n${lines.join('')}`
}
