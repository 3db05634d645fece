import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { openai } from '../providers/openai.ts'
import { STREAM_REFUSAL_LIFE_MS, createStreamRefusals, saysItDoesNotStream } from './streamRefusals.ts'
import { testRoute } from '../../test/support/testRoute.ts'
import type { WorkspaceId } from '../core/id.ts'

const OURS = 'ws_1' as WorkspaceId
const THEIRS = 'ws_2' as WorkspaceId
const PLAIN = chatRequest()
const WITH_LOGPROBS = chatRequest({ logprobs: true })
const WITH_TOOLS = chatRequest({ tools: [{ type: 'function', function: { name: 'f' } }] })

function routeWith(streaming: 'never' | 'without_tools' | undefined, name = 'a') {
  return testRoute({ name, provider: { ...openai, quirks: { ...(streaming && { streaming }) } } })
}

describe('a target that does not stream', () => {
  test('is known by the row of its provider', () => {
    const { refuses } = createStreamRefusals(() => 0)
    const told = (streaming: Parameters<typeof routeWith>[0]): boolean[] =>
      [PLAIN, WITH_TOOLS].map((request) => refuses(OURS, request, routeWith(streaming)))
    expect([told(undefined), told('without_tools'), told('never')]).toEqual([
      [false, false],
      [false, true],
      [true, true],
    ])
  })

  test.each([
    ['the field that the refusal names', { param: 'tools[0]', detail: 'no streams' }],
    ['the field that its words are about', { detail: 'Streaming is not supported with tool calls.' }],
  ])('is remembered with %s, for the workspace that met it and for an hour', (_, said) => {
    let now = 0
    const refusals = createStreamRefusals(() => now)
    const [route, other] = [routeWith(undefined), routeWith(undefined, 'b')]
    const both = chatRequest({ logprobs: true, tools: WITH_TOOLS.tools ?? [] })
    refusals.learn(OURS, both, route, { kind: 'bad_request', ...said })
    expect(refusals.refuses(OURS, both, route)).toBe(true)
    expect(refusals.refuses(OURS, WITH_TOOLS, route)).toBe(true)
    for (const request of [PLAIN, WITH_LOGPROBS]) expect(refusals.refuses(OURS, request, route)).toBe(false)
    expect(refusals.refuses(OURS, WITH_TOOLS, other)).toBe(false)
    expect(refusals.refuses(THEIRS, WITH_TOOLS, route)).toBe(false)
    now = STREAM_REFUSAL_LIFE_MS
    expect(refusals.refuses(OURS, WITH_TOOLS, route)).toBe(false)
  })

  test('that names no field streams nothing to that workspace', () => {
    const refusals = createStreamRefusals(() => 0)
    const route = routeWith(undefined)
    refusals.learn(OURS, WITH_TOOLS, route, { kind: 'bad_request', detail: 'Verify to stream this model.' })
    for (const request of [PLAIN, WITH_TOOLS]) {
      expect(refusals.refuses(OURS, request, route)).toBe(true)
      expect(refusals.refuses(THEIRS, request, route)).toBe(false)
    }
  })

  test('says so in its words, which the options of a caller cannot put into its mouth', () => {
    const says = (detail: string, kind: 'bad_request' | 'server' = 'bad_request', extra = {}): boolean =>
      saysItDoesNotStream({ kind, detail }, chatRequest({ extra }))
    expect(says("This model doesn't support tool use in streaming mode.")).toBe(true)
    expect(says('Your organization must be verified to stream this model.')).toBe(true)
    expect(says('upstream prompt is too bad')).toBe(false)
    expect(says('streaming is broken', 'server')).toBe(false)
    expect(says('bad stream options', 'bad_request', { stream_options: { x: 1 } })).toBe(false)
  })
})
