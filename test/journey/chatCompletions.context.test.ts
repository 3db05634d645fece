import { expect, setDefaultTimeout, test } from 'bun:test'
import { errorOf, jsonOf } from '../support/readAnswer.ts'
import { MODEL, type World, standardModel, startWorld } from '../support/world.ts'

// On a busy machine the tokenizer's tables alone may take many seconds to load.
setDefaultTimeout(120_000)

const LARGE = 'acme/chat-large'

function startNarrow(key: Record<string, unknown> = {}): Promise<World> {
  return startWorld({
    key,
    config: () => ({
      models: [
        standardModel({ context_length: 4_000, max_output_tokens: 1_000 }),
        standardModel({ id: LARGE, aliases: [], context_length: 40_000 }),
      ],
    }),
  })
}

function prompt(words: number): { messages: object[] } {
  return { messages: [{ role: 'user', content: 'word '.repeat(words) }] }
}

test('a prompt above the context is a 400 with both numbers: nothing is sent or held, and it counts', async () => {
  await using world = await startNarrow({ requests_per_minute: 2 })
  for (const stream of [false, true]) {
    const response = await world.chat({ ...prompt(6_000), stream })
    expect(response.status).toBe(400)
    const error = await errorOf(response)
    expect(error).toMatchObject({ code: 'invalid_request', type: 'invalid_request_error', param: 'messages' })
    expect(error.message).toMatch(/\b60\d\d tokens\b.*\b4000\b/)
    expect(response.headers.get('x-ratelimit-remaining')).toBe(stream ? '0' : '1')
  }
  // Over the limit and too long: the earlier gate answers.
  expect((await world.chat(prompt(6_000))).status).toBe(429)
  expect(world.provider.requests).toHaveLength(0)
  expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup'])
})

test('with a fallback model that can read it the next larger one answers', async () => {
  await using world = await startNarrow()
  const body = await jsonOf(await world.chat({ ...prompt(6_000), models: [LARGE], max_tokens: 5 }))
  expect(body['model']).toBe(LARGE)
  expect(world.provider.requests).toHaveLength(1)
  const refused = await world.chat({ ...prompt(60_000), models: [LARGE], max_tokens: 5 })
  expect(refused.status).toBe(400)
  expect((await errorOf(refused)).message).toContain('40000')
})

test('a prompt that fits is sent, however close it is', async () => {
  await using world = await startNarrow()
  const body = await jsonOf(await world.chat({ ...prompt(3_900), max_tokens: 5 }))
  expect(body['model']).toBe(MODEL)
})
