import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { PROVIDERS } from '../providers/index.ts'
import { openai } from '../providers/openai.ts'
import type { WireQuirks } from '../wire/wire.ts'
import { LEARNT_ROUTES_MAX, LEARNT_ROUTE_LIFE_MS, createUnseenOutput } from './unseenOutput.ts'
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
      const { expects } = createUnseenOutput(() => 0)
      expect(expects(WITH_TOOLS, testRoute({ provider }))).toBe(id in WHOLE)
      expect(expects(PLAIN, testRoute({ provider }))).toBe(false)
      expect(expects(WITH_TOOLS_FORBIDDEN, testRoute({ provider }))).toBe(false)
    },
  )

  test('are a fact of the format where a provider has no row, unless its quirks say otherwise', () => {
    const { expects } = createUnseenOutput(() => 0)
    const told = (wire: 'google-generate' | 'openai-chat', quirks: WireQuirks): boolean =>
      expects(WITH_TOOLS, testRoute({ provider: { ...openai, id: 'acme', wire, quirks } }))
    expect(told('google-generate', {})).toBe(true)
    expect(told('google-generate', { wholeToolCalls: false })).toBe(false)
    expect(told('openai-chat', {})).toBe(false)
    expect(told('openai-chat', { wholeToolCalls: true })).toBe(true)
  })
})

describe('a route that once sent far more in one piece', () => {
  const [route, other] = [testRoute({ name: 'a' }), testRoute({ name: 'b' })]

  test('is expected to do it again, for an hour, and no other route is', () => {
    let now = 0
    const pieces = createUnseenOutput(() => now)
    pieces.learn(PLAIN, route)
    now = LEARNT_ROUTE_LIFE_MS - 1
    expect([PLAIN, WITH_TOOLS].map((request) => pieces.expects(request, route))).toEqual([true, true])
    expect([PLAIN, WITH_TOOLS].map((request) => pieces.expects(request, other))).toEqual([false, false])
    now = LEARNT_ROUTE_LIFE_MS
    expect([PLAIN, WITH_TOOLS].map((request) => pieces.expects(request, route))).toEqual([false, false])
  })

  test('is expected to do it with tools only, where tools were offered', () => {
    const pieces = createUnseenOutput(() => 0)
    pieces.learn(WITH_TOOLS, route)
    expect([PLAIN, WITH_TOOLS_FORBIDDEN, WITH_TOOLS].map((to) => pieces.expects(to, route))).toEqual([
      false,
      false,
      true,
    ])
  })

  test('is forgotten first where more are known than are remembered', () => {
    const pieces = createUnseenOutput(() => 0)
    const routes = Array.from({ length: LEARNT_ROUTES_MAX + 1 }, (_, i) => testRoute({ name: `p${i}` }))
    for (const each of routes.slice(0, -1)) pieces.learn(WITH_TOOLS, each)
    const told = (i: number): boolean | undefined => {
      const each = routes.at(i)
      return each && pieces.expects(WITH_TOOLS, each)
    }
    expect([told(0), told(1)]).toEqual([true, true])
    for (const each of routes.slice(-1)) pieces.learn(WITH_TOOLS, each)
    expect([told(0), told(1), told(-1)]).toEqual([false, true, true])
  })
})
