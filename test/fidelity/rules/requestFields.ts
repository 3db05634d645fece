import { expect } from 'bun:test'
import type { Json, JsonObject } from '../../../src/core/json.ts'
import type { ModelFacts } from '../../../src/core/modelFacts.ts'
import { type EncodedRequest, type EncodeTarget, UnsupportedField } from '../../../src/wire/wire.ts'
import type { Cell, Rule } from '../rule.ts'

/** A field with a value that asks for something, and what must be beside it. */
interface Asked {
  readonly field: string
  readonly value: Json
  readonly beside?: JsonObject
}

const TOOLS: JsonObject = { tools: [{ type: 'function', function: { name: 'f' } }] }
const FUNCTIONS: JsonObject = { functions: [{ name: 'f', parameters: { type: 'object' } }] }

const ASKED: readonly Asked[] = [
  { field: 'temperature', value: 0.3 },
  { field: 'top_p', value: 0.4 },
  { field: 'frequency_penalty', value: 0.5 },
  { field: 'presence_penalty', value: 0.6 },
  { field: 'stop', value: ['END'] },
  { field: 'seed', value: 7 },
  { field: 'user', value: 'u1' },
  { field: 'safety_identifier', value: 's1' },
  { field: 'logprobs', value: true },
  { field: 'top_logprobs', value: 3, beside: { logprobs: true } },
  { field: 'tools', value: TOOLS['tools'] as Json },
  { field: 'tool_choice', value: 'required', beside: TOOLS },
  { field: 'parallel_tool_calls', value: false, beside: TOOLS },
  { field: 'functions', value: FUNCTIONS['functions'] as Json },
  { field: 'function_call', value: { name: 'f' }, beside: FUNCTIONS },
  { field: 'response_format', value: { type: 'json_object' } },
  { field: 'reasoning_effort', value: 'high' },
  { field: 'prompt_cache_key', value: 'k1' },
  { field: 'prompt_cache_retention', value: '24h' },
  { field: 'prompt_cache_options', value: { ttl: '1h' } },
  { field: 'logit_bias', value: { 42: -100 } },
  { field: 'metadata', value: { trace: 't1' } },
  { field: 'store', value: true },
  { field: 'verbosity', value: 'low' },
  { field: 'prediction', value: { type: 'content', content: 'Perhaps.' } },
  { field: 'service_tier', value: 'default' },
  { field: 'modalities', value: ['text', 'audio'] },
  { field: 'audio', value: { voice: 'ash', format: 'mp3' } },
  { field: 'moderation', value: { model: 'omni' } },
  { field: 'web_search_options', value: { search_context_size: 'low' } },
]

/** A format may have to have these two, even for a model that refuses them. */
const LIMIT: Asked = { field: 'max_completion_tokens', value: 100 }
const STREAM: Asked = { field: 'stream', value: true }

/** What says no more than its absence. */
const NEUTRAL: readonly JsonObject[] = [
  { logprobs: false },
  { logprobs: false, top_logprobs: 0 },
  { ...TOOLS, tool_choice: 'auto' },
  { ...TOOLS, parallel_tool_calls: true },
  { response_format: { type: 'text' } },
  { modalities: ['text'] },
  { reasoning_effort: 'none' },
  { frequency_penalty: 0, presence_penalty: 0 },
  { temperature: 1 },
  { top_p: 1 },
  { n: 1, stream: false },
]

const EFFORTS = ['none', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max']
const CONTROLS: readonly ModelFacts[] = [
  {},
  { reasoning: { kind: 'budget', tokensMin: 128 } },
  { reasoning: { kind: 'adaptive' } },
  { reasoning: { kind: 'level', levels: ['low', 'high'] } },
]

/** Fields of a request, each by itself and with each other. */
export const FIELD_RULES: readonly Rule[] = [
  {
    name: 'each field beside each other one changes what is sent, or is left out or refused by name',
    check(cell) {
      const fields = [...ASKED, LIMIT, STREAM]
      for (const { field, value, beside } of fields)
        for (const other of fields) {
          const without: JsonObject = { ...other.beside, ...beside, [other.field]: other.value }
          if (other.field === field || field in (other.beside ?? {})) continue
          const plain = outcomeOf(cell, without)
          const full = outcomeOf(cell, { ...without, [field]: value })
          if (typeof plain === 'string') continue
          const pair = [field, other.field]
          if (typeof full === 'string')
            expect([pair, [field, other.field]]).toEqual([
              pair,
              expect.arrayContaining([full.split(/[.[]/)[0]]),
            ])
          else expect([pair, full.dropped.includes(field)]).toEqual([pair, same(full, plain)])
        }
    },
  },
  {
    name: 'only what the caller wrote is named as left out, once each',
    check(cell) {
      for (const first of ASKED)
        for (const second of ASKED) {
          const request: JsonObject = {
            ...first.beside,
            ...second.beside,
            [first.field]: first.value,
            [second.field]: second.value,
          }
          const outcome = outcomeOf(cell, request)
          if (typeof outcome === 'string') continue
          const { dropped } = outcome
          expect(Object.keys(request)).toEqual(expect.arrayContaining([...dropped]))
          expect(new Set(dropped).size).toBe(dropped.length)
        }
    },
  },
  {
    name: 'a field that the model or its provider refuses is not sent: it is left out or refused by name',
    check(cell) {
      for (const { field, value, beside = {} } of ASKED) {
        for (const target of [{ unsupportedFields: [field] }, { quirks: { dropFields: [field] } }]) {
          const plain = outcomeOf(cell, beside, target)
          if (typeof plain === 'string') continue
          const full = outcomeOf(cell, { ...beside, [field]: value }, target)
          const named = typeof full === 'string' ? full : full.dropped.find((name) => name === field)
          expect([target, named]).toEqual([target, field])
          if (typeof full !== 'string') expect([target, full.body]).toEqual([target, plain.body])
        }
      }
    },
  },
  {
    name: 'a value that asks for no more than its absence is refused by no model',
    check(cell) {
      for (const request of NEUTRAL) {
        const fields = Object.keys(request).filter((name) => !['tools', 'stream', 'n'].includes(name))
        for (const target of [{}, { unsupportedFields: fields }, { quirks: { dropFields: fields } }])
          expect([request, target, outcomeOf(cell, request, target)]).toEqual([
            request,
            target,
            expect.any(Object),
          ])
      }
    },
  },
  {
    name: 'tools that must not be called are left out with their choice where the model takes none',
    check(cell) {
      const plain = cell.sent({})
      for (const fields of [['tools'], ['tools', 'tool_choice', 'parallel_tool_calls']]) {
        const request = { ...TOOLS, tool_choice: 'none', parallel_tool_calls: false }
        const { body, dropped } = cell.sent(request, { unsupportedFields: fields })
        expect([fields, body]).toEqual([fields, plain.body])
        expect(dropped).toContain('tools')
        expect(outcomeOf(cell, { ...TOOLS, tool_choice: 'auto' }, { unsupportedFields: fields })).toBe(
          'tools',
        )
      }
    },
  },
  {
    name: 'each form of tool_choice is sent as one of its own, or refused by name',
    check(cell) {
      const tools = ['f', 'g'].map((name) => ({ type: 'function', function: { name } }))
      const allowed = (mode: string) => ({
        type: 'allowed_tools',
        allowed_tools: { mode, tools: [{ type: 'function', function: { name: 'g' } }] },
      })
      const outcomes = ['auto', 'none', 'required', named('f'), named('g'), allowed('auto')].map((choice) =>
        outcomeOf(cell, { tools, tool_choice: choice }),
      )
      for (const outcome of outcomes.slice(0, 3)) expect(outcome).toEqual(expect.any(Object))
      const sent = outcomes
        .filter((outcome) => typeof outcome !== 'string')
        .map(({ body }) => JSON.stringify(body))
      expect(new Set(sent).size).toBe(sent.length)
      const refused = outcomes.filter((outcome) => typeof outcome === 'string')
      expect(refused).toEqual(refused.map(() => 'tool_choice'))
      const odd = { type: 'strange' }
      const outcome = outcomeOf(cell, { tools, tool_choice: odd })
      if (typeof outcome === 'string') expect([odd, outcome]).toEqual([odd, 'tool_choice'])
      else expect(outcome.body['tool_choice']).toEqual(odd)
    },
  },
  {
    name: 'a tool that is not a function, and a choice of it, is sent as it is, or as a function with the text of its input',
    check(cell) {
      const custom = { type: 'custom', custom: { name: 'run_odd' } }
      const tools = [...(TOOLS['tools'] as Json[]), custom]
      const { body } = cell.sent({ tools })
      const isSentAsItIs = [custom, flat(custom)].some((tool) => Bun.deepEquals(tool, lastOf(body['tools'])))
      if (!isSentAsItIs) expect(JSON.stringify(body)).toMatch(/"run_odd".*"input":\{"type":"string"/s)
      const outcome = outcomeOf(cell, { tools, tool_choice: custom })
      if (typeof outcome === 'string') {
        expect(outcome).toBe('tool_choice')
        expect(outcomeOf(cell, { tools, tool_choice: named('f') })).toBe('tool_choice')
      } else if (isSentAsItIs)
        expect<unknown[]>([custom, flat(custom)]).toContainEqual(outcome.body['tool_choice'])
      else expect(JSON.stringify({ ...outcome.body, tools: [] })).toContain('"run_odd"')
    },
  },
  {
    name: 'null in a tool or in a response format is sent as if it were absent',
    check(cell) {
      const requestOf = (nothing: JsonObject) => ({
        tools: [{ type: 'function', function: { name: 'f', ...nothing } }],
      })
      const formatOf = (nothing: JsonObject) => ({
        response_format: {
          type: 'json_schema',
          json_schema: {
            name: 'a',
            schema: {
              type: 'object',
              properties: { a: { const: null } },
              required: ['a'],
              additionalProperties: false,
            },
            ...nothing,
          },
        },
      })
      for (const nothing of [{ description: null }, { parameters: null }, { strict: null }])
        expect([nothing, cell.sent(requestOf(nothing))]).toEqual([nothing, cell.sent(requestOf({}))])
      for (const nothing of [{ description: null }, { strict: null }])
        expect([nothing, cell.sent(formatOf(nothing))]).toEqual([nothing, cell.sent(formatOf({}))])
    },
  },
  {
    name: 'stop sequences are all sent as they are, or refused by name',
    check(cell) {
      expect(outcomeOf(cell, { stop: 'END' })).toEqual(outcomeOf(cell, { stop: ['END'] }))
      const many = (count: number) => Array.from({ length: count }, (_, i) => `<stop-${i}>`)
      for (const stop of [
        ['END'],
        many(4),
        many(5),
        many(6),
        many(16),
        [' # '],
        ['\n'],
        ['\n\n', 'END'],
        ['"}'],
      ]) {
        const outcome = outcomeOf(cell, { stop })
        if (typeof outcome === 'string') expect([stop, outcome]).toEqual([stop, 'stop'])
        else expect(JSON.stringify(outcome.body)).toContain(JSON.stringify(stop))
      }
      const few = { quirks: { maximumStops: 2 } }
      expect(outcomeOf(cell, { stop: many(3) }, few)).toBe('stop')
      expect(outcomeOf(cell, { stop: many(2) }, few)).toEqual(outcomeOf(cell, { stop: many(2) }))
    },
  },
  {
    name: 'an output limit has one meaning by its two names, and is never above what the model can do',
    check(cell) {
      const asked = cell.sent({ max_completion_tokens: 77 })
      expect(JSON.stringify(asked.body)).toContain(':77')
      expect(cell.sent({ max_tokens: 77 })).toEqual(asked)
      expect(cell.sent({ max_tokens: 99, max_completion_tokens: 77 })).toEqual(asked)
      expect(cell.sent({ max_completion_tokens: 77, max_tokens: 99 })).toEqual(asked)
      const most = cell.sent({ max_tokens: 8_192 })
      expect(JSON.stringify(most.body)).toContain(':8192')
      expect(cell.sent({ max_tokens: 1_000_000 })).toEqual(most)
    },
  },
  {
    name: 'temperature and top_p are brought within what the provider is known to take',
    check(cell) {
      const quirks = { minimumTemperature: 0.25, maximumTemperature: 0.75, minimumTopP: 0.125 }
      for (const [given, sent] of [
        [{ temperature: 0 }, { temperature: 0.25 }],
        [{ temperature: 2 }, { temperature: 0.75 }],
        [{ temperature: 0.5 }, { temperature: 0.5 }],
        [{ top_p: 0 }, { top_p: 0.125 }],
        [{ top_p: 0.5 }, { top_p: 0.5 }],
      ] as const) {
        const { body, dropped } = cell.sent(given, { quirks })
        expect([given, body]).toEqual([given, cell.sent(sent, { quirks }).body])
        expect(JSON.stringify(body)).toMatch(
          new RegExp(`"(?:temperature|top_p|topP|p)":${Object.values(sent)[0]}\\b`),
        )
        expect(dropped).toEqual([])
      }
    },
  },
  {
    name: 'each reasoning_effort is taken or left out by name, and none asks for no thoughts',
    check(cell) {
      for (const facts of CONTROLS) {
        const plain = cell.sent({}, { facts })
        for (const effort of EFFORTS) {
          const { body, dropped } = cell.sent({ reasoning_effort: effort }, { facts })
          const label = [facts, effort]
          if (dropped.includes('reasoning_effort')) expect([label, body]).toEqual([label, plain.body])
          else if (effort !== 'none') expect([label, body]).not.toEqual([label, plain.body])
          else
            expect(JSON.stringify(body)).not.toMatch(
              /"(?:enabled|adaptive|includeThoughts)"|"(?:low|medium|high)"/,
            )
        }
      }
    },
  },
  {
    name: "the model is sent by its provider's name, and what is for the gateway or is unknown is not sent",
    check(cell) {
      const target = { upstreamModel: 'upstream-m1' }
      const plain = cell.sent({}, target)
      expect(`${plain.path} ${JSON.stringify(plain.body)}`).toContain('upstream-m1')
      const request = {
        model: 'alias-1',
        models: ['other-1'],
        provider: { order: ['acme'], sort: 'price' },
        top_k: 40,
        temprature: 0.1,
        idempotency_key: 'i1',
      }
      expect(cell.sent(request, target)).toEqual(plain)
    },
  },
]

function named(name: string): JsonObject {
  return { type: 'function', function: { name } }
}

/** What is sent, or the name of what is refused. */
function outcomeOf(cell: Cell, request: JsonObject, target?: Partial<EncodeTarget>): EncodedRequest | string {
  try {
    return cell.sent(request, target)
  } catch (error) {
    if (error instanceof UnsupportedField) return error.param
    throw error
  }
}

function same(one: EncodedRequest, other: EncodedRequest): boolean {
  return Bun.deepEquals({ ...one, dropped: [] }, { ...other, dropped: [] })
}

/** What a type has within it, beside it. */
function flat({ type, ...rest }: JsonObject): JsonObject {
  return { type, ...Object.assign({}, ...Object.values(rest)) } as JsonObject
}

function lastOf(list: unknown): unknown {
  return Array.isArray(list) ? list.at(-1) : undefined
}
