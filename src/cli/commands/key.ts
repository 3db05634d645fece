import { printable, printableStart } from '../../core/printable.ts'
import type { KeyView } from '../../operations/key.ts'
import { bodyOf, changesOf, count, modelList, orNone, text } from '../body.ts'
import { type Command, PAGE_OPTIONS, REMOTE_OPTIONS, SECRET_IDEMPOTENCY_OPTION } from '../command.ts'
import { showList } from '../pages.ts'
import { details, moment, table } from '../table.ts'
import { UsageError } from '../usageError.ts'

const LIMITS = {
  'requests-per-minute': {
    value: 'N',
    help: 'limit of this key, beside its workspace\'s; "none": only its workspace\'s',
  },
  'requests-per-day': { value: 'N', help: 'limit per UTC day, or "none"' },
  'monthly-spend-usd': { value: 'AMOUNT', help: 'hard limit per UTC month in US dollars, or "none"' },
  'concurrent-requests': { value: 'N', help: 'calls open at the same time, or "none"' },
  models: { value: 'IDS', help: 'models it may use, with commas between; "all": all of its workspace' },
  'expires-at': { value: 'TIME', help: 'ISO 8601 or Unix seconds, or "none"' },
}

const FIELDS = [
  { option: 'name', read: text },
  { option: 'requests-per-minute', read: count },
  { option: 'requests-per-day', read: count },
  { option: 'monthly-spend-usd', read: orNone },
  { option: 'concurrent-requests', read: count },
  { option: 'models', read: modelList },
  { option: 'expires-at', read: orNone },
]

const workspace = { name: 'workspace', required: true, help: 'id of the workspace (ws_…)' }
const key = { name: 'key', required: true, help: 'id of the key (key_…)' }

const create: Command = {
  name: 'key create',
  summary: 'create a key and show its secret once',
  positionals: [workspace, { name: 'name', required: false, help: 'name of the key (default "default")' }],
  options: { ...LIMITS, ...SECRET_IDEMPOTENCY_OPTION, ...REMOTE_OPTIONS },
  examples: [
    'tollgate key create ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG "build server" --monthly-spend-usd 20',
    'tollgate key create ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG --json | jq -r .key',
  ],
  changes: true,
  run: async (context) => {
    const body = { name: 'default', ...bodyOf(context, FIELDS) }
    const created = await context.withOperations((operations) =>
      operations.createKey(context.required('workspace'), body, context.act),
    )
    context.show(created, (view) => `${keyDetails(view)}\n${secret(view.key)}`)
    return 0
  },
}

const list: Command = {
  name: 'key list',
  summary: 'list the keys of a workspace, newest first',
  positionals: [workspace],
  options: { ...PAGE_OPTIONS, ...REMOTE_OPTIONS },
  examples: ['tollgate key list ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG'],
  run: (context) =>
    context.withOperations((operations) =>
      showList(context, (query) => operations.keys(context.required('workspace'), query), keyTable),
    ),
}

const show: Command = {
  name: 'key show',
  summary: 'show a key and what it has used of its limits',
  positionals: [key],
  options: REMOTE_OPTIONS,
  examples: ['tollgate key show key_01K8XJ5M7QZ3V9T4B6N2C1D0FG'],
  run: async (context) => {
    const shown = await context.withOperations((operations) => operations.key(context.required('key')))
    context.show(
      shown,
      (view) =>
        keyDetails(view) +
        details([
          ['this minute', `${view.used.requests_this_minute} requests`],
          ['today', `${view.used.requests_today} requests`],
          [
            'this month',
            `${view.used.spent_this_month_usd} USD spent, ${view.used.held_this_month_usd} USD held`,
          ],
          ['open calls', view.used.open_calls],
          [
            'refused calls',
            `${view.refusals.last_seven_days} in seven days, ${view.refusals.kept} kept: tollgate request list --failed --key ${view.id}`,
          ],
        ]),
    )
    return 0
  },
}

const update: Command = {
  name: 'key update',
  summary: 'change a key',
  positionals: [key],
  options: { name: { value: 'NAME', help: 'what people call it' }, ...LIMITS, ...REMOTE_OPTIONS },
  notes: 'Settings that are not given stay as they are.',
  examples: ['tollgate key update key_01K8XJ5M7QZ3V9T4B6N2C1D0FG --requests-per-day 1000 --models all'],
  changes: true,
  run: async (context) => {
    const body = changesOf('key update', context, FIELDS)
    const changed = await context.withOperations((operations) =>
      operations.updateKey(context.required('key'), body, context.act),
    )
    context.show(changed, keyDetails)
    return 0
  },
}

const rotate: Command = {
  name: 'key rotate',
  summary: 'replace a key by a new one with the same limits',
  positionals: [key],
  options: {
    'overlap-seconds': { value: 'N', help: 'how long the old key still works (default 0)' },
    ...SECRET_IDEMPOTENCY_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: ['tollgate key rotate key_01K8XJ5M7QZ3V9T4B6N2C1D0FG --overlap-seconds 3600'],
  changes: true,
  run: async (context) => {
    const body = bodyOf(context, [{ option: 'overlap-seconds', read: seconds }])
    const rotated = await context.withOperations((operations) =>
      operations.rotateKey(context.required('key'), body, context.act),
    )
    context.show(rotated, ({ previous, ...view }) => {
      const end =
        previous.status === 'active' ? `works until ${moment(previous.expires_at)}` : `is ${previous.status}`
      return `${keyDetails(view)}\n${secret(view.key)}\nThe old key ${previous.id} ${end}.\n`
    })
    return 0
  },
}

const revoke: Command = {
  name: 'key revoke',
  summary: 'revoke a key: it stops working everywhere within a second',
  positionals: [key],
  options: REMOTE_OPTIONS,
  examples: ['tollgate key revoke key_01K8XJ5M7QZ3V9T4B6N2C1D0FG'],
  changes: true,
  run: async (context) => {
    const id = context.required('key')
    await context.withOperations((operations) => operations.revokeKey(id, context.act))
    context.show({ id, status: 'revoked' }, () => `The key ${id} is revoked.\n`)
    return 0
  },
}

export const keyCommands = [create, list, show, update, rotate, revoke]

function seconds(value: string, option: string): number {
  if (!/^\d+$/.test(value))
    throw new UsageError(`--${option} must be a whole number of seconds, not "${printableStart(value)}"`)
  return Number(value)
}

function secret(value: string): string {
  return `Secret (shown this once): ${printable(value)}\n`
}

function keyDetails(view: KeyView): string {
  return details([
    ['id', view.id],
    ['name', view.name],
    ['workspace', view.workspace_id],
    ['status', view.status],
    ['hint', view.hint],
    ['requests per minute', view.requests_per_minute],
    ['requests per day', view.requests_per_day],
    ['monthly spend', view.monthly_spend_usd === null ? null : `${view.monthly_spend_usd} USD`],
    ['concurrent requests', view.concurrent_requests],
    ['models', view.models?.join(', ') ?? "all of its workspace's"],
    ['expires', moment(view.expires_at)],
    ['revoked', moment(view.revoked_at)],
    ['replaced by', view.replaced_by],
    ['created', moment(view.created)],
  ])
}

function keyTable(rows: readonly KeyView[]): string {
  return table(
    rows,
    [
      { title: 'ID', cell: (row) => row.id },
      { title: 'NAME', cell: (row) => row.name },
      { title: 'HINT', cell: (row) => row.hint },
      { title: 'STATUS', cell: (row) => row.status },
      { title: 'PER MINUTE', cell: (row) => row.requests_per_minute, right: true },
      { title: 'PER DAY', cell: (row) => row.requests_per_day, right: true },
      { title: 'MONTHLY USD', cell: (row) => row.monthly_spend_usd, right: true },
      { title: 'CONCURRENT', cell: (row) => row.concurrent_requests, right: true },
      { title: 'EXPIRES', cell: (row) => moment(row.expires_at) },
    ],
    'No keys yet. Create one: tollgate key create WORKSPACE NAME',
  )
}
