import { type Command, IDEMPOTENCY_OPTION, REMOTE_OPTIONS } from '../command.ts'
import type { CommandContext } from '../commandContext.ts'
import type { TransferView } from '../../operations/transfer.ts'
import { details, moment } from '../table.ts'
import { UsageError } from '../usageError.ts'

const positionals = [
  { name: 'workspace', required: true, help: 'id of the workspace (ws_…)' },
  { name: 'amount', required: true, help: 'US dollars, such as 25.00' },
]

const options = {
  note: { value: 'TEXT', help: 'kept with the transfer' },
  ...IDEMPOTENCY_OPTION,
  ...REMOTE_OPTIONS,
}

const add: Command = {
  name: 'credit add',
  summary: 'add to the balance of a workspace',
  positionals,
  options: { refund: { help: 'book it as a refund instead of a top-up' }, ...options },
  examples: [
    'tollgate credit add ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG 25.00 --note "invoice 1042"',
    'tollgate credit add ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG 25 --idempotency-key invoice-1042',
  ],
  changes: true,
  run: (context) => {
    const amount = context.required('amount')
    if (amount.startsWith('-')) {
      throw new UsageError(
        'credit add takes a positive amount; to take from a balance: tollgate credit adjust',
      )
    }
    return book(context, { amount_usd: amount, ...(context.isOn('refund') ? { kind: 'refund' } : {}) })
  },
}

const adjust: Command = {
  name: 'credit adjust',
  summary: 'take from the balance of a workspace, never below zero',
  positionals,
  options,
  notes: 'The amount may be written with or without a minus: an adjustment always takes.',
  examples: ['tollgate credit adjust ws_01K8XJ5M7QZ3V9T4B6N2C1D0FG 5.00 --note "booked twice"'],
  changes: true,
  run: (context) => book(context, { amount_usd: `-${context.required('amount').replace(/^-/, '')}` }),
}

export const creditCommands = [add, adjust]

async function book(context: CommandContext, amount: { amount_usd: string; kind?: string }): Promise<number> {
  const note = context.value('note')
  const body = { ...amount, ...(note === undefined ? {} : { note }) }
  const transfer = await context.withOperations((operations) =>
    operations.credit(context.required('workspace'), body, context.act),
  )
  context.show(transfer, transferDetails)
  return 0
}

function transferDetails(view: TransferView): string {
  return details([
    ['id', view.id],
    ['kind', view.kind],
    ['amount', `${view.amount_usd} USD`],
    ['balance', `${view.balance_usd} USD`],
    ['note', view.note],
    ['created', moment(view.created)],
  ])
}
