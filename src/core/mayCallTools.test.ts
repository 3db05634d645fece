import { expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { mayCallTools } from './mayCallTools.ts'

const TOOLS = [{ type: 'function', function: { name: 'f' } }]
const FUNCTIONS = [{ name: 'f' }]

test('an answer may hold tool calls where tools or functions are offered and their use is not forbidden', () => {
  expect(mayCallTools(chatRequest({ tools: TOOLS }))).toBe(true)
  expect(mayCallTools(chatRequest({ tools: TOOLS, toolChoice: 'required' }))).toBe(true)
  expect(mayCallTools(chatRequest({ extra: { functions: FUNCTIONS } }))).toBe(true)
  expect(mayCallTools(chatRequest({ extra: { functions: FUNCTIONS, function_call: 'auto' } }))).toBe(true)
})

test('an answer holds none where nothing is offered, or its use is forbidden', () => {
  expect(mayCallTools(chatRequest())).toBe(false)
  expect(mayCallTools(chatRequest({ tools: [] }))).toBe(false)
  expect(mayCallTools(chatRequest({ tools: TOOLS, toolChoice: 'none' }))).toBe(false)
  expect(mayCallTools(chatRequest({ extra: { functions: [] } }))).toBe(false)
  expect(mayCallTools(chatRequest({ extra: { functions: FUNCTIONS, function_call: 'none' } }))).toBe(false)
})
