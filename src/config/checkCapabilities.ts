import { CAPABILITIES } from '../core/model.ts'
import { meant } from './checkFields.ts'
import type { ModelContext } from './modelContext.ts'
import { quotedName } from './values.ts'

/** Warns of capabilities that clients do not know: a word of one's own is shown, and may be a wrong one. */
export function checkCapabilities({ entry, path, report }: ModelContext): void {
  entry.capabilities?.forEach((word, index) => {
    if (CAPABILITIES.some((known) => known === word)) return
    const at = [...path, 'capabilities', index]
    report.warning(
      at,
      `is not a capability that clients know: ${quotedName(word)}${meant(word, CAPABILITIES)}`,
    )
  })
}
