import { nearestWord } from '../core/didYouMean.ts'
import {
  NEEDED_FIELDS,
  NEEDED_MESSAGE_FIELDS,
  OPTIONAL_FIELDS,
  OPTIONAL_MESSAGE_FIELDS,
} from '../wire/openai-chat/requestFieldNames.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import { listWords, quotedName } from './values.ts'

/** Fields that callers send and no provider is sent as they are, with what decides about them. */
const DECIDED_ELSEWHERE: Readonly<Record<string, string>> = {
  models: 'no provider is sent it',
  provider: 'no provider is sent it',
  stream_options: 'the quirk `stream_options: false` of the provider keeps it back',
}

/**
 * Checks a list of request fields that a provider or a model does not take. A call cannot do without some: a mistake.
 * A name that no request has does no harm, but the field that was meant is sent: a warning.
 */
export function checkRequestFields(names: readonly string[] = [], path: ConfigPath, report: Report): void {
  names.forEach((name, index) => {
    const at = [...path, index]
    const decided = DECIDED_ELSEWHERE[name]
    if (NEEDED_FIELDS.includes(name))
      report.problem(at, `cannot be ${quotedName(name)}: no call can be sent without ${anyOf(NEEDED_FIELDS)}`)
    else if (decided !== undefined) report.warning(at, `has no effect with ${quotedName(name)}: ${decided}`)
    else if (!OPTIONAL_FIELDS.includes(name))
      report.warning(at, `is not a field of a request: ${quotedName(name)}${meant(name, OPTIONAL_FIELDS)}`)
  })
}

/** Checks a list of fields that pass although the gateway does not know them: it decides itself about those that every call has. */
export function checkAllowedFields(names: readonly string[] = [], path: ConfigPath, report: Report): void {
  names.forEach((name, index) => {
    if (NEEDED_FIELDS.includes(name))
      report.problem([...path, index], `cannot be ${quotedName(name)}: the gateway sends its own`)
  })
}

/**
 * Checks a list of message fields that a provider does not take. Callers may send unknown fields, so
 * only a name that is nearly a known one is a warning.
 */
export function checkMessageFields(names: readonly string[] = [], path: ConfigPath, report: Report): void {
  names.forEach((name, index) => {
    const at = [...path, index]
    const near = nearestWord(name, OPTIONAL_MESSAGE_FIELDS)
    if (NEEDED_MESSAGE_FIELDS.includes(name))
      report.problem(
        at,
        `cannot be ${quotedName(name)}: a message without ${anyOf(NEEDED_MESSAGE_FIELDS)} says something else`,
      )
    else if (near !== undefined && near !== name)
      report.warning(at, `is not a known field of a message: ${quotedName(name)} (did you mean "${near}"?)`)
  })
}

/** The nearest of the words, or all of them where none is near. */
export function meant(name: string, words: readonly string[]): string {
  const near = nearestWord(name, words)
  return near === undefined ? `; known are ${words.join(', ')}` : ` (did you mean "${near}"?)`
}

function anyOf(names: readonly string[]): string {
  return listWords(names.map((name) => `\`${name}\``))
}
