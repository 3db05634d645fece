import { describe, expect, test } from 'bun:test'
import { ANY_MODEL, problemsOf, settingsOf } from '../../test/support/settings.ts'
import { WIRE_FORMAT_IDS, WIRE_FORMATS, type WireFormatId } from '../wire/formats.ts'
import type { WireQuirks } from '../wire/wire.ts'

function yamlOf(wire: WireFormatId, quirk: string): string {
  return `providers:
  acme:
    { wire: ${wire}, base_url: http://127.0.0.1:9000/v1, api_key: k, auth: bearer, quirks: { ${quirk} } }
${ANY_MODEL}`
}

/** Every quirk of the file: what is written, its name in a row, and whether each format can honour it. */
const QUIRKS: readonly [written: string, name: keyof WireQuirks, by: 'every format' | 'some'][] = [
  ['supports_n: true', 'supportsN', 'some'],
  // What a format without n does anyway.
  ['supports_n: false', 'supportsN', 'every format'],
  ['max_tokens_field: max_completion_tokens', 'maxTokensField', 'some'],
  ['drop_message_fields: [name]', 'dropMessageFields', 'some'],
  ['stream_options: false', 'streamOptions', 'some'],
  ['instruction_role: system', 'instructionRole', 'some'],
  ['drop_fields: [seed]', 'dropFields', 'every format'],
  ['send_default_temperature: true', 'sendDefaultTemperature', 'every format'],
  ['minimum_temperature: 0.1', 'minimumTemperature', 'every format'],
  ['maximum_temperature: 1', 'maximumTemperature', 'every format'],
  ['minimum_top_p: 0.1', 'minimumTopP', 'every format'],
  ['maximum_stops: 2', 'maximumStops', 'every format'],
  ['reasoning_outside_completion: true', 'reasoningOutsideCompletion', 'every format'],
  ['streaming: never', 'streaming', 'every format'],
  ['whole_tool_calls: false', 'wholeToolCalls', 'every format'],
  ['custom_tools: true', 'customTools', 'some'],
  ['format_or_tools: true', 'formatOrTools', 'every format'],
]

describe.each(QUIRKS)('`%s`', (written, name, by) => {
  const formats = WIRE_FORMAT_IDS.filter(
    (id) => by === 'every format' || WIRE_FORMATS[id].quirks.some((quirk) => quirk === name),
  )

  test.each(WIRE_FORMAT_IDS)('for %s is taken, or is a mistake where the format cannot honour it', (wire) => {
    const problems = problemsOf(yamlOf(wire, written))
    if (formats.includes(wire)) {
      expect(problems).toEqual([])
      const quirks = settingsOf(yamlOf(wire, written)).providers.get('acme')?.provider.quirks
      expect(Object.keys(quirks ?? {})).toEqual([name])
      return
    }
    const [setting] = written.split(':')
    expect(problems).toEqual([
      expect.stringMatching(new RegExp(`^tollgate\\.yaml:3:\\d+ providers\\.acme\\.quirks\\.${setting} `)),
    ])
    expect(problems[0]).toContain(wire)
    for (const format of formats) expect(problems[0]).toContain(format)
  })
})

test('the table above has every quirk of the file', () => {
  const [problem = ''] = problemsOf(yamlOf('openai-chat', 'max_stops: 1'))
  expect(problem).toContain('providers.acme.quirks.max_stops is not a setting')
  expect(new Set(QUIRKS.map(([, name]) => name)).size).toBe(16)
})

test('a quirk that the format cannot honour is named with what to know', () => {
  expect(problemsOf(yamlOf('cohere-chat', 'supports_n: true'))).toEqual([
    expect.stringContaining(
      'providers.acme.quirks.supports_n cannot be true: cohere-chat has no n (only openai-chat, google-generate, mistral-chat',
    ),
  ])
  expect(problemsOf(yamlOf('anthropic-messages', 'stream_options: false'))).toEqual([
    expect.stringContaining(
      'providers.acme.quirks.stream_options has no effect on anthropic-messages, only on openai-chat',
    ),
  ])
})

test('a known provider has the format of its row', () => {
  const yaml = `providers: { anthropic: { api_key: k, quirks: { supports_n: true } } }\n${ANY_MODEL}`
  expect(problemsOf(yaml)).toEqual([
    expect.stringContaining('providers.anthropic.quirks.supports_n cannot be true'),
  ])
  expect(WIRE_FORMATS['anthropic-messages'].choices).toBe('calls')
})
