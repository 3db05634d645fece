import { WIRE_FORMATS, type WireFormatId } from '../wire/formats.ts'
import { FORMAT_QUIRKS, type FormatQuirk, type WireQuirks } from '../wire/wire.ts'
import type { ConfigPath } from './problem.ts'
import type { Report } from './report.ts'
import type { ProviderEntry } from './schema.ts'

type QuirkName = keyof NonNullable<ProviderEntry['quirks']>

const QUIRKS: Readonly<Record<QuirkName, keyof WireQuirks>> = {
  max_tokens_field: 'maxTokensField',
  supports_n: 'supportsN',
  drop_fields: 'dropFields',
  drop_message_fields: 'dropMessageFields',
  stream_options: 'streamOptions',
  instruction_role: 'instructionRole',
  send_default_temperature: 'sendDefaultTemperature',
  minimum_temperature: 'minimumTemperature',
  maximum_temperature: 'maximumTemperature',
  minimum_top_p: 'minimumTopP',
  maximum_stops: 'maximumStops',
  reasoning_outside_completion: 'reasoningOutsideCompletion',
  streaming: 'streaming',
  stream_lacks: 'streamLacks',
  whole_tool_calls: 'wholeToolCalls',
  finish_reasons: 'finishReasons',
}

/** The quirks that the file states. Each must be one that the provider's wire format can honour. */
export function resolveQuirks(
  { quirks = {} }: ProviderEntry,
  wire: WireFormatId,
  path: ConfigPath,
  report: Report,
): WireQuirks {
  const stated = Object.entries(QUIRKS).flatMap(([name, quirk]) => {
    const value = quirks[name as QuirkName]
    return value === undefined ? [] : [{ name, quirk, value }]
  })
  for (const { name, quirk, value } of stated) {
    if (!isFormatQuirk(quirk) || WIRE_FORMATS[wire].quirks.includes(quirk)) continue
    const place = [...path, 'quirks', name]
    if (quirk !== 'supportsN')
      report.misnamed(place, `has no effect on ${wire}, only on ${formatsWith(quirk)}`)
    // False is what such a format does anyway.
    else if (value === true)
      report.problem(place, `cannot be true: ${wire} has no n (only ${formatsWith(quirk)} have one)`)
  }
  const { finish_reasons: words } = quirks
  return {
    ...Object.fromEntries(stated.map(({ quirk, value }) => [quirk, value])),
    ...(words && { finishReasons: inLowerCase(words) }),
  }
}

function inLowerCase<Value>(words: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(words).map(([word, value]) => [word.toLowerCase(), value]))
}

function isFormatQuirk(quirk: keyof WireQuirks): quirk is FormatQuirk {
  return FORMAT_QUIRKS.some((each) => each === quirk)
}

function formatsWith(quirk: FormatQuirk): string {
  return Object.values(WIRE_FORMATS)
    .filter(({ quirks }) => quirks.includes(quirk))
    .map(({ id }) => id)
    .join(', ')
}
