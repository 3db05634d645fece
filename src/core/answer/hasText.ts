import type { Delta } from './event.ts'
import { forEachGenerated } from './generatedText.ts'

/** Whether a delta brings anything generated: text, reasoning, a refusal or a piece of a call. */
export function hasText(delta: Delta): boolean {
  if ((delta.tool_calls?.length ?? 0) > 0) return true
  let found = false
  forEachGenerated(delta, () => (found = true))
  return found
}
