import { describe, expect, test } from 'bun:test'
import { ANY_MODEL, problemsOf, settingsOf, warningsOf, withModel } from '../../test/support/settings.ts'
import { KNOWN_MODELS } from '../catalog/known.ts'
import { PROVIDERS } from '../providers/index.ts'
import {
  NEEDED_FIELDS,
  NEEDED_MESSAGE_FIELDS,
  OPTIONAL_FIELDS,
} from '../wire/openai-chat/requestFieldNames.ts'

function withQuirks(quirks: string): string {
  return `providers:
  acme:
    wire: openai-chat
    base_url: http://127.0.0.1:9000/v1
    api_key: k
    quirks: { ${quirks} }
${ANY_MODEL}`
}

/** Each warning without the name of the file and the place in it. */
function warningsIn(yaml: string): string[] {
  return warningsOf(yaml).map((line) => line.replace(/^tollgate\.yaml:\d+:\d+ /, ''))
}

describe.each([
  ['drop_fields', 'providers.acme.quirks', (list: string) => withQuirks(`drop_fields: ${list}`)],
  ['unsupported_fields', 'models[0]', (list: string) => withModel(`unsupported_fields: ${list}`)],
])('`%s`', (setting, path, yaml) => {
  test.each(NEEDED_FIELDS)('with %s is a mistake: no call can be sent without it', (field) => {
    expect(problemsOf(yaml(`[seed, ${field}]`))).toEqual([
      expect.stringContaining(
        `${path}.${setting}[1] cannot be "${field}": no call can be sent without \`model\`, \`messages\` or \`stream\``,
      ),
    ])
  })

  test('takes every other field of a request in silence', () => {
    expect(warningsIn(yaml(`[${OPTIONAL_FIELDS.join(', ')}]`))).toEqual([])
  })

  test('warns of a name that no request has, and suggests the nearest or names them all', () => {
    const [near, far, ...more] = warningsIn(yaml('[lgit_bias, colour]'))
    expect(near).toBe(
      `${path}.${setting}[0] is not a field of a request: "lgit_bias" (did you mean "logit_bias"?)`,
    )
    expect(far).toStartWith(`${path}.${setting}[1] is not a field of a request: "colour"; known are `)
    for (const field of OPTIONAL_FIELDS) expect(far).toContain(field)
    expect(more).toEqual([])
  })

  test('warns of a field that something else decides about', () => {
    expect(warningsIn(yaml('[stream_options, models, provider]'))).toEqual([
      `${path}.${setting}[0] has no effect with "stream_options": the quirk \`stream_options: false\` of the provider keeps it back`,
      `${path}.${setting}[1] has no effect with "models": no provider is sent it`,
      `${path}.${setting}[2] has no effect with "provider": no provider is sent it`,
    ])
  })
})

test.each(NEEDED_MESSAGE_FIELDS)('`drop_message_fields` with %s is a mistake', (field) => {
  expect(problemsOf(withQuirks(`drop_message_fields: [name, ${field}]`))).toEqual([
    expect.stringContaining(
      `providers.acme.quirks.drop_message_fields[1] cannot be "${field}": a message without \`role\`, \`content\`, \`tool_calls\`, \`tool_call_id\` or \`function_call\` says something else`,
    ),
  ])
})

test('`drop_message_fields` takes fields that nobody knows, and warns of what is nearly a known one', () => {
  expect(warningsIn(withQuirks('drop_message_fields: [name, reasoning_details, mood, nmae]'))).toEqual([
    'providers.acme.quirks.drop_message_fields[3] is not a known field of a message: "nmae" (did you mean "name"?)',
  ])
})

test('a capability that clients do not know is a warning that names what they know', () => {
  expect(warningsIn(withModel('capabilities: [streaming, function_calling, json_mode, vision]'))).toEqual([])
  expect(warningsIn(withModel('capabilities: [visoin, telepathy]'))).toEqual([
    'models[0].capabilities[0] is not a capability that clients know: "visoin" (did you mean "vision"?)',
    'models[0].capabilities[1] is not a capability that clients know: "telepathy"; known are streaming, function_calling, json_mode, vision',
  ])
})

test('a lowest temperature above the highest is a mistake, whichever of the two the known provider states', () => {
  const temperatures = (provider: string, quirks: string) =>
    problemsOf(`providers: { ${provider}: { api_key: k, quirks: { ${quirks} } } }\n${ANY_MODEL}`)
  expect(problemsOf(withQuirks('minimum_temperature: 1.5, maximum_temperature: 0.5'))).toEqual([
    'tollgate.yaml:6:36 providers.acme.quirks.minimum_temperature must not be above maximum_temperature (0.5): it is 1.5',
  ])
  expect(temperatures('anthropic', 'minimum_temperature: 1.2')).toEqual([
    expect.stringContaining('minimum_temperature must not be above maximum_temperature (1): it is 1.2'),
  ])
  expect(temperatures('groq', 'maximum_temperature: 0')).toEqual([
    expect.stringContaining('maximum_temperature must not be below minimum_temperature (1e-8): it is 0'),
  ])
  const only = settingsOf(withQuirks('minimum_temperature: 1, maximum_temperature: 1'))
  expect(only.providers.get('acme')?.provider.quirks).toEqual({
    minimumTemperature: 1,
    maximumTemperature: 1,
  })
})

test('no known provider and no known model refuses a field that no request has, or that a call needs', () => {
  const refused = [
    ...PROVIDERS.flatMap(({ quirks }) => quirks.dropFields ?? []),
    ...KNOWN_MODELS.flatMap(({ unsupportedFields }) => unsupportedFields),
  ]
  expect(refused.filter((field) => !OPTIONAL_FIELDS.includes(field))).toEqual([])
  const inMessages = PROVIDERS.flatMap(({ quirks }) => quirks.dropMessageFields ?? [])
  expect(inMessages.filter((field) => NEEDED_MESSAGE_FIELDS.includes(field))).toEqual([])
})
