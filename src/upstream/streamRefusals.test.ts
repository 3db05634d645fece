import { describe, expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { openai } from '../providers/openai.ts'
import { STREAM_REFUSAL_LIFE_MS, createStreamRefusals, saysItDoesNotStream } from './streamRefusals.ts'
import { testRoute } from '../../test/support/testRoute.ts'

const PLAIN = chatRequest()
const WITH_TOOLS = chatRequest({ tools: [{ type: 'function', function: { name: 'f' } }] })

function routeWith(streaming: 'never' | 'without_tools' | undefined, name = 'a') {
  return testRoute({ name, provider: { ...openai, quirks: { ...(streaming && { streaming }) } } })
}

describe('a target that does not stream', () => {
  test('is known by the row of its provider', () => {
    const { refuses } = createStreamRefusals(() => 0)
    const told = (streaming: Parameters<typeof routeWith>[0]): boolean[] =>
      [PLAIN, WITH_TOOLS].map((request) => refuses(request, routeWith(streaming)))
    expect([told(undefined), told('without_tools'), told('never')]).toEqual([
      [false, false],
      [false, true],
      [true, true],
    ])
  })

  test('is learnt for requests of its kind, for an hour, and for no other target', () => {
    let now = 0
    const refusals = createStreamRefusals(() => now)
    const [route, other] = [routeWith(undefined), routeWith(undefined, 'b')]
    refusals.learn(WITH_TOOLS, route)
    expect(refusals.refuses(WITH_TOOLS, route)).toBe(true)
    expect(refusals.refuses(PLAIN, route)).toBe(false)
    expect(refusals.refuses(WITH_TOOLS, other)).toBe(false)
    now = STREAM_REFUSAL_LIFE_MS
    expect(refusals.refuses(WITH_TOOLS, route)).toBe(false)
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
