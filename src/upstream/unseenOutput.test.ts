import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { PROVIDERS } from '../providers/index.ts'
import { openai } from '../providers/openai.ts'
import type { WireQuirks } from '../wire/wire.ts'
import { streamsUnseen } from './unseenOutput.ts'
import { testRoute } from '../../test/support/testRoute.ts'

const PLAIN = chatRequest()
const TOOLS = [{ type: 'function', function: { name: 'f' } }]
const WITH_TOOLS = chatRequest({ tools: TOOLS })
const WITH_TOOLS_FORBIDDEN = chatRequest({ tools: TOOLS, toolChoice: 'none' })

/** Where each provider says so, or was seen to do so by those who use it. */
const WHOLE: Readonly<Record<string, string>> = {
  google: 'js-genai, FunctionCall.partialArgs: "This field is not supported in Gemini API"',
  vertex: 'FunctionCallingConfig.streamFunctionCallArguments: only "when set to true", which we do not send',
  mistral: 'recorded: comet-ml/opik pull 7385 and microsoft/semantic-kernel issue 6316, with the live API',
  groq: 'recorded: ogx-ai/ogx pull 630, a call of 10,000 characters in one chunk; langchainjs pull 6203',
  xai: 'docs.x.ai, Function Calling: "returned in whole in a single chunk, not streamed across chunks"',
  ollama:
    'its maintainer in ollama/ollama issue 11633: "coming back fully parsed"; issue 13581 asks for parts',
}

describe('tool arguments in one piece', () => {
  test.each(PROVIDERS.map((provider) => [provider.id, provider] as const))(
    'are expected of a row whose source says so, and of no other: %s',
    (id, provider) => {
      expect(streamsUnseen(WITH_TOOLS, testRoute({ provider }))).toBe(id in WHOLE)
      expect(streamsUnseen(PLAIN, testRoute({ provider }))).toBe(false)
      expect(streamsUnseen(WITH_TOOLS_FORBIDDEN, testRoute({ provider }))).toBe(false)
    },
  )

  test('are a fact of the format where a provider has no row, unless its quirks say otherwise', () => {
    const told = (wire: 'google-generate' | 'openai-chat', quirks: WireQuirks): boolean =>
      streamsUnseen(WITH_TOOLS, testRoute({ provider: { ...openai, id: 'acme', wire, quirks } }))
    expect(told('google-generate', {})).toBe(true)
    expect(told('google-generate', { wholeToolCalls: false })).toBe(false)
    expect(told('openai-chat', {})).toBe(false)
    expect(told('openai-chat', { wholeToolCalls: true })).toBe(true)
  })
})
