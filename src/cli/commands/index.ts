import type { Command } from '../command.ts'
import { auditCommands } from './audit.ts'
import { connectCommands } from './connect.ts'
import { creditCommands } from './credit.ts'
import { gatewayCommands } from './gateway.ts'
import { healthCommands } from './health.ts'
import { keyCommands } from './key.ts'
import { ledgerCommands } from './ledger.ts'
import { moveCommands } from './move.ts'
import { providerCommands } from './provider.ts'
import { reportCommands } from './reports.ts'
import { safekeepingCommands } from './safekeeping.ts'
import { tokenCommands } from './token.ts'
import { workspaceCommands } from './workspace.ts'

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  ...gatewayCommands,
  ...healthCommands,
  // After `providers test`: the first command whose name matches is run.
  ...providerCommands,
  ...connectCommands,
  ...workspaceCommands,
  ...keyCommands,
  ...creditCommands,
  ...ledgerCommands,
  ...reportCommands,
  ...tokenCommands,
  ...auditCommands,
  ...safekeepingCommands,
  ...moveCommands,
]
