import { isJsonObject } from '../json.ts'

/** What a delta and a message have in common. */
interface Generated {
  readonly content?: string | null
  readonly refusal?: string | null
  readonly reasoning_content?: string | null
  readonly [field: string]: unknown
}

/**
 * Every text that a model has generated in a delta or a message: what it says, thinks, and calls tools with,
 * whatever the kind of call. Reasoning that stands there twice is told once.
 */
export function forEachGenerated(said: Generated, take: (text: string) => void): void {
  if (said.content) take(said.content)
  if (said.reasoning_content) take(said.reasoning_content)
  else if (said['reasoning_details']) forEachDetail(said['reasoning_details'], take)
  if (said.refusal) take(said.refusal)
  if (said['function_call']) forEachString(said['function_call'], take)
  const calls = said['tool_calls']
  if (!Array.isArray(calls)) return
  for (const call of calls as readonly unknown[]) {
    // `function`, `custom`, and kinds to come: the id and the type beside them are not generated.
    if (isJsonObject(call)) for (const kind in call) forEachString(call[kind], take)
  }
}

/** Signatures and encrypted blocks are no text. */
function forEachDetail(details: unknown, take: (text: string) => void): void {
  if (!Array.isArray(details)) return
  for (const detail of details as readonly unknown[]) {
    if (!isJsonObject(detail)) continue
    if (typeof detail.text === 'string') take(detail.text)
    if (typeof detail.summary === 'string') take(detail.summary)
  }
}

function forEachString(call: unknown, take: (text: string) => void): void {
  if (!isJsonObject(call)) return
  for (const name in call) {
    const value = call[name]
    if (typeof value === 'string' && value !== '') take(value)
  }
}
