import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../../test/support/chatSamples.ts'
import { testRoute } from '../../../test/support/testRoute.ts'
import type { ChatRequest, Tool } from '../../core/chat/request.ts'
import { promptSizeOf } from '../../core/promptSize.ts'
import { asFunctions } from '../../wire/customTools.ts'
import { promptOf } from './chat.ts'

const TOOL: Tool = { type: 'custom', custom: { name: 'sh', description: 'Runs.' } }
const ASKED: ChatRequest = chatRequest({
  tools: [TOOL],
  source: { format: 'openai-chat', body: { tools: [TOOL as never] }, headers: {} },
})
const AS_FUNCTIONS = asFunctions(ASKED)?.request ?? ASKED

describe('a prompt with custom tools', () => {
  test('holds for the functions that may stand for them', () => {
    expect(promptOf(ASKED).size).toEqual(promptSizeOf(AS_FUNCTIONS))
    expect(promptSizeOf(AS_FUNCTIONS).textTokens).toBeGreaterThan(promptSizeOf(ASKED).textTokens)
  })

  test('is counted as it was sent', async () => {
    const seen: string[] = []
    const tokens = { count: (text: string) => Promise.resolve(seen.push(text)) }
    const sent = { sentBytes: 10_000, dropped: [] }
    const route = { ...testRoute(), quirks: {} }
    await promptOf(ASKED).count(route.model, tokens, { ...sent, sentTo: route })
    const takesThem = { ...route, quirks: { customTools: true } }
    await promptOf(ASKED).count(route.model, tokens, { ...sent, sentTo: takesThem })
    expect(seen.map((text) => text.includes('properties'))).toEqual([true, false])
    expect(seen.map((text) => text.includes('custom'))).toEqual([false, true])
  })
})
