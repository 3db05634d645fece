import { printableStart } from '../../core/printable.ts'
import type { BlockView } from '../../operations/block.ts'
import type { Operations } from '../../operations/operations.ts'
import type { ProviderView } from '../../operations/provider.ts'
import { type Command, IDEMPOTENCY_OPTION, RUNNING_OPTIONS } from '../command.ts'
import type { CommandContext } from '../commandContext.ts'
import { moment, table } from '../table.ts'
import { UsageError } from '../usageError.ts'

const EACH_PROCESS =
  'Each process of the gateway has its own memory of failures: ask each of them at its own address, not through a load balancer.'

const release: Command = {
  name: 'providers release',
  summary: 'use again what is blocked of a provider: circuits, cooling targets, parked keys',
  positionals: [{ name: 'provider', required: true, help: 'name of the provider in the configuration' }],
  options: {
    target: { value: 'MODEL', help: 'only what concerns this upstream model alone' },
    workspace: { value: 'ID', help: 'only what is blocked for this workspace alone' },
    ...IDEMPOTENCY_OPTION,
    ...RUNNING_OPTIONS,
  },
  notes: EACH_PROCESS,
  examples: [
    'tollgate providers release openai --url http://127.0.0.1:4100',
    'tollgate providers release openai --target gpt-5 --workspace ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG',
  ],
  changes: true,
  run: async (context) => {
    const provider = context.required('provider')
    const [target, workspace] = [context.value('target'), context.value('workspace')]
    const body = {
      ...(target !== undefined && { target }),
      ...(workspace !== undefined && { workspace_id: workspace }),
    }
    const view = await ofRunning(context, (operations) =>
      operations.releaseProvider(provider, body, context.act),
    )
    context.show(view, ({ released, released_not_shown: more }) => {
      if (released.length === 0) return `Nothing of ${provider} was blocked.\n`
      return `Used again:\n${blockTable(released)}${andMore(more)}`
    })
    return 0
  },
}

const list: Command = {
  name: 'providers',
  summary: 'show the providers, and what is not used: for whom, why and until when',
  positionals: [{ name: 'name', required: false, help: 'this provider only' }],
  options: RUNNING_OPTIONS,
  notes: EACH_PROCESS,
  examples: ['tollgate providers --url http://127.0.0.1:4100', 'tollgate providers openai --json'],
  run: async (context) => {
    const all = await ofRunning(context, (operations) => operations.providers())
    const name = context.value('name')
    const data = name === undefined ? all.data : all.data.filter(({ id }) => id === name)
    if (name !== undefined && data.length === 0) {
      const configured = all.data.map(({ id }) => id).join(', ')
      throw new UsageError(`there is no provider "${printableStart(name)}"; configured: ${configured}`)
    }
    context.show({ ...all, data }, () => providerTable(data) + data.map(blocksOf).join(''))
    return 0
  },
}

export const providerCommands = [release, list]

/** The memory of a gateway is reached through its admin API only. */
function ofRunning<Result>(
  context: CommandContext,
  work: (operations: Operations) => Promise<Result>,
): Promise<Result> {
  if (context.remoteUrl === undefined) {
    throw new UsageError(
      'this command asks the running gateway, because the database does not have what it shows: name the gateway with --url or TOLLGATE_URL, and give --admin-token or TOLLGATE_ADMIN_TOKEN',
    )
  }
  return context.withOperations(work)
}

interface Row {
  readonly provider: ProviderView
  /** Undefined: it serves no model. */
  readonly route: ProviderView['routes'][number] | undefined
}

function providerTable(providers: readonly ProviderView[]): string {
  const rows = providers.flatMap((provider): Row[] =>
    provider.routes.length === 0
      ? [{ provider, route: undefined }]
      : provider.routes.map((route) => ({ provider, route })),
  )
  return table(
    rows,
    [
      { title: 'PROVIDER', cell: ({ provider }) => provider.id },
      { title: 'STATUS', cell: ({ provider }) => provider.status },
      { title: 'TARGET', cell: ({ route }) => route?.upstream_model ?? null },
      { title: 'CIRCUIT', cell: ({ route }) => route?.circuit.replaceAll('_', ' ') ?? null },
      { title: 'CALLS', cell: ({ route }) => route?.requests ?? null, right: true },
      { title: 'FAILED', cell: ({ route }) => route?.failures ?? null, right: true },
      { title: 'LAST ERROR', cell: ({ route }) => route?.last_error?.kind ?? null },
    ],
    'No providers are configured.',
  )
}

function blocksOf({ id, blocks, blocks_not_shown: more }: ProviderView): string {
  return blocks.length === 0 ? '' : `\nNot used of ${id}:\n${blockTable(blocks)}${andMore(more)}`
}

function blockTable(rows: readonly BlockView[]): string {
  return table(
    rows,
    [
      { title: 'WHAT', cell: (row) => (row.last_choice ? `${row.what} (last choice)` : row.what) },
      { title: 'KEY', cell: (row) => row.credential },
      { title: 'TARGET', cell: (row) => row.upstream_model ?? 'all' },
      { title: 'FOR', cell: (row) => row.workspace_id ?? 'everyone' },
      { title: 'REASON', cell: (row) => row.reason },
      { title: 'UNTIL', cell: (row) => moment(row.retry_at) },
    ],
    '',
  )
}

function andMore(count: number): string {
  return count === 0 ? '' : `… and ${count} more.\n`
}
