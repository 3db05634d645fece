import { WIRE_FORMATS, type WireFormatId } from '../wire/formats.ts'
import { FORMAT_QUIRKS, type FormatQuirk, type WireQuirks } from '../wire/wire.ts'
import { checkMessageFields, checkRequestFields } from './checkFields.ts'
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
  custom_tools: 'customTools',
  format_or_tools: 'formatOrTools',
  finish_reasons: 'finishReasons',
}

/**
 * The quirks that apply: the known provider's, with those of the file laid over them. Each of the file's must be one that
 * the provider's wire format can honour; undefined where the format is unknown.
 */
export function resolveQuirks(
  { quirks = {} }: ProviderEntry,
  known: WireQuirks,
  wire: WireFormatId | undefined,
  path: ConfigPath,
  report: Report,
): WireQuirks {
  const stated = Object.entries(QUIRKS).flatMap(([name, quirk]) => {
    const value = quirks[name as QuirkName]
    return value === undefined ? [] : [{ name, quirk, value }]
  })
  for (const { name, quirk, value } of stated) {
    if (wire === undefined || !isFormatQuirk(quirk) || WIRE_FORMATS[wire].quirks.includes(quirk)) continue
    const place = [...path, 'quirks', name]
    if (quirk !== 'supportsN')
      report.misnamed(place, `has no effect on ${wire}, only on ${formatsWith(quirk)}`)
    // False is what such a format does anyway.
    else if (value === true)
      report.problem(place, `cannot be true: ${wire} has no n (only ${formatsWith(quirk)} have one)`)
  }
  checkRequestFields(quirks.drop_fields, [...path, 'quirks', 'drop_fields'], report)
  checkMessageFields(quirks.drop_message_fields, [...path, 'quirks', 'drop_message_fields'], report)
  const inForce: WireQuirks = {
    ...known,
    ...Object.fromEntries(stated.map(({ quirk, value }) => [quirk, value])),
    ...(quirks.finish_reasons && { finishReasons: inLowerCase(quirks.finish_reasons) }),
  }
  checkTemperatures(quirks, inForce, [...path, 'quirks'], report)
  return inForce
}

function inLowerCase<Value>(words: Readonly<Record<string, Value>>): Readonly<Record<string, Value>> {
  return Object.fromEntries(Object.entries(words).map(([word, value]) => [word.toLowerCase(), value]))
}

/** One of the two may be the known provider's: the one that the file states is named. */
function checkTemperatures(
  stated: NonNullable<ProviderEntry['quirks']>,
  { minimumTemperature: least, maximumTemperature: most }: WireQuirks,
  path: ConfigPath,
  report: Report,
): void {
  if (least === undefined || most === undefined || least <= most) return
  if (stated.minimum_temperature !== undefined)
    report.problem(
      [...path, 'minimum_temperature'],
      `must not be above maximum_temperature (${most}): it is ${least}`,
    )
  else
    report.problem(
      [...path, 'maximum_temperature'],
      `must not be below minimum_temperature (${least}): it is ${most}`,
    )
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
