import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../../test/support/chatSamples.ts'
import type { ChatRequest, ContentPart, ToolCall } from '../../core/chat/request.ts'
import { countPrompt } from './countPrompt.ts'

/** Nothing was left out. */
const ALL = { sentBytes: Number.POSITIVE_INFINITY, dropped: [] }
const MODEL = { imageTokens: 700, contextLength: 100_000 }

/** A tokenizer that sees a token in each word. */
const tokens = { count: (text: string) => Promise.resolve(text.split(/\s+/).length) }

function countOf(...content: ContentPart[]): Promise<number> {
  return countPrompt(chatRequest({ messages: [{ role: 'user', content }] }), MODEL, tokens, ALL)
}

test('our own count is the text, role and all', async () => {
  const messages = [{ role: 'user' as const, content: 'one two three' }]
  expect(await countPrompt(chatRequest({ messages }), MODEL, tokens, ALL)).toBe(4)
  expect(await countOf({ type: 'text', text: 'one two three' })).toBe(4)
})

test('our own count has what the estimate has: formats, functions, predictions, unknown parts', async () => {
  const text = 'word '.repeat(1_000)
  expect(await countOf({ type: 'x', text })).toBeGreaterThan(1_000)
  const formats = {
    responseFormat: { type: 'json_schema', json_schema: { name: 'f', description: text } },
  } as const
  for (const more of [
    formats,
    { extra: { functions: [text] } },
    { extra: { prediction: { content: text } } },
  ])
    expect(await countPrompt(chatRequest(more), MODEL, tokens, ALL)).toBeGreaterThan(1_000)
})

test('a tool call without a function is counted and loses no call', async () => {
  const call = { id: 'c', type: 'custom', custom: { name: 'f', input: 'one two' } } as unknown as ToolCall
  const messages = [{ role: 'assistant' as const, content: null, tool_calls: [call] }]
  expect(await countPrompt(chatRequest({ messages }), MODEL, tokens, ALL)).toBeGreaterThan(5)
})

test('our own count takes an image at the price of the model, and no document for the whole context', async () => {
  const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`
  const image = await countOf({ type: 'image_url', image_url: { url } })
  expect(image).toBeGreaterThanOrEqual(700)
  expect(image).toBeLessThan(720)
  const file = (length: number) =>
    countOf({ type: 'file', file: { file_data: `data:application/pdf;base64,${'A'.repeat(length)}` } })
  expect(await file(4)).toBeWithin(1_600, 1_620)
  expect(await file(320_000)).toBeWithin(10_000, 10_020)
  const audio = { type: 'input_audio', input_audio: { data: 'A'.repeat(320_000), format: 'wav' } }
  expect(await countOf(audio)).toBeWithin(10_000, 10_020)
})

test('our own count is never above the context of the model', async () => {
  expect(await countOf({ type: 'text', text: 'word '.repeat(200_000) })).toBe(100_000)
})

describe('of text that was not sent', () => {
  const messages = [
    { role: 'user' as const, content: 'one two three' },
    { role: 'assistant' as const, content: 'four', reasoning_content: 'thought '.repeat(2_000) },
  ]
  const count = (more: Partial<ChatRequest>, sentBytes: number) =>
    countPrompt(chatRequest({ messages, ...more }), MODEL, tokens, { sentBytes, dropped: [] })

  test('our own count has no more than the body could hold', async () => {
    expect(await count({}, ALL.sentBytes)).toBe(2_007)
    expect(await count({}, 20_000)).toBe(2_007)
    expect(await count({}, 176)).toBe(176)
  })

  test('an image costs what it costs, however short its address is', async () => {
    const image: ContentPart = { type: 'image_url', image_url: { url: 'https://a.example/b.png' } }
    expect(await count({ messages: [...messages, { role: 'user', content: [image] }] }, 250)).toBe(950)
  })
})

test('an image that the model made counts as an image where it is sent back, and not where it is dropped', async () => {
  const url = `data:image/png;base64,${'A'.repeat(1_000_000)}`
  const images = [{ type: 'image_url', image_url: { url }, index: 0 }]
  const messages = [{ role: 'assistant' as const, content: 'Here.', images }]
  const count = (...dropped: string[]) =>
    countPrompt(chatRequest({ messages }), MODEL, tokens, { ...ALL, dropped })
  expect(await count()).toBeWithin(700, 720)
  expect(await count('messages.images')).toBeLessThan(20)
})
