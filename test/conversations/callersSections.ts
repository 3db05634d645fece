import { WIRE_FORMATS, type WireFormatId } from '../../src/wire/formats.ts'
import type { Difference } from './difference.ts'
import type { CallerDifferences } from './callerDifferences.ts'
import { MESSAGES_DIFFERENCES } from './messagesDifferences.ts'
import { RESPONSES_CALLER_DIFFERENCES } from './responsesDifferences.ts'
import { FORMATS } from './spokenBy.ts'

/** What differs for callers of other formats than chat completions from what the tables say. */
export function callersSections(): string {
  return [
    section(
      MESSAGES_DIFFERENCES,
      "You may also call the gateway with Anthropic's Messages (`POST /v1/messages`), whichever provider answers.",
      " A provider of Anthropic's format gets the request as you write it.",
    ),
    section(
      RESPONSES_CALLER_DIFFERENCES,
      "You may also call the gateway with OpenAI's Responses (`POST /v1/responses`), whichever provider answers.",
      ' Header and `param` name fields as Responses does: `input[0].content[1].image_url`, `reasoning.effort`.',
    ),
  ].join('\n')
}

function section(caller: CallerDifferences, first: string, more = ''): string {
  const { title, sayable, unsayable } = caller
  const total = sayable.length + unsayable.length
  const rows = sayable.flatMap(({ name }) => rowsOf(caller, name))
  return [
    `## Callers of ${title}`,
    '',
    first,
    `The tests hold the conversations of the tables above in the words of ${title} too: ${sayable.length} of ${total}, with every wire`,
    `format, whole and streamed. What happens is what the tables say.${more}${rows.length > 0 ? ' These differ from the tables:' : ''}`,
    '',
    ...(rows.length > 0 ? [...rows, ''] : []),
    `${title} has no words for these: ${unsayable.map(({ name }) => name).join(' · ')}.`,
    '',
  ].join('\n')
}

/** One line for each way in which a conversation differs, with the formats that share it. */
function rowsOf({ lost, otherwise }: CallerDifferences, name: string): string[] {
  const shared = new Map<string, readonly WireFormatId[]>()
  for (const way of (lost[name] ?? []).map(wayOf)) shared.set(way, FORMATS)
  for (const format of FORMATS) {
    const differences = otherwise[format]?.[name]
    if (differences === undefined) continue
    const ways = differences.length === 0 ? ['sent as you write it'] : new Set(differences.map(wayOf))
    for (const way of ways) shared.set(way, [...(shared.get(way) ?? []), format])
  }
  return [...shared].map(([way, formats]) => `- *${name}* (${namesOf(formats)}): ${way}.`)
}

function namesOf(formats: readonly WireFormatId[]): string {
  if (formats.length === FORMATS.length) return 'all'
  return formats.map((id) => WIRE_FORMATS[id].displayName).join(', ')
}

function wayOf(difference: Difference): string {
  switch (difference.kind) {
    case 'refused':
      return 'refused'
    case 'dropped':
      return 'left out, and named in `x-tollgate-dropped-fields`'
    case 'changed':
      return difference.how
    default:
      return difference satisfies never
  }
}
