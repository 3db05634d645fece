import type { WorkspaceView } from '../../operations/workspace.ts'
import { DEFAULT_REQUESTS_PER_MINUTE } from '../../core/limit.ts'
import { bodyOf, changesOf, count, modelList, onOrOff, text } from '../body.ts'
import { type Command, IDEMPOTENCY_OPTION, PAGE_OPTIONS, REMOTE_OPTIONS } from '../command.ts'
import { showList } from '../pages.ts'
import { details, moment, table } from '../table.ts'

const SETTINGS = {
  type: {
    value: 'TYPE',
    help: `personal (${DEFAULT_REQUESTS_PER_MINUTE.personal} requests per minute) or organization (${DEFAULT_REQUESTS_PER_MINUTE.organization})`,
  },
  'requests-per-minute': { value: 'N', help: 'overrides the type; "none": as the type says' },
  models: { value: 'IDS', help: 'models it may use, with commas between; "all": every model' },
  'keep-responses': {
    value: 'on|off',
    help: 'keep input and output of Responses for its callers, as long as the configuration says',
  },
}

const FIELDS = [
  { option: 'name', read: text },
  { option: 'type', read: text },
  { option: 'requests-per-minute', read: count },
  { option: 'models', read: modelList },
  { option: 'keep-responses', read: onOrOff },
]

const workspace = { name: 'workspace', required: true, help: 'id of the workspace (ws_…)' }

const create: Command = {
  name: 'workspace create',
  summary: 'create a workspace',
  positionals: [{ name: 'name', required: true, help: 'what people call it' }],
  options: {
    ...SETTINGS,
    type: { ...SETTINGS.type, help: `${SETTINGS.type.help} (default personal)` },
    ...IDEMPOTENCY_OPTION,
    ...REMOTE_OPTIONS,
  },
  examples: [
    'tollgate workspace create "Team Blue" --type organization',
    'tollgate workspace create me --json',
  ],
  changes: true,
  run: async (context) => {
    const body = { type: 'personal', ...bodyOf(context, FIELDS) }
    context.show(
      await context.withOperations((operations) => operations.createWorkspace(body, context.act)),
      workspaceDetails,
    )
    return 0
  },
}

const list: Command = {
  name: 'workspace list',
  summary: 'list workspaces, newest first',
  positionals: [],
  options: { ...PAGE_OPTIONS, ...REMOTE_OPTIONS },
  examples: ['tollgate workspace list --all'],
  run: (context) =>
    context.withOperations((operations) =>
      showList(context, (query) => operations.workspaces(query), workspaceTable),
    ),
}

const show: Command = {
  name: 'workspace show',
  summary: 'show a workspace and its balance',
  positionals: [workspace],
  options: REMOTE_OPTIONS,
  examples: ['tollgate workspace show ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG'],
  run: async (context) => {
    const id = context.required('workspace')
    context.show(await context.withOperations((operations) => operations.workspace(id)), workspaceDetails)
    return 0
  },
}

const update: Command = {
  name: 'workspace update',
  summary: 'change a workspace',
  positionals: [workspace],
  options: { name: { value: 'NAME', help: 'what people call it' }, ...SETTINGS, ...REMOTE_OPTIONS },
  notes: 'Settings that are not given stay as they are.',
  examples: ['tollgate workspace update ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG --requests-per-minute 300'],
  changes: true,
  run: async (context) => {
    const id = context.required('workspace')
    const body = changesOf('workspace update', context, FIELDS)
    context.show(
      await context.withOperations((operations) => operations.updateWorkspace(id, body, context.act)),
      workspaceDetails,
    )
    return 0
  },
}

export const workspaceCommands = [create, list, show, update]

function workspaceDetails(view: WorkspaceView): string {
  return details([
    ['id', view.id],
    ['name', view.name],
    ['type', view.type],
    [
      'requests per minute',
      view.requests_per_minute ?? `${DEFAULT_REQUESTS_PER_MINUTE[view.type]} (as ${view.type})`,
    ],
    ['models', view.models?.join(', ') ?? 'all'],
    ['responses kept', view.keep_responses ? 'yes, as the configuration says' : 'no'],
    ['balance', `${view.balance_usd} USD`],
    ['held', `${view.held_usd} USD`],
    ['created', moment(view.created)],
  ])
}

function workspaceTable(rows: readonly WorkspaceView[]): string {
  return table(
    rows,
    [
      { title: 'ID', cell: (row) => row.id },
      { title: 'NAME', cell: (row) => row.name },
      { title: 'TYPE', cell: (row) => row.type },
      { title: 'BALANCE USD', cell: (row) => row.balance_usd, right: true },
      { title: 'HELD USD', cell: (row) => row.held_usd, right: true },
      { title: 'CREATED', cell: (row) => moment(row.created) },
    ],
    'No workspaces yet. Create one: tollgate workspace create NAME',
  )
}
