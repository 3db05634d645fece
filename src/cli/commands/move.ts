import { placeOf } from '../../config/databasePlace.ts'
import { expand, missingVariable } from '../../config/environment.ts'
import { resolveDatabase } from '../../config/resolveDatabase.ts'
import type { DatabaseSettings } from '../../config/settings.ts'
import { formatUsd } from '../../core/money.ts'
import { type Moved, MoveRefused } from '../../core/ports/move.ts'
import { BY_ITSELF } from '../../operations/recording.ts'
import { type Command, CONFIG_OPTIONS, REFERENCES } from '../command.ts'
import type { CommandContext } from '../commandContext.ts'
import { createProgress } from '../progress.ts'
import { details } from '../table.ts'
import { CommandFailure, UsageError } from '../usageError.ts'

const MS_PER_S = 1_000

const move: Command = {
  name: 'move',
  summary: 'move all books into another, empty database: from SQLite to Postgres, or back',
  positionals: [],
  options: {
    from: {
      value: 'URL',
      help: `where the books are (default: the database of the configuration); this database is not changed. ${REFERENCES}`,
    },
    to: { value: 'URL', help: `an empty database; a file is created. ${REFERENCES}` },
    unsound: { help: 'accept books whose ledger does not add up' },
    ...CONFIG_OPTIONS,
  },
  notes:
    'Stop every gateway of both databases first. A move that was interrupted goes on when the same command is run again. Until it\nhas ended, nothing else opens the new database. At the end both databases are read and compared.',
  examples: [
    "tollgate move --to 'postgres://tollgate:${DATABASE_PASSWORD}@db.example.com/tollgate'",
    "tollgate move --from 'postgres://tollgate:${DATABASE_PASSWORD}@db.example.com/tollgate' --to sqlite:./data/tollgate.db",
  ],
  run: async (context) => {
    const [from, to] = [sourceOf(context), databaseOf(context, 'to')]
    const startedAt = context.deps.clock()
    const moved = await moveShown(context, from, to)
    const view = {
      from: placeOf(from),
      to: placeOf(to),
      rows: moved.rows,
      sums_usd: Object.fromEntries(Object.entries(moved.sums).map(([name, sum]) => [name, formatUsd(sum)])),
      sound: moved.sound,
      continued: moved.continued,
      seconds: (context.deps.clock() - startedAt) / MS_PER_S,
    }
    context.show(view, () => [tableOf(view), soundness(moved), whatToDo(view)].join(''))
    return 0
  },
}

export const moveCommands = [move]

/** The database that `--from` names; else that of the configuration, as every command finds it. */
function sourceOf(context: CommandContext): DatabaseSettings {
  if (context.value('from') === undefined) {
    context.localOnly()
    return context.database()
  }
  const other = ['config', 'database-url'].find((option) => context.value(option) !== undefined)
  if (other !== undefined)
    throw new UsageError(`--from and --${other} both name the database to move from: give one of them`)
  return databaseOf(context, 'from')
}

function databaseOf(context: CommandContext, option: 'from' | 'to'): DatabaseSettings {
  const url = context.value(option)
  if (url === undefined) throw new UsageError(`--${option} is missing: sqlite:FILE or postgres://…`)
  const expansion = expand(url, context.io.env)
  if (!expansion.ok) {
    throw new UsageError(`--${option} ${expansion.missing.map((name) => missingVariable(name)).join('; ')}`)
  }
  const settings = resolveDatabase(expansion.text, {})
  if (typeof settings === 'string') throw new UsageError(`--${option} ${settings}`)
  return settings
}

async function moveShown(
  context: CommandContext,
  from: DatabaseSettings,
  to: DatabaseSettings,
): Promise<Moved> {
  const { deps } = context
  const progress = createProgress(context.io, deps.clock)
  const at = deps.clock()
  try {
    return await deps.move(from, to, {
      at,
      unsound: context.isOn('unsound'),
      record: {
        id: deps.ids.audit(),
        at,
        lastAt: at,
        count: 1,
        action: 'database.move',
        ...(context.act.by ?? BY_ITSELF),
        workspaceId: null,
        subject: null,
        changes: { database: { before: placeOf(from), after: placeOf(to) } },
      },
      progress: (step, done, total) =>
        progress.show(done, total, total === 0 && done > 0 ? `${step}: ${done}` : step),
    })
  } catch (error) {
    if (error instanceof MoveRefused) throw new CommandFailure(error.message, { cause: error })
    throw error
  } finally {
    progress.end()
  }
}

interface View {
  readonly from: string
  readonly to: string
  readonly rows: Readonly<Record<string, number>>
  readonly sums_usd: Readonly<Record<string, string>>
  readonly seconds: number
}

function tableOf({ from, to, rows, sums_usd: sums, seconds }: View): string {
  return details([
    ['from', from],
    ['to', to],
    ...Object.entries(rows).map(([table, count]) => [table.replaceAll('_', ' '), count] as const),
    ...Object.entries(sums).map(([name, sum]) => [`USD ${name}`, sum] as const),
    ['seconds', seconds.toFixed(1)],
  ])
}

function soundness({ sound }: Moved): string {
  return sound
    ? 'Both databases hold the same, and the ledger adds up.\n'
    : 'Both databases hold the same. Their ledger does NOT add up: "tollgate ledger verify" names what differs.\n'
}

function whatToDo({ from, to }: View): string {
  return `
To use the new database:
  1. Name it in tollgate.yaml (or in TOLLGATE_DATABASE_URL, or --database-url, where you name it there):
       database: ${to}${to.startsWith('postgres') ? '   (with the user and the password)' : ''}
  2. Start the gateway. Keys, balances and limits are as they were.
${from} is unchanged. Never start a gateway on it again: both would then sell the same balances.
`
}
