import type { AdminTokenView } from '../../operations/adminToken.ts'
import { type Command, PAGE_OPTIONS, REMOTE_OPTIONS, SECRET_IDEMPOTENCY_OPTION } from '../command.ts'
import { showList } from '../pages.ts'
import { printable } from '../../core/printable.ts'
import { details, moment, table } from '../table.ts'

const create: Command = {
  name: 'token create',
  summary: 'create an admin token and show it once',
  positionals: [
    { name: 'name', required: true, help: 'name of who or what uses it; the audit log shows this name' },
  ],
  options: { ...SECRET_IDEMPOTENCY_OPTION, ...REMOTE_OPTIONS },
  notes:
    'An admin token opens the admin API, with all that it can do. To change one without an outage: create the next one, hand it out, see in "tollgate token list" that the old one is no longer used, and revoke it.',
  examples: ['tollgate token create ci', 'tollgate token create ci --json | jq -r .token'],
  changes: true,
  run: async (context) => {
    const created = await context.withOperations((operations) =>
      operations.createAdminToken({ name: context.required('name') }, context.act),
    )
    context.show(
      created,
      (view) => `${tokenDetails(view)}\nAdmin token (shown this once): ${printable(view.token)}\n`,
    )
    return 0
  },
}

const list: Command = {
  name: 'token list',
  summary: 'list the admin tokens and their last use, newest first',
  positionals: [],
  options: { ...PAGE_OPTIONS, ...REMOTE_OPTIONS },
  notes: 'The token of the configuration (TOLLGATE_ADMIN_TOKEN, server.admin_token) is not in the list.',
  examples: ['tollgate token list'],
  run: (context) =>
    context.withOperations((operations) =>
      showList(context, (query) => operations.adminTokens(query), tokenTable),
    ),
}

const revoke: Command = {
  name: 'token revoke',
  summary: 'revoke an admin token: it stops working everywhere immediately',
  positionals: [{ name: 'token', required: true, help: 'id of the admin token (token_…)' }],
  options: REMOTE_OPTIONS,
  examples: ['tollgate token revoke token_01K8XJ5M7QZ3V9T4B6N2C1D0FG'],
  changes: true,
  run: async (context) => {
    const revoked = await context.withOperations((operations) =>
      operations.revokeAdminToken(context.required('token'), context.act),
    )
    context.show(revoked, ({ id, name }) => `The admin token ${id} (${printable(name)}) is revoked.\n`)
    return 0
  },
}

export const tokenCommands = [create, list, revoke]

function tokenDetails(view: AdminTokenView): string {
  return details([
    ['id', view.id],
    ['name', view.name],
    ['hint', view.hint],
    ['status', view.status],
    ['created', moment(view.created)],
  ])
}

function tokenTable(rows: readonly AdminTokenView[]): string {
  return table(
    rows,
    [
      { title: 'ID', cell: (row) => row.id },
      { title: 'NAME', cell: (row) => row.name },
      { title: 'HINT', cell: (row) => row.hint },
      { title: 'STATUS', cell: (row) => row.status },
      { title: 'CREATED', cell: (row) => moment(row.created) },
      { title: 'LAST USED', cell: (row) => moment(row.last_used_at) },
      { title: 'FROM', cell: (row) => row.last_used_from },
    ],
    'No admin tokens yet. Create one: tollgate token create NAME',
  )
}
