import { AUDIT_ACTIONS } from '../../core/ports/audit.ts'
import type { AuditEntryView } from '../../operations/audit.ts'
import { type Command, FILTER_OPTIONS, PAGE_OPTIONS, REMOTE_OPTIONS } from '../command.ts'
import { showList } from '../pages.ts'
import { amount, details, moment, table } from '../table.ts'
import { UsageError } from '../usageError.ts'

/** Characters of the changes that a line of the list shows. */
const CHANGES_LENGTH_MAX = 80

const FILTERS = {
  from: 'from',
  to: 'to',
  workspace: 'workspace_id',
  subject: 'subject',
  actor: 'actor',
  action: 'action',
} as const

const audit: Command = {
  name: 'audit',
  summary: 'list who changed what, newest first, or show one entry whole',
  positionals: [{ name: 'entry', required: false, help: 'id of an entry (audit_…): show it whole' }],
  options: {
    from: FILTER_OPTIONS.from,
    to: FILTER_OPTIONS.to,
    workspace: FILTER_OPTIONS.workspace,
    subject: { value: 'ID', help: 'only changes of this key, workspace, transfer or admin token' },
    actor: {
      value: 'NAME',
      help: 'only of this admin token or person, or "configuration", "gateway" or "unknown"',
    },
    action: { value: 'ACTION', help: `only these: ${AUDIT_ACTIONS.join(', ')}` },
    ...PAGE_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  notes:
    'Every change by the admin API or the command line is kept for ever, wrong admin tokens for 30 days. Secrets are never in it.',
  examples: [
    'tollgate audit --workspace ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG --action workspace.credit',
    'tollgate audit --action token.refuse --from 2026-11-20',
    'tollgate audit audit_01K8XJ5M7QZ3V9T4B6N2C1D0FG',
  ],
  run: (context) => {
    const given = Object.entries(FILTERS).map(([option, field]) => [field, context.value(option)] as const)
    const id = context.value('entry')
    return context.withOperations(async (operations) => {
      if (id === undefined) {
        const filters = Object.fromEntries(given)
        return showList(context, (query) => operations.audit(query), auditTable, filters)
      }
      if (given.some(([, value]) => value !== undefined))
        throw new UsageError('audit shows one entry, or those that match the options: give one of them')
      context.show(await operations.auditEntry(id), auditText)
      return 0
    })
  },
}

export const auditCommands = [audit]

function auditTable(rows: readonly AuditEntryView[]): string {
  return table(
    rows,
    [
      { title: 'ID', cell: (row) => row.id },
      { title: 'CREATED', cell: (row) => moment(row.created) },
      { title: 'WHO', cell: who },
      { title: 'FROM', cell: (row) => row.address },
      { title: 'ACTION', cell: (row) => row.action },
      { title: 'SUBJECT', cell: (row) => row.subject },
      { title: 'CHANGES', cell: (row) => cut(what(row)) },
    ],
    'Nothing was changed.',
  )
}

function auditText(view: AuditEntryView): string {
  const head = details([
    ['id', view.id],
    ['created', moment(view.created)],
    ['who', who(view)],
    ['from', view.address],
    ['action', view.action],
    ['workspace', view.workspace_id],
    ['subject', view.subject],
    ['request', view.request_id],
    ...(view.action === 'token.refuse'
      ? ([
          ['wrong tokens', view.count],
          ['the last', moment(view.last_at)],
        ] as const)
      : []),
  ])
  const rows = Object.entries(view.changes).map(([field, change]) => ({ field, ...change }))
  if (rows.length === 0) return head
  const changes = table(
    rows,
    [
      { title: 'FIELD', cell: ({ field }) => field },
      { title: 'BEFORE', cell: ({ before }) => valueText(before) },
      { title: 'AFTER', cell: ({ after }) => valueText(after) },
    ],
    '',
  )
  return `${head}\n${changes}`
}

function who({ actor }: AuditEntryView): string {
  switch (actor.kind) {
    case 'token':
      return `${actor.name ?? ''} (token)`
    case 'command_line':
      return `${actor.name ?? ''} (command line)`
    default:
      return actor.kind
  }
}

function what({ action, count, changes }: AuditEntryView): string {
  if (action === 'token.refuse') return amount(count, 'wrong token')
  return Object.entries(changes)
    .map(([field, { before, after }]) =>
      before === null
        ? `${field}: ${valueText(after)}`
        : `${field}: ${valueText(before)} → ${valueText(after)}`,
    )
    .join(', ')
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function cut(text: string): string {
  return text.length > CHANGES_LENGTH_MAX ? `${text.slice(0, CHANGES_LENGTH_MAX)}…` : text
}
