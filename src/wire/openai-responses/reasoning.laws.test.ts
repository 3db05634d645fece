import { describe, expect, test } from 'bun:test'
import * as fc from 'fast-check'
import { anyText } from '../../../test/support/chatArbitraries.ts'
import type { AnswerEvent, Delta } from '../../core/answer/event.ts'
import type { Message, ReasoningDetail } from '../../core/chat/request.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { readObject, readObjects } from '../read.ts'
import type { Envelope } from '../wire.ts'
import { decodeRequest } from './decodeRequest.ts'
import { encodeResponse } from './encodeResponse.ts'
import { encodeStream } from './encodeStream.ts'

/** What comes back of the reasoning of other formats, however a client sends its items. */

const ENVELOPE: Envelope = {
  id: 'resp_X',
  created: 1_795_000_000,
  model: 'acme/chat-1',
  includeUsage: true,
  requestBody: { store: false },
}
const FORMAT = 'anthropic-claude-v1'

type Said =
  | { readonly kind: 'signed' | 'plain' | 'hidden'; readonly text: string }
  | { readonly kind: 'spoken' | 'called' }

const said: fc.Arbitrary<readonly Said[]> = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: fc.record({ kind: fc.constantFrom('signed', 'hidden'), text: anyText }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('plain'), text: anyText }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constantFrom('spoken', 'called') }) },
  ),
  { minLength: 1, maxLength: 8 },
)

/** The blocks in their order; each has a secret of its own, as those of providers have. */
function blocksIn(all: readonly Said[]): ReasoningDetail[] {
  return all.flatMap((one, i) => blockOf(one, i) ?? [])
}

function blockOf(one: Said, i: number): ReasoningDetail | undefined {
  switch (one.kind) {
    case 'signed':
      return { type: 'reasoning.text', text: one.text, signature: `s${i}`, format: FORMAT }
    case 'hidden':
      return { type: 'reasoning.encrypted', data: `d${i}`, format: FORMAT }
    case 'plain':
    case 'spoken':
    case 'called':
      return undefined
  }
}

/** As a provider streams it: thoughts as text, each followed by its block. */
function deltasOf(one: Said, i: number): Delta[] {
  const block = blockOf(one, i)
  const blocks = block ? [{ reasoning_details: [block] }] : []
  switch (one.kind) {
    case 'signed':
    case 'plain':
      return [...Array.from(one.text, (text) => ({ reasoning_content: text })), ...blocks]
    case 'hidden':
      return blocks
    case 'spoken':
      return [{ content: 'Well.' }]
    case 'called':
      return [{ tool_calls: [{ index: i, id: `call_${i}`, function: { name: 'f', arguments: '{}' } }] }]
  }
}

function streamedItems(all: readonly Said[]): JsonObject[] {
  const deltas = all.flatMap(deltasOf).map((delta): AnswerEvent => ({ type: 'delta', index: 0, delta }))
  const encoder = encodeStream(ENVELOPE)
  const finish: AnswerEvent = { type: 'finish', index: 0, reason: 'stop' }
  const text = [...[...deltas, finish].flatMap((event) => encoder.push(event)), ...encoder.end()].join('')
  const last = text.slice(text.lastIndexOf('\ndata: ') + '\ndata: '.length)
  return readObjects(readObject((JSON.parse(last) as JsonObject).response)?.output)
}

function wholeItems(all: readonly Said[]): JsonObject[] {
  const message = { role: 'assistant' as const, content: 'Well.', reasoning_details: blocksIn(all) }
  const { output } = encodeResponse(
    { choices: [{ index: 0, message, finishReason: 'stop' }], extra: {} },
    ENVELOPE,
  )
  return readObjects(output)
}

function cameBack(items: readonly Json[]): Message | undefined {
  const decoded = decodeRequest(JSON.parse(JSON.stringify({ model: 'm', input: items })) as Json)
  if (!decoded.ok) throw new Error(decoded.refusal.message)
  return decoded.request.messages[0]
}

function isThought({ type }: JsonObject): boolean {
  return type === 'reasoning'
}

/** The AI SDK makes one item of those that have the same id: all summaries, and the last secret. */
function joined(items: readonly JsonObject[]): readonly JsonObject[] {
  const thoughts = items.filter(isThought)
  const [first] = thoughts
  if (first === undefined) return items
  const encrypted = thoughts.findLast(({ encrypted_content: secret }) => secret !== undefined)
  const one = {
    ...first,
    summary: thoughts.flatMap(({ summary }) => readObjects(summary)),
    encrypted_content: encrypted?.encrypted_content,
  }
  return items.flatMap((item) => (item === first ? [one] : isThought(item) ? [] : [item]))
}

/** LangChain keeps one reasoning item of an answer. */
function onlyLast(items: readonly JsonObject[]): readonly JsonObject[] {
  const last = items.findLast(isThought)
  return items.filter((item) => !isThought(item) || item === last)
}

/** All parts of a summary as one, or as none. */
function inOnePart(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.map((item) => {
    const parts = readObjects(item.summary)
    const text = parts.map((part) => part.text as string).join('\n\n')
    return parts.length > 1 ? { ...item, summary: [{ type: 'summary_text', text }] } : item
  })
}

function withoutSummaries(items: readonly JsonObject[]): readonly JsonObject[] {
  return items.map((item) => (readObjects(item.summary).length > 1 ? { ...item, summary: [] } : item))
}

describe.each<[string, (all: readonly Said[]) => JsonObject[]]>([
  ['streamed', streamedItems],
  ['whole', wholeItems],
])('%s reasoning of other formats comes back byte for byte', (_how, itemsOf) => {
  test.each<[string, (items: readonly JsonObject[]) => readonly JsonObject[]]>([
    ['as it came', (items) => items],
    ['joined into one item', joined],
    ['as the last of its items', onlyLast],
    ['with each summary as one part', inOnePart],
    ['without summaries of several parts', withoutSummaries],
  ])('%s', (_sent, send) => {
    fc.assert(
      fc.property(said, (all) => {
        const expected = blocksIn(all)
        expect(cameBack(send(itemsOf(all)))?.reasoning_details ?? []).toEqual(expected)
      }),
      { numRuns: 300 },
    )
  })
})

test('blocks beside each other are one item, and every item of an answer that is not kept has a secret', () => {
  fc.assert(
    fc.property(said, (all) => {
      const items = streamedItems(all)
      const runs = items.filter((item, i) => isThought(item) && isThought(items[i - 1] ?? {}))
      expect(runs).toEqual([])
      for (const item of items.filter(isThought)) expect(item.encrypted_content).toBeString()
    }),
  )
})

test('plain text comes back as text, and as no block', () => {
  fc.assert(
    fc.property(fc.array(anyText, { minLength: 1, maxLength: 3 }), (texts) => {
      const all = texts.flatMap((text): Said[] => [{ kind: 'plain', text }, { kind: 'spoken' }])
      for (const send of [(items: readonly JsonObject[]) => items, joined]) {
        const message = cameBack(send(streamedItems(all)))
        expect(message?.reasoning_details).toBeUndefined()
        expect(message?.reasoning_content).toBe(texts.join('\n\n'))
      }
    }),
  )
})
