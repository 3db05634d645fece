import { dirname } from 'node:path'
import type { AuditEntry } from '../../core/ports/audit.ts'
import {
  type Copy,
  type RevokedOnce,
  type Safekeeping,
  SafekeepingRefused,
} from '../../core/ports/safekeeping.ts'
import { printable, printableStart } from '../../core/printable.ts'
import { BY_ITSELF } from '../../operations/recording.ts'
import { type Command, CONFIG_OPTIONS } from '../command.ts'
import type { CommandContext } from '../commandContext.ts'
import { createProgress } from '../progress.ts'
import { details, moment } from '../table.ts'
import { CommandFailure } from '../usageError.ts'

/** Keys and tokens that the text names; `--json` has all. */
const IN_FORCE_SHOWN_MAX = 20

const UNSOUND = { unsound: { help: 'accept a copy whose ledger does not add up' } }

const backup: Command = {
  name: 'backup',
  summary: 'copy the database to a file; the gateway may run',
  positionals: [{ name: 'file', required: true, help: 'where to' }],
  options: { force: { help: 'overwrite FILE if it exists' }, ...UNSOUND, ...CONFIG_OPTIONS },
  notes:
    'SQLite only. The copy is the database at one moment. FILE appears when the copy is complete, checked and its ledger\nadds up. Until then the write-ahead log of the database grows by what the gateway writes.',
  examples: ['tollgate backup tollgate-2026-11-21.db', 'tollgate backup /mnt/backups/tollgate.db --force'],
  run: async (context) => {
    const file = context.required('file')
    const folder = dirname(file)
    // A folder that is not there is a mistyped one, or a disk that is not mounted.
    if (!context.deps.isFolder(folder))
      throw new CommandFailure(`there is no folder ${printableStart(folder)}`)
    const made = await keepSafe(context, 'pg_dump', (safekeeping, order) =>
      safekeeping.backup({ ...order, file, overwrite: context.isOn('force') }),
    )
    context.show(copyView(made), () => `${copyDetails('backup', made)}${soundness(made)}`)
    return 0
  },
}

const restore: Command = {
  name: 'restore',
  summary: 'replace the database with a backup',
  positionals: [{ name: 'file', required: true, help: 'the backup' }],
  options: { ...UNSOUND, ...CONFIG_OPTIONS },
  notes:
    'SQLite only. Stop the gateway first: a database that another process has open is not replaced. The previous database is\nkept as NAME.before-restore-TIME. FILE is checked first and is not changed. Keys and admin tokens that were revoked after\nthe backup are valid again; the command names them.',
  examples: [
    'tollgate restore tollgate-2026-11-21.db',
    'tollgate restore tollgate.db --database-url sqlite:./elsewhere/tollgate.db',
  ],
  run: async (context) => {
    const file = context.required('file')
    const made = await keepSafe(context, 'pg_restore', (safekeeping, order) =>
      safekeeping.restore({ ...order, file, record: recordOf(context, file) }),
    )
    const before = made.before ?? null
    const { inForceAgain } = made
    context.show({ ...copyView(made), before, in_force_again: inForceAgain }, () =>
      [
        copyDetails('restored', made),
        soundness(made),
        before === null ? '' : `The previous database is kept as ${before}.\n`,
        made.lastTransferAt === null
          ? 'Everything booked since the backup is lost: the backup has no transfers.\n'
          : `Everything booked after ${timeOf(made)} is lost.\n`,
        inForceText(inForceAgain),
      ].join(''),
    )
    return 0
  },
}

function recordOf({ act, deps }: CommandContext, file: string): AuditEntry {
  const at = deps.clock()
  return {
    id: deps.ids.audit(),
    at,
    lastAt: at,
    count: 1,
    action: 'database.restore',
    ...(act.by ?? BY_ITSELF),
    workspaceId: null,
    subject: null,
    changes: { file: { before: null, after: file } },
  }
}

/** A revocation that a backup does not know is undone by restoring it. */
function inForceText(again: readonly RevokedOnce[]): string {
  if (again.length === 0) return ''
  const lines = again
    .slice(0, IN_FORCE_SHOWN_MAX)
    .map(({ kind, id, name }) => `  ${kind} ${id} (${printable(name)})\n`)
  const more = again.length - lines.length
  return [
    'VALID AGAIN, although they were revoked after the backup. Revoke them again before you start:\n',
    ...lines,
    ...(more > 0 ? [`  and ${more} more: --json names all\n`] : []),
  ].join('')
}

export const safekeepingCommands = [backup, restore]

type Order = Pick<Parameters<Safekeeping['restore']>[0], 'at' | 'unsound' | 'progress'>

/** Runs one of the two on the database itself, and shows how far it is. */
async function keepSafe<Made extends Copy>(
  context: CommandContext,
  postgresProgram: string,
  work: (safekeeping: Safekeeping, order: Order) => Promise<Made>,
): Promise<Made> {
  context.localOnly()
  const database = context.database()
  if (database.engine === 'postgres') {
    throw new CommandFailure(`the database is Postgres: use ${postgresProgram} instead`)
  }
  const progress = createProgress(context.io, context.deps.clock)
  try {
    return await work(await context.deps.safekeeping(database.path), {
      at: context.deps.clock(),
      unsound: context.isOn('unsound'),
      progress: (step, done, total) =>
        progress.show(done, total, total === 0 && done > 0 ? `${step}: ${done}` : step),
    })
  } catch (error) {
    if (error instanceof SafekeepingRefused) throw new CommandFailure(error.message, { cause: error })
    throw error
  } finally {
    progress.end()
  }
}

function copyView({ file, bytes, workspaces, transfers, lastTransferAt, sound }: Copy) {
  return {
    file,
    bytes,
    workspaces,
    transfers,
    last_transfer: lastTransferAt === null ? null : Math.floor(lastTransferAt / 1000),
    sound,
  }
}

function copyDetails(name: string, made: Copy): string {
  return details([
    [name, made.file],
    ['bytes', made.bytes],
    ['workspaces', made.workspaces],
    ['transfers', made.transfers],
    ['last transfer', timeOf(made)],
  ])
}

function timeOf({ lastTransferAt }: Copy): string | null {
  return lastTransferAt === null ? null : moment(lastTransferAt / 1000)
}

function soundness({ sound }: Copy): string {
  return sound ? '' : 'Its ledger does NOT add up: "tollgate ledger verify" names what differs.\n'
}
