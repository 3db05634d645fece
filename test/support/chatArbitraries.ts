import * as fc from 'fast-check'
import type { ChatRequest, Message, Tool, ToolCall } from '../../src/core/chat/request.ts'
import type { AssistantMessage, WholeAnswer, Choice } from '../../src/core/answer/wholeAnswer.ts'
import type { Json, JsonObject } from '../../src/core/json.ts'
import type { Usage } from '../../src/core/usage.ts'

/** Text as it can stand in JSON and survive UTF-8: any characters but lone surrogates. */
export const anyText: fc.Arbitrary<string> = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 })

/** The same with more than white space, which alone says nothing. */
export const anyWords: fc.Arbitrary<string> = anyText.filter((text) => text.trim() !== '')

const identifier = fc.stringMatching(/^[a-z][a-z0-9_]{0,15}$/)

/** A JSON object as a tool's arguments; keys are plain words. */
const toolArguments: fc.Arbitrary<JsonObject> = fc.dictionary(
  identifier,
  fc.oneof(anyText, fc.integer(), fc.boolean(), fc.constant(null)),
  { maxKeys: 3, noNullPrototype: true },
)

/** Calls with distinct ids, as one assistant turn makes them. */
export const toolCalls: fc.Arbitrary<readonly ToolCall[]> = fc
  .array(fc.tuple(identifier, toolArguments), { minLength: 1, maxLength: 3 })
  .map((calls) =>
    calls.map(([name, given], i) => ({
      id: `call_${i}${name}`,
      type: 'function',
      function: { name, arguments: JSON.stringify(given) },
    })),
  )

export const tools: fc.Arbitrary<readonly Tool[]> = fc
  .uniqueArray(identifier, { minLength: 1, maxLength: 3 })
  .map((names) =>
    names.map((name) => ({
      type: 'function',
      function: {
        name,
        description: `Does ${name}.`,
        parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
      },
    })),
  )

/** A conversation that every format can express: instructions, then text turns that alternate. */
export const plainMessages: fc.Arbitrary<readonly Message[]> = fc
  .tuple(fc.option(anyWords, { nil: undefined }), fc.array(anyWords, { minLength: 1, maxLength: 5 }))
  .map(([instructions, turns]) => [
    ...(instructions === undefined ? [] : [{ role: 'system' as const, content: instructions }]),
    ...turns.map((content, i): Message => ({ role: i % 2 === 0 ? 'user' : 'assistant', content })),
  ])

/** A conversation with a round of tool calls and their results. */
export const toolMessages: fc.Arbitrary<readonly Message[]> = fc
  .tuple(plainMessages, toolCalls, anyWords)
  .map(([messages, calls, result]) => [
    ...messages.filter((message) => message.role === 'system'),
    { role: 'user', content: 'Use your tools.' },
    { role: 'assistant', content: null, tool_calls: calls },
    ...calls.map((call): Message => ({ role: 'tool', tool_call_id: call.id, content: result })),
  ])

/** A number with few decimals, as people write them. */
function tenths(least: number, most: number): fc.Arbitrary<number> {
  return fc.integer({ min: least * 10, max: most * 10 }).map((value) => value / 10)
}

/** Values for the contract's parameters and the commonest ones beyond; a format takes those it has. */
export const requestFields = {
  maxTokens: fc.integer({ min: 1, max: 4096 }),
  temperature: tenths(0, 2),
  topP: fc.integer({ min: 1, max: 10 }).map((value) => value / 10),
  frequencyPenalty: tenths(-2, 2),
  presencePenalty: tenths(-2, 2),
  stop: fc.uniqueArray(identifier, { minLength: 1, maxLength: 4 }),
  seed: fc.nat(),
  user: identifier,
  parallelToolCalls: fc.boolean(),
} as const

/** Any subset of the named fields, with `undefined` ones left out. */
export function someFields(
  ...names: readonly (keyof typeof requestFields)[]
): fc.Arbitrary<Partial<ChatRequest>> {
  const chosen = Object.fromEntries(names.map((name) => [name, requestFields[name]]))
  return fc.record(chosen, { requiredKeys: [], noNullPrototype: true })
}

/** A request of these messages and fields; streamed ones ask for usage, as every encoder does. */
export function requestOf(
  messages: fc.Arbitrary<readonly Message[]>,
  fields: fc.Arbitrary<Partial<ChatRequest>>,
): fc.Arbitrary<ChatRequest> {
  return fc.tuple(messages, fields, fc.boolean()).map(([messages, fields, stream]) => ({
    model: 'upstream-model',
    messages,
    n: 1,
    stream,
    includeUsage: stream,
    ...fields,
    extra: fields.extra ?? {},
  }))
}

export const usages: fc.Arbitrary<Usage> = fc
  .record({ input: fc.nat(5000), cached: fc.nat(500), output: fc.nat(5000), reasoning: fc.nat(500) })
  .map(({ input, cached, output, reasoning }) => ({
    promptTokens: 1 + input + cached,
    cachedTokens: cached,
    cacheWriteTokens: 0,
    completionTokens: output + reasoning,
    reasoningTokens: reasoning,
  }))

/** A text answer, a refusal to go on, or a round of tool calls. */
export const plainChoices: fc.Arbitrary<Omit<Choice, 'index'>> = fc.oneof(
  fc
    .tuple(anyText, fc.constantFrom('stop' as const, 'length' as const, 'content_filter' as const))
    .map(([content, finishReason]) => ({
      message: { role: 'assistant', content } satisfies AssistantMessage,
      finishReason,
    })),
  toolCalls.map((calls) => ({
    message: { role: 'assistant', content: null, tool_calls: calls } satisfies AssistantMessage,
    finishReason: 'tool_calls' as const,
  })),
)

/** Answers of up to `most` choices of the given kind. */
export function responseOf(
  choices: fc.Arbitrary<Omit<Choice, 'index'>>,
  most = 1,
  extra: fc.Arbitrary<JsonObject> = fc.constant({}),
): fc.Arbitrary<WholeAnswer> {
  return fc
    .tuple(fc.array(choices, { minLength: 1, maxLength: most }), usages, extra)
    .map(([choices, usage, extra]) => ({
      choices: choices.map((choice, index) => ({ index, ...choice })),
      usage,
      extra,
    }))
}

/** Any JSON at all, hostile keys included. */
export const anyJson: fc.Arbitrary<Json> = fc
  .json({ maxDepth: 4, stringUnit: fc.constantFrom('a', '"', '\\', '\u0000', 'é', '😀') })
  .chain((text) =>
    fc.constantFrom(text, `{"__proto__":${text},"constructor":${text},"toString":${text}}`, `[${text}]`),
  )
  .map((text) => JSON.parse(text) as Json)

/** The given JSON with one value somewhere inside replaced by any other, or removed. */
export function mutated(of: Json): fc.Arbitrary<Json> {
  return fc
    .tuple(fc.array(fc.nat(30), { minLength: 1, maxLength: 8 }), fc.option(anyJson, { nil: undefined }))
    .map(([path, replacement]) => replaceAt(of, path, replacement) ?? null)
}

function replaceAt(value: Json, path: readonly number[], replacement: Json | undefined): Json | undefined {
  const [step, ...rest] = path
  if (step === undefined || typeof value !== 'object' || value === null) return replacement
  const entries: [string, Json | undefined][] = Object.entries(value)
  if (entries.length === 0) return replacement
  const at = step % entries.length
  const changed = entries.map(([key, field], i) => [
    key,
    i === at ? replaceAt(field ?? null, rest, replacement) : field,
  ])
  if (Array.isArray(value)) return changed.map(([, field]) => field ?? null)
  return Object.fromEntries(changed.filter(([, field]) => field !== undefined)) as JsonObject
}
