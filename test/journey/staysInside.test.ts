import { expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { jsonOf, streamOf } from '../support/readAnswer.ts'
import { openaiUsage, respond, sse, stream } from '../support/scriptedProvider.ts'
import { startWorld } from '../support/world.ts'

/** In each value that the caller must not see. */
const MARK = 'inside'
const INSIDE: JsonObject = {
  provider: MARK,
  cost: { upstream: MARK },
  total_price: MARK,
  marketplace: [MARK],
  odd: { deep: [{ billing_id: MARK, kept: MARK }] },
  internal: MARK,
  apiKey: MARK,
}
const USAGE = { ...openaiUsage(9, 12), ...INSIDE, is_byok: true }
/** What the model wrote has the same names, and is the caller's. */
const ARGUMENTS = '{"price":3,"provider":"x","internal":{"cost":[1]}}'
const CALL = { id: 'a', type: 'function', function: { name: 'buy', arguments: ARGUMENTS } }
const SENT_CALL = { ...CALL, function: { ...CALL.function, ...INSIDE }, ...INSIDE }
const TEXT = '{"cost": 1, "provider": "y"}'
const REQUEST = {
  tools: [
    {
      type: 'function',
      function: { name: 'buy', parameters: { type: 'object', properties: { price: {} } } },
    },
  ],
}

test('what a provider adds about cost, routes and itself stays inside, and what the model wrote does not: whole', async () => {
  const message = { role: 'assistant', content: TEXT, tool_calls: [SENT_CALL], kept_field: 'seen', ...INSIDE }
  const choice = { index: 0, message, logprobs: null, finish_reason: 'tool_calls', ...INSIDE }
  const answer = { id: 'x', object: 'chat.completion', choices: [choice], usage: USAGE, ...INSIDE }
  await using world = await startWorld({ provider: respond({ body: answer }) })
  const body = await jsonOf(await world.chat(REQUEST))
  expect(JSON.stringify(body)).not.toContain(MARK)
  expect(body).toMatchObject({
    choices: [{ message: { content: TEXT, tool_calls: [CALL], kept_field: 'seen' } }],
    usage: { prompt_tokens: 9, completion_tokens: 12 },
  })
})

test('and streamed', async () => {
  const chunk = (delta: JsonObject, finish: string | null = null) =>
    sse({
      id: 'x',
      choices: [{ index: 0, delta: { ...delta, ...INSIDE }, finish_reason: finish, ...INSIDE }],
      ...INSIDE,
    })
  await using world = await startWorld({
    provider: stream([
      chunk({ role: 'assistant', content: '' }),
      chunk({ content: TEXT, kept_field: 'seen' }),
      chunk({ tool_calls: [{ index: 0, ...SENT_CALL }] }),
      chunk({}, 'tool_calls'),
      sse({ id: 'x', choices: [], usage: USAGE, ...INSIDE }),
      sse('[DONE]'),
    ]),
  })
  const answer = await streamOf(
    await world.chat({ ...REQUEST, stream: true, stream_options: { include_usage: true } }),
  )
  expect(answer.done).toBe(true)
  expect(answer.text).not.toContain(MARK)
  const deltas = answer.chunks.flatMap(({ choices }) => choices).map(({ delta }) => delta)
  expect(deltas).toContainEqual(expect.objectContaining({ content: TEXT, kept_field: 'seen' }))
  expect(deltas).toContainEqual(expect.objectContaining({ tool_calls: [{ index: 0, ...CALL }] }))
  expect(answer.chunks.at(-1)).toMatchObject({ usage: { prompt_tokens: 9, completion_tokens: 12 } })
})
