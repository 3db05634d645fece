import { addsUp } from '../../core/ledger.ts'
import { formatUsd } from '../../core/money.ts'
import type { Verification } from '../../core/ports/books.ts'
import type { Directory } from '../../core/ports/directory.ts'
import { printableStart } from '../../core/printable.ts'
import type { TransferView } from '../../operations/transfer.ts'
import { unknownId, workspaceIdOf } from '../../operations/id.ts'
import { type Command, CONFIG_OPTIONS, PAGE_OPTIONS, REMOTE_OPTIONS } from '../command.ts'
import type { CommandContext } from '../commandContext.ts'
import { csvHead, csvRow, jsonRow } from '../ledgerFile.ts'
import { showList } from '../pages.ts'
import { createProgress } from '../progress.ts'
import { amount, moment, table } from '../table.ts'
import { CommandFailure, UsageError } from '../usageError.ts'

const PAGE_LIMIT = 100

const list: Command = {
  name: 'ledger list',
  summary: 'list the transfers of a workspace, newest first',
  positionals: [{ name: 'workspace', required: true, help: 'id of the workspace (ws_…)' }],
  options: { ...PAGE_OPTIONS, ...REMOTE_OPTIONS },
  examples: ['tollgate ledger list ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG --limit 50'],
  run: (context) =>
    context.withOperations((operations) =>
      showList(context, (query) => operations.ledger(context.required('workspace'), query), transferTable),
    ),
}

const verify: Command = {
  name: 'ledger verify',
  summary: 'verify that every balance is the sum of its ledger',
  positionals: [],
  options: CONFIG_OPTIONS,
  notes: 'Reads the whole ledger and changes nothing. Exit code 1 when anything differs.',
  examples: ['tollgate ledger verify', 'tollgate ledger verify --json'],
  run: async (context) =>
    context.withStore(async (store, place) => {
      const progress = createProgress(context.io, context.deps.clock)
      const workspaces = await countWorkspaces(store.directory)
      const differing: Verification[] = []
      let last: Verification['lastTransfer'] = null
      let [verified, transfers, underWay] = [0, 0, 0]
      const draw = () => {
        const note = `${verified} of ${workspaces} workspaces, ${transfers + underWay} transfers`
        progress.show(verified, workspaces, note)
      }
      const findings = store.books.verify((transfersRead) => {
        underWay = transfersRead
        draw()
      })
      for await (const found of findings) {
        verified++
        transfers += found.transfers
        underWay = 0
        if (!addsUp(found)) differing.push(found)
        if ((found.lastTransfer?.createdAt ?? 0) > (last?.createdAt ?? 0)) last = found.lastTransfer
        draw()
      }
      progress.end()
      // Where there is nothing to prove, something else was probably meant.
      if (verified === 0) throw new CommandFailure(`${place} holds no workspaces: is it the right database?`)
      const lastTransfer: Verification['lastTransfer'] = last
      const verdict = {
        ok: differing.length === 0,
        database: place,
        workspaces: verified,
        transfers,
        last_transfer: lastTransfer && lastTransferView(lastTransfer),
        differences: differing.map(difference),
      }
      context.show(verdict, ({ ok, differences, last_transfer: newest }) => {
        const until = newest ? `, the last one ${newest.id} of ${newest.created_at}` : ''
        return ok
          ? `The ledger of ${place} is sound: ${amount(verified, 'workspace')}, ${amount(transfers, 'transfer')}${until}.\n`
          : `${differences.map(sentence).join('')}The ledger of ${place} does NOT add up: ${differences.length} of ${verified} workspaces differ.\n`
      })
      return verdict.ok ? 0 : 1
    }),
}

const exportLedger: Command = {
  name: 'ledger export',
  summary: 'write the ledger to a file, oldest first',
  positionals: [],
  options: {
    workspace: { value: 'ID', help: 'only this workspace (default: all)' },
    format: { value: 'FORMAT', help: 'csv or jsonl (default csv)' },
    output: { value: 'FILE', help: 'where to (default: standard output)' },
    json: { help: 'write JSON lines; with --output, report as JSON what was written' },
    ...CONFIG_OPTIONS,
  },
  examples: [
    'tollgate ledger export --output ledger.csv',
    'tollgate ledger export --format jsonl | gzip > ledger.jsonl.gz',
  ],
  run: async (context) => {
    const format = formatOf(context)
    const named = context.value('workspace')
    return context.withStore(async (store) => {
      const workspace = named === undefined ? undefined : workspaceIdOf(named)
      if (workspace !== undefined && !(await store.directory.workspace(workspace))) {
        throw unknownId('workspace', workspace)
      }
      const path = context.value('output')
      const file = path === undefined ? undefined : context.deps.openFile(path)
      const write = async (text: string) => {
        if (file) return file.write(text)
        context.io.out(text)
      }
      const progress = createProgress(context.io, context.deps.clock)
      let transfers = 0
      try {
        if (format === 'csv') await write(csvHead())
        for await (const batch of store.books.exportLedger(workspace)) {
          await write(batch.map(format === 'csv' ? csvRow : jsonRow).join(''))
          transfers += batch.length
          if (file) progress.show(0, 0, `${transfers} transfers`)
        }
        await file?.finish()
      } finally {
        progress.end()
        await file?.abandon()
      }
      if (path !== undefined)
        context.show({ output: path, transfers }, () => `${transfers} transfers are in ${path}.\n`)
      return 0
    })
  },
}

export const ledgerCommands = [list, verify, exportLedger]

/** Throws `UsageError`. */
function formatOf(context: CommandContext): 'csv' | 'jsonl' {
  const toJson = context.isOn('json') && context.value('output') === undefined
  const format = context.value('format') ?? (toJson ? 'jsonl' : 'csv')
  if (format !== 'csv' && format !== 'jsonl')
    throw new UsageError(`--format must be csv or jsonl, not "${printableStart(format)}"`)
  if (toJson && format === 'csv')
    throw new UsageError('--json writes JSON lines: leave out --json or --format csv')
  return format
}

function lastTransferView({ id, createdAt }: NonNullable<Verification['lastTransfer']>) {
  return { id, created_at: new Date(createdAt).toISOString() }
}

function difference(found: Verification) {
  return {
    workspace_id: found.workspaceId,
    transfers: found.transfers,
    balance_usd: formatUsd(found.balance),
    ledger_balance_usd: formatUsd(found.ledgerBalance),
    held_usd: formatUsd(found.held),
    open_holds_usd: formatUsd(found.openHolds),
    ledger_held_usd: formatUsd(found.ledgerHeld),
    broken_at: found.brokenAt,
    shares_places_with: found.sharesPlacesWith,
  }
}

function sentence(found: ReturnType<typeof difference>): string {
  const balance = `balance ${found.balance_usd}, by the ledger ${found.ledger_balance_usd}`
  const held = `held ${found.held_usd}, open holds ${found.open_holds_usd}, by the ledger ${found.ledger_held_usd}`
  const broken = found.broken_at === null ? '' : `; the running balance breaks at ${found.broken_at}`
  const shared =
    found.shares_places_with === null
      ? ''
      : `; it shares its places in the ledger with ${found.shares_places_with}, so only one of them can be credited`
  return `${found.workspace_id}: ${balance}; ${held}${broken}${shared}\n`
}

async function countWorkspaces(directory: Directory): Promise<number> {
  let count = 0
  let cursor: string | undefined
  do {
    const page = await directory.workspaces({
      limit: PAGE_LIMIT,
      ...(cursor === undefined ? {} : { cursor }),
    })
    count += page.items.length
    cursor = page.nextCursor
  } while (cursor !== undefined)
  return count
}

function transferTable(rows: readonly TransferView[]): string {
  return table(
    rows,
    [
      { title: 'ID', cell: (row) => row.id },
      { title: 'CREATED', cell: (row) => moment(row.created) },
      { title: 'KIND', cell: (row) => row.kind },
      { title: 'AMOUNT USD', cell: (row) => row.amount_usd, right: true },
      { title: 'BALANCE USD', cell: (row) => row.balance_usd, right: true },
      { title: 'REQUEST', cell: (row) => row.request_id },
      { title: 'NOTE', cell: (row) => row.note },
    ],
    'No transfers yet.',
  )
}
