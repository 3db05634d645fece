import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { encodeTarget } from '../../../test/support/chatSamples.ts'
import { refuse } from '../../core/error.ts'
import { isJsonObject, type Json, type JsonObject } from '../../core/json.ts'
import { inCallersNames } from '../callersNames.ts'
import { WIRE_FORMATS } from '../formats.ts'
import { UnsupportedField } from '../wire.ts'
import { callersNames } from './callersNames.ts'
import { decodeRequest } from './decodeRequest.ts'

const mark = fc.constant('mark')

const text = fc.record({ type: fc.constant('text'), text: mark }, { noNullPrototype: true })
const source = fc.oneof(
  mark.map((at) => ({ type: 'url', url: `https://example.com/${at}` })),
  mark.map((data) => ({ type: 'base64', media_type: 'image/png', data })),
)
const image = source.map((given) => ({ type: 'image', source: given }))
const file = fc.tuple(source, mark).map(([given, title]) => ({ type: 'document', source: given, title }))
const carried = mark.map((content) => ({ type: 'search_result', source: content }))
const part = fc.oneof(text, image, file, carried)
const parts = fc.array(part, { maxLength: 3 })
const textOrParts: fc.Arbitrary<Json> = fc.oneof(mark, parts)
const result = fc.tuple(mark, textOrParts).map(([id, content]) => ({
  type: 'tool_result',
  tool_use_id: id,
  content,
}))
const call = fc.tuple(mark, mark, mark).map(([id, name, city]) => ({
  type: 'tool_use',
  id,
  name,
  input: { city },
}))
const thought = fc.oneof(
  fc.tuple(mark, mark).map(([thinking, signature]) => ({ type: 'thinking', thinking, signature })),
  mark.map((data) => ({ type: 'redacted_thinking', data })),
  mark.map((thinking) => ({ type: 'thinking', thinking })),
)
const turn: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.record(
    { role: fc.constantFrom('user', 'assistant', 'system'), content: mark },
    { noNullPrototype: true },
  ),
  fc
    .array(fc.oneof(part, result), { minLength: 1, maxLength: 5 })
    .map((content) => ({ role: 'user', content })),
  fc
    .array(fc.oneof(part, call, thought), { minLength: 1, maxLength: 5 })
    .map((content) => ({ role: 'assistant', content })),
  fc.array(text, { minLength: 1, maxLength: 2 }).map((content) => ({ role: 'system', content })),
)
const tool: fc.Arbitrary<JsonObject> = fc.oneof(
  fc.tuple(mark, mark, mark).map(([name, description, title]) => ({
    name,
    description,
    input_schema: { type: 'object', title },
  })),
  fc.constant({ type: 'web_search_20250305', name: 'web_search' }),
)
const request: fc.Arbitrary<JsonObject> = fc.record(
  {
    model: fc.constant('m'),
    max_tokens: fc.constant(9),
    messages: fc.array(turn, { minLength: 1, maxLength: 4 }),
    system: fc.oneof(fc.constant(''), mark, fc.array(text, { maxLength: 2 })),
    tools: fc.array(tool, { maxLength: 4 }),
    stop_sequences: fc.array(mark, { maxLength: 2 }),
    metadata: mark.map((id) => ({ user_id: id })),
    output_config: mark.map((title) => ({
      effort: 'low',
      format: { type: 'json_schema', schema: { title } },
    })),
  },
  { requiredKeys: ['model', 'max_tokens', 'messages'], noNullPrototype: true },
)

/** A copy in which no two texts are the same, and that may be changed. */
function numbered(body: JsonObject): JsonObject {
  let count = 0
  return JSON.parse(JSON.stringify(body).replaceAll('mark', () => `mark ${++count}`)) as JsonObject
}

/** Every marked text below a value, with its path. */
function* marked(value: unknown, path: string): Generator<readonly [path: string, text: string]> {
  if (typeof value === 'string' && value.includes('mark ')) yield [path, value]
  if (typeof value !== 'object' || value === null) return
  for (const [key, inner] of Object.entries(value))
    yield* marked(inner, Array.isArray(value) ? `${path}[${key}]` : `${path}.${key}`)
}

function valueAt(body: Json, path: string): Json | undefined {
  return path
    .split(/[.[\]]+/)
    .filter((step) => step !== '')
    .reduce<Json | undefined>((value, step) => {
      if (typeof value !== 'object' || value === null) return undefined
      return (value as Readonly<Record<string, Json>>)[step]
    }, body)
}

/** What was written at a path is what became the text. */
function wrote(value: Json | undefined, became: string): boolean {
  if (typeof value === 'string') return value === became
  if (!isJsonObject(value)) return false
  return value.data === undefined
    ? JSON.stringify(value) === became
    : typeof value.data === 'string' && became.endsWith(`,${value.data}`)
}

function decoded(body: JsonObject) {
  const verdict = decodeRequest(body)
  if (!verdict.ok) throw new Error(verdict.refusal.message)
  return verdict.request
}

describe('the names of a request of Messages', () => {
  test('every text of the canonical request is named by the path at which its caller wrote it', () => {
    fc.assert(
      fc.property(request, (given) => {
        const body = numbered(given)
        const { messages, tools = [], stop = [], user, responseFormat } = decoded(body)
        const names = callersNames(body)
        const texts = [
          ...marked(messages, 'messages'),
          ...marked(tools, 'tools'),
          ...marked(stop, 'stop'),
          ...marked(user, 'user'),
          ...marked(responseFormat, 'response_format'),
        ]
        // Thoughts are there twice, the text of several as one.
        for (const [path, became] of texts.filter(([at]) => !at.endsWith('.reasoning_content'))) {
          const at = names.path(path)
          if (!wrote(valueAt(body, at), became) && !wrote(valueAt(body, `${at}.text`), became))
            throw new Error(`${path} is named ${at}`)
        }
      }),
      { numRuns: 500 },
    )
  })

  test.each(Object.values(WIRE_FORMATS))(
    'a part that $id does not take is named by its path, wherever it is',
    ({ id, client }) => {
      let refused = 0
      fc.assert(
        fc.property(request, fc.nat(), (given, at) => {
          const { output_config: _, ...body } = numbered(given)
          const strange: JsonObject = { type: 'strange', text: 'x' }
          const lists = listsOf(body)
          const chosen = lists[at % lists.length]
          if (!chosen) return
          const [list, path] = chosen
          const place = at % (list.length + 1)
          list.splice(place, 0, strange)
          // What else the format does not take comes out before it.
          for (const [others] of lists) keepOnly(others, strange)
          const position = list.indexOf(strange)
          const error = unsupportedBy(() => client.encodeRequest(decoded(body), encodeTarget('m')))
          if (!error) return
          const named = callersNames(body).path(error.part ?? error.param)
          // A format may first miss the call that a result answers.
          if (named.endsWith('.tool_use_id')) return
          refused += 1
          const own = `${path}[${position}]`
          expect(named.replace(/\.type$/, '')).toBe(own)
        }),
      )
      // OpenAI's format passes on what it does not know.
      if (id !== 'openai-chat') expect(refused).toBeGreaterThan(20)
    },
  )

  test.each<[string, string, JsonObject]>([
    ['reasoning_effort', 'output_config.effort', { output_config: { effort: 'low' } }],
    ['reasoning_effort', 'thinking', { thinking: { type: 'enabled', budget_tokens: 2000 } }],
    ['reasoning_effort', 'thinking', { thinking: { type: 'disabled' }, output_config: { effort: 'low' } }],
    ['max_completion_tokens', 'max_tokens', {}],
    ['max_tokens', 'max_tokens', {}],
    ['parallel_tool_calls', 'tool_choice.disable_parallel_tool_use', {}],
    ['tool_choice.function.name', 'tool_choice.name', {}],
    ['tools.function.strict', 'tools.strict', {}],
    ['tools[7].function.name', 'tools', {}],
    ['response_format.type', 'output_config.format.type', {}],
    ['response_format.json_schema.name', 'output_config.format', {}],
    ['messages', 'messages', {}],
    ['messages[7].content', 'messages', {}],
    ['messages[1].role', 'messages[0].role', { system: 'x', messages: [{ role: 'user', content: 'x' }] }],
    ['messages.is_error', 'messages.content.is_error', {}],
    ['messages.reasoning_details', 'messages.content[redacted_thinking]', {}],
    [
      'messages.reasoning_details',
      'messages.content[thinking]',
      { messages: [{ role: 'assistant', content: [{ type: 'thinking', thinking: 'x' }] }] },
    ],
  ])('%s is %s', (path, expected, body) => {
    expect(callersNames(body).path(path)).toBe(expected)
  })
})

test('a refusal has the names of its caller in its sentence too', () => {
  const body = { system: 'x', messages: [{ role: 'user', content: [{ type: 'image' }] }] }
  const said = (message: string, param: string) => {
    const refusal = inCallersNames(refuse('invalid_request', message, { param }), callersNames(body))
    return `${refusal.param}: ${refusal.message}`
  }
  expect(said('This model does not support `stop`.', 'stop')).toBe(
    'stop_sequences: This model does not support `stop_sequences`.',
  )
  expect(said('This model does not take response_format together with tools.', 'response_format')).toBe(
    'output_config.format: This model does not take output_config.format together with tools.',
  )
  expect(said('This model does not take content of type image_url.', 'messages[1].content[0].type')).toBe(
    'messages[0].content[0].type: This model does not take content of type image.',
  )
  expect(said('This model does not take content of type `file`.', 'messages[0].content')).toBe(
    'system: This model does not take content of type `document`.',
  )
  expect(said('`messages[1].content[0].source` names something.', 'messages[1].content[0].source')).toBe(
    'messages[0].content[0].source: `messages[0].content[0].source` names something.',
  )
})

/** Every list of blocks of a body, with its path: they are changed in place. */
function listsOf(body: JsonObject): (readonly [list: JsonObject[], path: string])[] {
  const lists: (readonly [JsonObject[], string])[] = []
  const add = (value: unknown, path: string): void => {
    if (!Array.isArray(value)) return
    const list = value as JsonObject[]
    lists.push([list, path])
    for (const [i, block] of list.entries())
      if (block.type === 'tool_result') add(block.content, `${path}[${i}].content`)
  }
  add(body.system, 'system')
  for (const [i, { content }] of (body.messages as readonly JsonObject[]).entries())
    add(content, `messages[${i}].content`)
  return lists
}

const STAYING = new Set<Json | undefined>(['text', 'tool_result', 'tool_use', 'thinking'])

/** Blocks that some format takes nowhere become texts, in their places. */
function keepOnly(list: JsonObject[], strange: JsonObject): void {
  for (const [i, block] of list.entries()) {
    const stays = block === strange || STAYING.has(block.type)
    if (!stays) list[i] = { type: 'text', text: 'x' }
  }
}

function unsupportedBy(encode: () => unknown): UnsupportedField | undefined {
  try {
    encode()
    return undefined
  } catch (error) {
    if (error instanceof UnsupportedField) return error
    throw error
  }
}
