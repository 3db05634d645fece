import type { RefusedCallDetailView } from '../../operations/refusedCall.ts'
import { details } from '../table.ts'

/** Why a call was refused, and how often its key is. */
export function refusedCallText(view: RefusedCallDetailView): string {
  const { last_seven_days: refused, kept, by_day: days } = view.key_refusals
  const told = details([
    ['id', view.id],
    ['workspace', view.workspace_id],
    ['key', view.key_id],
    ['refused', view.refused_at],
    ['status', view.status],
    ['code', view.code],
    ['message', view.message],
    ['parameter', view.param],
    ['model', view.model],
    ['address', view.address],
  ])
  return `${told}
This call was refused before anything was held for it: no provider was called, and it cost nothing.
Refused calls of this key in the last seven days (UTC): ${refused}, of which ${kept} are kept.
${details(days.map(({ date, by_code }) => [date, countsText(by_code)]))}`
}

function countsText(byCode: Readonly<Record<string, number>>): string {
  return Object.entries(byCode)
    .map(([code, count]) => `${code} ${count}`)
    .join(', ')
}
