import type { Transfer } from '../core/ports/books.ts'
import { transferView } from '../operations/transfer.ts'

/** A transfer as it stands in an export: the admin API's fields, its workspace and its exact time. */
function exported(transfer: Transfer) {
  return {
    workspace_id: transfer.workspaceId,
    ...transferView(transfer),
    created_at: new Date(transfer.createdAt).toISOString(),
  }
}

const COLUMNS = [
  'workspace_id',
  'id',
  'kind',
  'amount_usd',
  'balance_usd',
  'request_id',
  'note',
  'created',
  'created_at',
] as const

export function csvHead(): string {
  return `${COLUMNS.join(',')}\r\n`
}

/** RFC 4180. */
export function csvRow(transfer: Transfer): string {
  const row = exported(transfer)
  return `${COLUMNS.map((column) => csvField(row[column])).join(',')}\r\n`
}

export function jsonRow(transfer: Transfer): string {
  return `${JSON.stringify(exported(transfer))}\n`
}

/** What a spreadsheet would take for a formula, and run (OWASP, "CSV Injection"). */
const FORMULA = /^[=+\-@\t\r]/

function csvField(value: string | number | null): string {
  const plain = value === null ? '' : String(value)
  const text = FORMULA.test(plain) ? `'${plain}` : plain
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
