import { WIRE_FORMATS, type WireFormatId } from '../../src/wire/formats.ts'
import type { Difference } from './difference.ts'
import { LOST_IN_MESSAGES, MESSAGES_DIFFERENCES, SAYABLE, UNSAYABLE } from './messagesDifferences.ts'
import { FORMATS } from './spokenBy.ts'

const HEAD = `## Callers of Messages

You may also call the gateway with Anthropic's Messages (\`POST /v1/messages\`), whichever provider answers. The tests hold the
conversations of the tables above in the words of Messages too: ${SAYABLE.length} of ${SAYABLE.length + UNSAYABLE.length}, with every wire format, whole and streamed. What
happens is what the tables say. A provider of Anthropic's format gets the request as you write it. These differ from the tables:
`

/** What differs for callers of Messages from what the tables say. */
export function messagesSection(): string {
  const rows = SAYABLE.flatMap(({ name }) => rowsOf(name))
  const names = UNSAYABLE.map(({ name }) => name).join(' · ')
  return [HEAD, ...rows, '', `Messages has no words for these: ${names}.`, ''].join('\n')
}

/** One line for each way in which a conversation differs, with the formats that share it. */
function rowsOf(name: string): string[] {
  const shared = new Map<string, readonly WireFormatId[]>()
  for (const way of (LOST_IN_MESSAGES[name] ?? []).map(wayOf)) shared.set(way, FORMATS)
  for (const format of FORMATS) {
    const differences = MESSAGES_DIFFERENCES[format]?.[name]
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
