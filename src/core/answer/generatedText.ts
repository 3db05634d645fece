import { type JsonObject, isJsonObject } from '../json.ts'
import type { WholeAnswer } from './wholeAnswer.ts'
import { forEachUnknown } from './unknownText.ts'

/** Stands for an image: about as many tokens as models of 2026 report for one of 1,024 by 1,024 pixels. */
const IMAGE = ' word'.repeat(1_300)

/** What a delta and a message have in common. */
interface Generated {
  readonly content?: string | null
  readonly refusal?: string | null
  readonly reasoning_content?: string | null
  readonly [field: string]: unknown
}

/**
 * Every text that a model has generated in a delta or a message: what it says, thinks, and calls tools with,
 * whatever the kind of call; for an image some text of its size in tokens. Reasoning that stands there twice is told once. Where there is none of it, the strings of
 * fields that nobody knows are what was generated; beside it they are taken for its twins.
 *
 * @param choiceExtra fields of the choice, beside the delta or the message
 * @param thoughtTold reasoning has come in deltas before: details that come without it close it, and repeat its text
 */
export function forEachGenerated(
  said: Generated,
  take: (text: string) => void,
  choiceExtra?: JsonObject,
  thoughtTold = false,
): void {
  let found = false
  if (said.content) {
    take(said.content)
    found = true
  }
  if (said.reasoning_content) {
    take(said.reasoning_content)
    found = true
  } else if (said['reasoning_details']) {
    found = takeDetails(said['reasoning_details'], take, thoughtTold) || found
  }
  if (said.refusal) {
    take(said.refusal)
    found = true
  }
  if (Array.isArray(said['images'])) {
    for (const _image of said['images']) take(IMAGE)
    found ||= said['images'].length > 0
  }
  if (said['function_call']) found = takeStrings(said['function_call'], take) || found
  if (said['tool_calls']) found = takeCalls(said['tool_calls'], take) || found
  if (!found) forEachUnknown(said, take, choiceExtra)
}

/** Signatures are no text, and encrypted blocks are told where nothing else is. */
function takeDetails(details: unknown, take: (text: string) => void, thoughtTold: boolean): boolean {
  if (!Array.isArray(details)) return false
  let found = false
  for (const detail of details as readonly unknown[]) {
    if (!isJsonObject(detail)) continue
    const { text, summary } = detail
    if (typeof text === 'string' && text !== '') {
      if (!thoughtTold) take(text)
      found = true
    }
    if (typeof summary === 'string' && summary !== '') {
      if (!thoughtTold) take(summary)
      found = true
    }
  }
  return found
}

function takeCalls(calls: unknown, take: (text: string) => void): boolean {
  if (!Array.isArray(calls)) return false
  let found = false
  for (const call of calls as readonly unknown[]) {
    if (!isJsonObject(call)) continue
    // `function`, `custom`, and kinds to come: the id and the type beside them are not generated.
    for (const kind in call) found = takeStrings(call[kind], take) || found
  }
  return found
}

/** A call's name alone says nothing of what may stand beside it. */
function takeStrings(call: unknown, take: (text: string) => void): boolean {
  if (!isJsonObject(call)) return false
  let found = false
  for (const name in call) {
    const value = call[name]
    if (typeof value !== 'string' || value === '') continue
    take(value)
    if (name !== 'name') found = true
  }
  return found
}

/** All that was generated of a whole answer, or of a part of its choices. */
export function generatedTextOf({ choices }: Pick<WholeAnswer, 'choices'>): string {
  const pieces: string[] = []
  for (const { message, extra } of choices) forEachGenerated(message, (text) => void pieces.push(text), extra)
  return pieces.join('')
}
