import { expect } from 'bun:test'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import { parseExactly } from '../../../src/core/exactNumber.ts'
import type { ModelFacts } from '../../../src/core/modelFacts.ts'
import { UnsupportedField, type WireQuirks } from '../../../src/wire/wire.ts'
import type { Rule } from '../rule.ts'

/** The largest that 64 bits hold with a sign. */
const LONG = '9223372036854775807'

/** What clients write for "nothing", and what hangs on it. */
const NOTHING: readonly JsonObject[] = [
  { tools: [], tool_choice: 'auto', parallel_tool_calls: true },
  { tools: [], tool_choice: 'required' },
  { tools: null, tool_choice: 'none', parallel_tool_calls: false },
  { tool_choice: { type: 'function', function: { name: 'f' } } },
  { functions: [], function_call: 'auto' },
  { function_call: 'none' },
  { stop: [] },
  { stop: '' },
  { stop: ['', ''] },
  { logit_bias: {} },
  { metadata: {} },
  { modalities: [] },
  { audio: {}, prediction: {} },
  { response_format: {} },
  { stream_options: {} },
  { stream_options: { include_usage: true } },
  { stream: false, stream_options: { include_usage: true, include_obfuscation: false } },
  { logprobs: false, top_logprobs: 0 },
  { top_logprobs: 0 },
  { models: [], provider: {} },
  { provider: { order: [], only: [], ignore: [] } },
]

/** What a format needs changed in a request is changed as a whole. */
export const REQUEST_RULES: readonly Rule[] = [
  {
    name: 'an empty list or object is sent as if it were absent, with what belongs to it',
    check(cell) {
      const plain = { ...cell.sent({}), dropped: [] }
      for (const nothing of NOTHING) {
        const { logprobs: _, ...body } = cell.sent(nothing).body
        expect([nothing, { ...cell.sent(nothing), body }]).toEqual([nothing, plain])
      }
    },
  },
  {
    name: 'empty lists of a message are sent as if they were absent',
    check(cell) {
      const turns = (more: JsonObject) => ({
        messages: [
          { role: 'user', content: 'Hi' },
          { role: 'assistant', content: 'Hello', ...more },
          { role: 'user', content: 'Bye' },
        ],
      })
      const plain = cell.sent(turns({}))
      for (const nothing of [{ tool_calls: [] }, { reasoning_details: [], images: [] }, { name: null }])
        expect([nothing, cell.sent(turns(nothing))]).toEqual([nothing, plain])
    },
  },
  {
    name: 'an image is sent with the media type that its bytes have, however its caller writes it',
    check(cell) {
      const image = (head: string) => ({
        messages: [
          {
            role: 'user',
            content: [
              { type: 'text', text: 'What is it?' },
              { type: 'image_url', image_url: { url: `${head},/9j/4AAQSkZJRgABAQAAAQABAAD` } },
            ],
          },
        ],
      })
      const plain = cell.sent(image('data:image/jpeg;base64'))
      expect(JSON.stringify(plain.body)).toContain('jpeg')
      for (const head of [
        'data:image/jpg;base64',
        'DATA:IMAGE/JPEG;BASE64',
        'data:image/jpeg;charset=utf-8;base64',
        'data:image/png;base64',
        'data:application/octet-stream;base64',
      ])
        expect([head, cell.sent(image(head))]).toEqual([head, plain])
    },
  },
  {
    name: 'a tool call has an id that the provider takes, as no other call of its conversation, and its result and signature have the same',
    check(cell) {
      const turns = CALL_IDS.flatMap((ids, turn) => turnsOf(ids, turn))
      const sent = cell.sent({
        messages: [{ role: 'user', content: 'Hi' }, ...turns, { role: 'user', content: 'Bye' }],
      })
      const { calls, results } = idsIn(sent.body)
      expect(calls).toHaveLength(CALL_IDS.flat().length)
      expect(new Set(calls).size).toBe(calls.length)
      for (const id of calls) expect(id).toMatch(cell.column.toolCallId)
      expect(results).toEqual(calls)
      // The next turn of the conversation begins as this one did: prompts stay in the provider's cache.
      expect(idsIn(cell.sent({ messages: [...turns, ...turns] }).body).calls.slice(0, calls.length)).toEqual(
        calls,
      )
    },
  },
  {
    name: 'integers keep their 64 bits: in arguments and in the schemas of tools',
    check(cell) {
      const request = parseExactly(`{
        "messages": [
          { "role": "user", "content": "Hi" },
          { "role": "assistant", "content": null, "tool_calls": [{ "id": "D681PevKs", "type": "function",
            "function": { "name": "f", "arguments": "{\\"id\\":${LONG},\\"deep\\":[-${LONG}]}" } }] },
          { "role": "tool", "tool_call_id": "D681PevKs", "content": "${LONG}" }
        ],
        "tools": [{ "type": "function", "function": { "name": "f", "parameters": { "type": "object",
          "properties": { "id": { "type": "integer", "maximum": ${LONG}, "enum": [${LONG}] } } } } }]
      }`)
      const text = JSON.stringify(cell.sent(request as JsonObject).body)
      expect(text.match(/\d{10,}/g)).toEqual([LONG, LONG, LONG, LONG, LONG])
    },
  },
  {
    name: 'a number beyond the largest double stays as it was written: in arguments and in schemas',
    check(cell) {
      const request = parseExactly(`{
        "messages": [
          { "role": "user", "content": "Hi" },
          { "role": "assistant", "content": null, "tool_calls": [{ "id": "D681PevKs", "type": "function",
            "function": { "name": "f", "arguments": "{\\"a\\":1e400}" } }] },
          { "role": "tool", "tool_call_id": "D681PevKs", "content": "" }
        ],
        "tools": [{ "type": "function", "function": { "name": "f", "parameters": { "type": "object",
          "properties": { "a": { "type": "number", "enum": [1e400] } } } } }]
      }`)
      const text = JSON.stringify(cell.sent(request as JsonObject).body)
      expect(text.match(/1e400/g)).toHaveLength(2)
      expect(text).not.toContain('[null]')
    },
  },
  {
    name: 'a seed of 64 bits is sent as it is, or left out by name',
    check(cell) {
      for (const seed of [LONG, '-9223372036854775808', '18446744073709551615', '4294967296']) {
        const { body, dropped } = cell.sent(parseExactly(`{"seed":${seed}}`) as JsonObject)
        const sent = dropped.includes('seed') ? [] : [seed]
        expect([seed, [...JSON.stringify(body).matchAll(/-?\d{10,}/g)].flat()]).toEqual([seed, sent])
      }
    },
  },
  {
    name: 'a response format that the model is known not to take, alone or beside tools, is refused by name',
    check(cell) {
      const schema = { type: 'json_schema', json_schema: { name: 'a', schema: { type: 'object' } } }
      const tools = [{ type: 'function', function: { name: 'f' } }]
      const refusedParam = (request: JsonObject, facts: ModelFacts, quirks: WireQuirks = {}) => {
        try {
          cell.sent(request, { facts, quirks })
        } catch (error) {
          return error instanceof UnsupportedField ? error.param : error
        }
        return undefined
      }
      const jsonOnly = { responseFormats: ['json_object'] } as const
      const oneOfBoth = { formatOrTools: true } as const
      expect(refusedParam({ response_format: schema }, jsonOnly)).toBe('response_format')
      expect(refusedParam({ response_format: schema, tools }, oneOfBoth)).toBe('response_format')
      expect(refusedParam({ response_format: schema, tools }, {}, oneOfBoth)).toBe('response_format')
      expect(refusedParam({ response_format: { type: 'json_object' }, tools }, oneOfBoth)).toBe(
        'response_format',
      )
      for (const [request, facts] of [
        [{ response_format: schema }, {}],
        [{ response_format: schema, tools: [] }, oneOfBoth],
        [{ response_format: { type: 'json_object' } }, { ...jsonOnly, ...oneOfBoth }],
        [
          { response_format: { type: 'text' }, tools },
          { ...jsonOnly, ...oneOfBoth },
        ],
      ] as const)
        expect([request, refusedParam(request, facts)]).toEqual([request, undefined])
    },
  },
  {
    name: 'what a response format is for is sent, whether its schema has a description or not',
    check(cell) {
      for (const own of [{}, { description: 'A day.' }]) {
        const schema = {
          type: 'object',
          properties: { a: { type: 'string' } },
          additionalProperties: false,
          ...own,
        }
        const format = { name: 'weather', description: 'Always in Celsius.', schema }
        const text = JSON.stringify(
          cell.sent({ response_format: { type: 'json_schema', json_schema: format } }).body,
        )
        for (const words of ['Always in Celsius.', ...Object.values(own)]) expect(text).toContain(words)
      }
    },
  },
  {
    name: 'no word of a schema is lost: a grammar that lacks it has it in the description, or is not asked to be strict',
    check(cell) {
      const properties = {
        age: { type: 'integer', minimum: 18 },
        pets: { type: 'array', items: { type: 'string', pattern: '^[A-Z]' }, maxItems: 9 },
      }
      const schema = { type: 'object', properties, required: ['age', 'pets'], additionalProperties: false }
      const format = { type: 'json_schema', json_schema: { name: 'a', schema, strict: true } }
      const tree = { type: 'object', properties: { parent: { $ref: '#' } }, additionalProperties: false }
      const toolsOf = (parameters: JsonObject) => [
        { type: 'function', function: { name: 'f', parameters, strict: true } },
      ]
      const bounds = ['minimum":18', 'pattern":"^[A-Z]', 'maxItems":9']
      for (const [request, words] of [
        [{ response_format: format }, bounds],
        [{ tools: toolsOf(schema) }, bounds],
        [{ tools: toolsOf(tree) }, ['$ref":"#"']],
      ] as const) {
        const { body, dropped } = cell.sent(request)
        // A schema may be sent as text, and then so may be what is in a description.
        const text = JSON.stringify(body).replaceAll('\\', '')
        for (const word of words) expect(text).toContain(word)
        const isStrict = !('tools' in request) || /strict\w*":true/.test(text)
        expect(isStrict || dropped.includes('tools.function.strict')).toBe(true)
      }
    },
  },
  {
    name: 'an instruction at the end is the last that the model reads, and no request ends with the model but that of a caller who ends so',
    check(cell) {
      const answered = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hello.' },
      ]
      for (const last of [
        [{ role: 'system', content: 'In French.' }],
        [{ role: 'developer', content: [{ type: 'text', text: 'In French.' }] }],
        [
          { role: 'system', content: 'Be kind.' },
          { role: 'developer', content: 'In French.' },
        ],
        [
          { role: 'user', content: 'And?' },
          { role: 'system', content: 'In French.' },
        ],
      ]) {
        const turns = turnsIn(cell.sent({ messages: [...answered, ...last] }).body)
        expect(turns.at(-1)).toEndWith('In French.')
        expect(turns.at(-1)).not.toMatch(/^"(?:assistant|model)/)
      }
      for (const last of [
        { role: 'user', content: '' },
        { role: 'system', content: '' },
      ])
        expect(turnsIn(cell.sent({ messages: [...answered, last] }).body).at(-1)).not.toMatch(
          /^"(?:assistant|model)/,
        )
      expect(turnsIn(cell.sent({ messages: answered }).body).at(-1)).toMatch(
        /^"(?:assistant|model)" Hello\.$/,
      )
    },
  },
  {
    name: 'an answer that its caller begins is refused by name where the model is known not to go on with it',
    check(cell) {
      const messages = [
        { role: 'user', content: 'Hi' },
        { role: 'assistant', content: 'Hel' },
      ]
      expect(() => cell.sent({ messages }, { facts: { refusesPrefill: true } })).toThrow(
        expect.objectContaining({ name: 'UnsupportedField', param: 'messages' }),
      )
      const ended = [...messages, { role: 'user', content: 'Go on.' }]
      expect(() => cell.sent({ messages: ended }, { facts: { refusesPrefill: true } })).not.toThrow()
    },
  },
  {
    name: 'a tool call id that the provider takes stays as it is',
    check(cell) {
      const ids = ['D681PevKs', 'Abcdefgh1']
      expect(idsIn(cell.sent({ messages: turnsOf(ids, 0) }).body)).toEqual({ calls: ids, results: ids })
    },
  },
]

/** Ids that servers give, turn by turn: too long, with signs of their own, the same in each answer, and twice in one. */
const CALL_IDS: readonly (readonly string[])[] = [
  ['call_chat_0'],
  [
    `chatcmpl-tool-${'0123456789abcdef'.repeat(2)}`,
    `chatcmpl-tool-${'0123456789abcdef'.repeat(2)}${'f'.repeat(99)}`,
  ],
  ['functions.tide:0', 'functions.tide.0', 'functions_tide_0'],
  ['call_chat_0', 'call_chat_0', 'call_chat_0_2'],
  ['Käse', ' ', '🧀', 'D681PevKs'],
  ['D681PevKs', 'call_chat_0'],
]

function turnsOf(ids: readonly string[], turn: number): JsonObject[] {
  return [
    {
      role: 'assistant',
      content: null,
      tool_calls: ids.map((id) => ({ id, type: 'function', function: { name: 'f', arguments: '{}' } })),
    },
    ...ids.map((id, i) => ({ role: 'tool', tool_call_id: id, content: `${turn}.${i}` })),
  ]
}

/** The ids of calls and of results in a request of any format, in order. */
const CALLS: ReadonlySet<unknown> = new Set(['tool_use', 'function', 'function_call'])
const RESULTS: ReadonlySet<unknown> = new Set(['tool_result', 'function_call_output'])

function idsIn(body: Json): { readonly calls: string[]; readonly results: string[] } {
  const calls: string[] = []
  const results: string[] = []
  function visit(value: unknown): void {
    if (Array.isArray(value)) return value.forEach(visit)
    if (typeof value !== 'object' || value === null) return
    const item = value as Record<string, unknown>
    const call = item.toolUse ?? item.functionCall ?? (CALLS.has(item.type) ? item : undefined)
    const result =
      item.toolResult ??
      item.functionResponse ??
      (item.role === 'tool' || RESULTS.has(item.type) ? item : undefined)
    if (call !== undefined) calls.push(idOf(call))
    if (result !== undefined) results.push(idOf(result))
    Object.values(item).forEach(visit)
  }
  visit(body)
  return { calls, results }
}

function idOf(item: unknown): string {
  const { id, toolUseId, tool_use_id, tool_call_id, call_id } = item as Record<string, unknown>
  return String(call_id ?? id ?? toolUseId ?? tool_use_id ?? tool_call_id)
}

/** The turns of a request of any format: the role, and the text of the last part. */
export function turnsIn(body: JsonObject): string[] {
  const { messages, contents, input } = body
  return ((contents ?? messages ?? input) as readonly JsonObject[]).map(({ role, content, parts }) => {
    const said = parts ?? content
    return `${JSON.stringify(role)} ${textIn(Array.isArray(said) ? said.at(-1) : said)}`
  })
}

function textIn(part: unknown): string {
  if (typeof part === 'string') return part
  const { text } = part as { readonly text?: unknown }
  return typeof text === 'string' ? text : ''
}
