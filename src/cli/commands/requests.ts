import type { CallDetailView, CallView } from '../../operations/call.ts'
import type { ReceiptView } from '../../operations/receipt.ts'
import { type Command, FILTER_OPTIONS, PAGE_OPTIONS, REMOTE_OPTIONS } from '../command.ts'
import { showList } from '../pages.ts'
import { moment, table } from '../table.ts'
import { receiptText } from './receiptText.ts'
import { refusedCallText } from './refusedCallText.ts'

const list: Command = {
  name: 'request list',
  summary: 'list requests, newest first',
  positionals: [],
  options: {
    failed: { help: 'only requests that failed, including refused ones' },
    ...FILTER_OPTIONS,
    ...PAGE_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    'tollgate request list --workspace ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG',
    'tollgate request list --failed --key key_01K8XJ5M7QZ3V9T4B6N2C1D0FG --from 2026-11-20',
  ],
  run: (context) => {
    const filters = {
      workspace_id: context.value('workspace'),
      key_id: context.value('key'),
      model: context.value('model'),
      from: context.value('from'),
      to: context.value('to'),
    }
    return context.withOperations((operations) =>
      context.isOn('failed')
        ? showList(context, (query) => operations.failedRequests(query), failedTable, filters)
        : showList(context, (query) => operations.requests(query), requestTable, filters),
    )
  },
}

const show: Command = {
  name: 'request show',
  summary: 'show the receipt of a request, or why it was refused',
  positionals: [
    { name: 'request', required: true, help: 'id of the request (chatcmpl-… or req_…): its X-Request-ID' },
  ],
  options: REMOTE_OPTIONS,
  examples: ['tollgate request show chatcmpl-01K8XJ5M7QZ3V9T4B6N2C1D0FG'],
  run: async (context) => {
    const id = context.required('request')
    context.show(await context.withOperations((operations) => operations.request(id)), callText)
    return 0
  },
}

export const requestCommands = [list, show]

function callText(call: CallDetailView): string {
  return call.kind === 'receipt' ? receiptText(call) : refusedCallText(call)
}

function requestTable(rows: readonly ReceiptView[]): string {
  return table(
    rows,
    [
      { title: 'ID', cell: (row) => row.id },
      { title: 'CREATED', cell: (row) => moment(row.created) },
      { title: 'MODEL', cell: (row) => row.model },
      { title: 'STATUS', cell: (row) => row.status, right: true },
      { title: 'ENDING', cell: (row) => row.ending },
      { title: 'TOKENS', cell: (row) => row.usage.total_tokens, right: true },
      { title: 'CHARGE USD', cell: (row) => row.charge_usd, right: true },
      { title: 'MS', cell: (row) => row.timings.duration_ms, right: true },
    ],
    'No requests yet.',
  )
}

function failedTable(rows: readonly CallView[]): string {
  return table(
    rows,
    [
      { title: 'ID', cell: (row) => row.id },
      { title: 'CREATED', cell: (row) => moment(row.created) },
      { title: 'KEY', cell: (row) => row.key_id },
      { title: 'MODEL', cell: (row) => row.model },
      { title: 'STATUS', cell: (row) => row.status, right: true },
      { title: 'WHY', cell: (row) => (row.kind === 'receipt' ? row.ending : row.code) },
    ],
    'No requests failed.',
  )
}
