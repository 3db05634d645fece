import { expect, test } from 'bun:test'
import { chatRequest, HELLO, textPrompt } from '../../test/support/chatSamples.ts'
import { promptSizeOf, promptTokensOn } from './promptSize.ts'
import { estimateTokens } from './tokenEstimate.ts'

const MODEL = { contextLength: 10_000, imageTokens: 700 }

test('a prompt is its text, its images at the price of the model, and its audio', () => {
  expect(promptTokensOn(textPrompt(100), MODEL)).toBe(100)
  const size = { textTokens: 100, images: 2, audioTokens: 30, unfolds: false }
  expect(promptTokensOn(size, MODEL)).toBe(1_530)
  expect(promptTokensOn(size, { ...MODEL, imageTokens: 48_169 })).toBe(10_000)
})

test('a prompt that unfolds is all that the model can read, and no prompt is more', () => {
  expect(promptTokensOn({ ...textPrompt(100), unfolds: true }, MODEL)).toBe(10_000)
  expect(promptTokensOn(textPrompt(10_001), MODEL)).toBe(10_000)
})

test('content as a string and as a part of text are the same prompt', () => {
  const parts = [{ type: 'text' as const, text: 'Hello' }]
  const size = promptSizeOf(chatRequest({ messages: HELLO }))
  expect(promptSizeOf(chatRequest({ messages: [{ role: 'user', content: parts }] }))).toEqual(size)
  expect(size.textTokens).toBeGreaterThan(estimateTokens('Hello'))
})

test('tools and formats have room for the instructions that come with them', () => {
  const plain = promptSizeOf(chatRequest()).textTokens
  const tool = { type: 'function', function: { name: 'f' } }
  expect(promptSizeOf(chatRequest({ tools: [tool] })).textTokens).toBeGreaterThan(plain + 804)
  const format = { type: 'json_object' as const }
  expect(promptSizeOf(chatRequest({ responseFormat: format })).textTokens).toBeGreaterThan(plain + 30)
})
