import { modelView, type ModelView } from '../../operations/model.ts'
import { type Command, FILTER_OPTIONS, REMOTE_OPTIONS } from '../command.ts'
import { table } from '../table.ts'
import { requestCommands } from './requests.ts'

const usage: Command = {
  name: 'usage',
  summary: 'sum up requests, tokens and charges',
  positionals: [],
  options: {
    'group-by': { value: 'WHAT', help: 'day, model, key or workspace (default day)' },
    ...FILTER_OPTIONS,
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
        data.length === 0 ? [] : [...data, { group: 'total', name: null, ...total }],
        [
          { title: groupBy.toUpperCase(), cell: (row) => row.group },
          ...(groupBy === 'key' || groupBy === 'workspace'
            ? [{ title: 'NAME', cell: (row: { name: string | null }) => row.name ?? '' }]
            : []),
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

export const reportCommands = [usage, models, ...requestCommands]

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
