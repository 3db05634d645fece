import { modelView, type ModelView } from '../../operations/model.ts'
import type { ReceiptDetailView, ReceiptView } from '../../operations/receipt.ts'
import { type Command, PAGE_OPTIONS, REMOTE_OPTIONS } from '../command.ts'
import { showList } from '../pages.ts'
import { details, moment, table } from '../table.ts'

const FILTERS = {
  workspace: { value: 'ID', help: 'only this workspace' },
  key: { value: 'ID', help: 'only this key' },
  model: { value: 'ID', help: 'only this model' },
}

const usage: Command = {
  name: 'usage',
  summary: 'sum up requests, tokens and charges',
  positionals: [],
  options: {
    'group-by': { value: 'WHAT', help: 'day, model, key or workspace (default day)' },
    from: { value: 'TIME', help: 'first moment, ISO 8601 or Unix seconds' },
    to: { value: 'TIME', help: 'the moment after the last' },
    ...FILTERS,
    ...REMOTE_OPTIONS,
  },
  examples: [
    'tollgate usage --group-by model --from 2026-11-01',
    'tollgate usage --workspace ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG',
  ],
  run: async (context) => {
    const query = {
      group_by: context.value('group-by'),
      from: context.value('from'),
      to: context.value('to'),
      workspace_id: context.value('workspace'),
      key_id: context.value('key'),
      model: context.value('model'),
    }
    const shown = await context.withOperations((operations) => operations.usage(query))
    context.show(shown, ({ data, total, group_by: groupBy }) =>
      table(
        data.length === 0 ? [] : [...data, { group: 'total', ...total }],
        [
          { title: groupBy.toUpperCase(), cell: (row) => row.group },
          { title: 'REQUESTS', cell: (row) => row.requests, right: true },
          { title: 'PROMPT TOKENS', cell: (row) => row.prompt_tokens, right: true },
          { title: 'COMPLETION TOKENS', cell: (row) => row.completion_tokens, right: true },
          { title: 'CHARGE USD', cell: (row) => row.charge_usd, right: true },
        ],
        'No usage in this time.',
      ),
    )
    return 0
  },
}

const models: Command = {
  name: 'models',
  summary: 'list the models and their prices per 1,000,000 tokens',
  positionals: [],
  options: REMOTE_OPTIONS,
  examples: ['tollgate models', 'tollgate models --json | jq -r ".data[].id"'],
  run: async (context) => {
    const at = context.deps.clock()
    const list =
      context.remoteUrl === undefined
        ? { data: context.models().map((model) => modelView(model, at)), next_cursor: null }
        : await context.withOperations((operations) => operations.models())
    context.show(list, ({ data }) => modelTable(data))
    return 0
  },
}

const requests: Command = {
  name: 'request list',
  summary: 'list requests, newest first',
  positionals: [],
  options: { ...FILTERS, ...PAGE_OPTIONS, ...REMOTE_OPTIONS },
  examples: ['tollgate request list --workspace ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG'],
  run: (context) => {
    const filters = {
      workspace_id: context.value('workspace'),
      key_id: context.value('key'),
      model: context.value('model'),
    }
    return context.withOperations((operations) =>
      showList(context, (query) => operations.requests(query), requestTable, filters),
    )
  },
}

const receipt: Command = {
  name: 'request show',
  summary: 'show the receipt of a request',
  positionals: [{ name: 'request', required: true, help: 'id of the request (chatcmpl-…)' }],
  options: REMOTE_OPTIONS,
  examples: ['tollgate request show chatcmpl-01K8XJ5M7QZ3V9T4B6N2C1D0FG'],
  run: async (context) => {
    const id = context.required('request')
    context.show(await context.withOperations((operations) => operations.receipt(id)), receiptText)
    return 0
  },
}

export const reportCommands = [usage, models, requests, receipt]

function modelTable(rows: readonly ModelView[]): string {
  return table(
    rows,
    [
      { title: 'ID', cell: (row) => row.id },
      { title: 'CONTEXT', cell: (row) => row.context_length, right: true },
      { title: 'INPUT USD', cell: (row) => row.our_price.input_usd, right: true },
      { title: 'OUTPUT USD', cell: (row) => row.our_price.output_usd, right: true },
      { title: 'STATUS', cell: (row) => row.status },
      {
        title: 'TARGETS',
        cell: (row) => row.targets.map((target) => `${target.provider}/${target.model}`).join(', '),
      },
    ],
    'No models are configured.',
  )
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

function receiptText(view: ReceiptDetailView): string {
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
    'No provider was called.',
  )
  return `${head}\n${lines}\n${attempts}`
}
