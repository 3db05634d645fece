import { ACTOR_KINDS, AUDIT_ACTIONS } from '../../core/ports/audit.ts'
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
  'actor-kind': 'actor_kind',
  action: 'action',
} as const

const audit: Command = {
  name: 'audit',
  summary: 'list who changed what, newest first, or show one entry',
  positionals: [{ name: 'entry', required: false, help: 'id of an entry (audit_…): show all of it' }],
  options: {
    from: FILTER_OPTIONS.from,
    to: FILTER_OPTIONS.to,
    workspace: FILTER_OPTIONS.workspace,
    subject: {
      value: 'ID',
      help: 'only changes of this workspace (ws_…), key (key_…) or admin token (token_…), or this credit (its transfer, tr_…)',
    },
    actor: {
      value: 'NAME',
      help: 'only of this admin token (name or id) or person, or "configuration", "gateway" or "unknown"',
    },
    'actor-kind': {
      value: 'KIND',
      help: `only of this kind, for when a person and a token have the same name: ${ACTOR_KINDS.join(', ')}`,
    },
    action: { value: 'ACTION', help: `only this one: ${AUDIT_ACTIONS.join(', ')}` },
    ...PAGE_OPTIONS,
    ...REMOTE_OPTIONS,
  },
  notes:
    'Changes by the admin API and the command line are kept without a limit in time, wrong admin tokens for 30 days. The log never contains secrets.',
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
        const none = given.some(([, value]) => value !== undefined) ? NONE_MATCHES : NONE
        return showList(
          context,
          (query) => operations.audit(query),
          (rows) => auditTable(rows, none),
          filters,
        )
      }
      if (given.some(([, value]) => value !== undefined))
        throw new UsageError('audit takes an id or options, not both')
      context.show(await operations.auditEntry(id), auditText)
      return 0
    })
  },
}

export const auditCommands = [audit]

const NONE = 'Nothing was changed yet.'
const NONE_MATCHES = 'No entry matches.'

function auditTable(rows: readonly AuditEntryView[], none: string): string {
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
    none,
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
          [view.subject === null ? 'wrong tokens' : 'uses when revoked', view.count],
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

function what({ action, subject, count, changes }: AuditEntryView): string {
  if (action === 'token.refuse')
    return subject === null ? amount(count, 'wrong token') : `used ${times(count)} after it was revoked`
  return Object.entries(changes)
    .map(([field, { before, after }]) =>
      before === null
        ? `${field}: ${valueText(after)}`
        : `${field}: ${valueText(before)} → ${valueText(after)}`,
    )
    .join(', ')
}

function times(count: number): string {
  return count === 1 ? 'once' : `${count} times`
}

function valueText(value: unknown): string {
  if (value === null || value === undefined) return 'none'
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function cut(text: string): string {
  return text.length > CHANGES_LENGTH_MAX ? `${text.slice(0, CHANGES_LENGTH_MAX)}…` : text
}
