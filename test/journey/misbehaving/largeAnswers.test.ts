import { expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/core/json.ts'
import { WHOLE_OUTPUT_TOKENS_MAX } from '../../../src/pipeline/admit/holdTerms.ts'
import { errorOf } from '../../support/readAnswer.ts'
import {
  type Act,
  answers,
  hang,
  openaiChunk,
  openaiCompletion,
  openaiUsage,
  openaiUsageChunk,
  respond,
  sse,
  stream,
} from '../../support/scriptedProvider.ts'
import { standardConfig, startWorld } from '../../support/world.ts'
import { openStream, receiptOf, startRequest } from '../money/purse.ts'

/** More than open a circuit. */
const CALLS = 8
/** Of a line that does not end: twice as much in memory. */
const LINE_BYTES = 400 * 1024
const ROOM = '4MiB'
/** As many fit in the share of a workspace. */
const FITTING = 2

/** An event of little text that fits alone, and never comes in one read. */
const large = stream([
  openaiChunk({ role: 'assistant', content: 'Hello' }),
  openaiChunk({}, { finishReason: 'stop', more: { obfuscation: 'x'.repeat(2 * LINE_BYTES) } }),
  openaiUsageChunk(),
  sse('[DONE]'),
])

/** Each answer is a line without an end; where the prompt says so, an ordinary one, or a large one. */
function startCrowded(line: Act) {
  return startWorld({
    provider: ({ body }) => {
      const prompt = JSON.stringify(body)
      if (prompt.includes('ordinary')) return answers({ pieces: ['Hello'] })
      return prompt.includes('large') ? large : line
    },
    config: (scripted) => ({ ...standardConfig(scripted), server: { answers_in_flight: ROOM } }),
  })
}

test('answers of a workspace that are not whole yet take no more than its share together, and their target is not blamed', async () => {
  const begun = `data: ${'x'.repeat(LINE_BYTES)}`
  await using world = await startCrowded(stream([begun, hang()]))
  const calls = Array.from({ length: CALLS }, () => startRequest(world, { stream: true }))
  const refused = async (): Promise<number> =>
    (await world.operations.requests({})).data.filter(({ status }) => status === 400).length
  while ((await refused()) < CALLS - FITTING) await Bun.sleep(10)
  const ask = async (content: string): Promise<number> =>
    (await world.chat({ messages: [{ role: 'user', content }] })).status
  expect(await ask('an ordinary question')).toBe(200)
  expect(await ask('a large question')).toBe(400)
  for (const call of calls) call.leave()
  await world.settled()
  expect(await ask('a large question')).toBe(200)
  const { data } = await world.operations.requests({})
  for (const { id } of data.filter(({ status }) => status === 400))
    expect(await receiptOf(world, id)).toMatchObject({
      attempts: [{ outcome: 'no_share' }],
      ending: 'request_at_fault',
    })
  expect((await world.operations.providers()).data[0]?.routes[0]).toMatchObject({ circuit: 'closed' })
})

test('a stream that finds no more room ends with an error', async () => {
  const begun = [openaiChunk({ role: 'assistant', content: '' }), openaiChunk({ content: 'Hello' })]
  await using world = await startCrowded(stream([...begun, `data: ${'x'.repeat(4 * LINE_BYTES)}`, hang()]))
  const caller = await openStream(world)
  const text = await caller.rest()
  expect(text).toContain('"code":"invalid_request"')
  await world.settled()
  expect((await world.operations.requests({})).data).toMatchObject([
    { ending: 'request_at_fault', attempts: [{ outcome: 'no_share' }] },
  ])
})

test.each<[string, Act, Record<string, unknown>]>([
  [
    'an event of 250,000 values',
    stream([sse(`{"choices":[${'[],'.repeat(250_000)}[]]}`), hang()]),
    { stream: true },
  ],
  [
    'a whole answer of 250,000',
    respond({
      body: `{"choices":[${'[],'.repeat(250_000)}[]]}`,
      headers: { 'content-type': 'application/json' },
    }),
    { max_tokens: 20 },
  ],
])('%s is no answer', async (_, act, body) => {
  await using world = await startWorld({ provider: act })
  const response = await world.chat(body)
  expect(response.status).toBe(502)
  expect(await errorOf(response)).toMatchObject({ code: 'upstream_error' })
})

test('two choices with twenty alternatives for each of 4,096 tokens are a whole answer', async () => {
  const alternative = { token: ' a', logprob: -0.123_456, bytes: [32, 97] }
  const token = { ...alternative, top_logprobs: Array.from({ length: 20 }, () => alternative) }
  const logprobs = { content: Array.from({ length: WHOLE_OUTPUT_TOKENS_MAX }, () => token), refusal: null }
  const usage = openaiUsage(9, 2 * WHOLE_OUTPUT_TOKENS_MAX)
  const { choices } = openaiCompletion(['Hello', 'Hi'], { usage })
  const more = { choices: (choices as readonly JsonObject[]).map((choice) => ({ ...choice, logprobs })) }
  await using world = await startWorld({ provider: respond({ body: openaiCompletion('', { usage, more }) }) })
  const max_tokens = WHOLE_OUTPUT_TOKENS_MAX
  const response = await world.chat({ n: 2, logprobs: true, top_logprobs: 20, max_tokens })
  expect(world.provider.requests[0]?.body).not.toMatchObject({ stream: true })
  expect(response.status).toBe(200)
  expect((await response.text()).split('"logprob"').length - 1).toBe(2 * 21 * max_tokens)
})

test('a whole answer that is gathered from a stream takes room, too', async () => {
  const logprobs = {
    content: [{ token: 'x'.repeat(LINE_BYTES / 4), logprob: 0, bytes: null, top_logprobs: [] }],
  }
  const choices = [{ index: 0, delta: {}, logprobs, finish_reason: null }]
  const pieces = Array.from({ length: 24 }, () => openaiChunk({}, { more: { choices } }))
  const hello = openaiChunk({ role: 'assistant', content: 'Hello' })
  await using world = await startCrowded(stream([hello, ...pieces, hang()]))
  const response = await world.chat()
  expect(response.status).toBe(400)
  expect(await errorOf(response)).toMatchObject({ code: 'invalid_request' })
  await world.settled()
  expect((await world.operations.requests({})).data).toMatchObject([
    { ending: 'request_at_fault', attempts: [{ outcome: 'no_share' }] },
  ])
  expect((await world.operations.providers()).data[0]?.routes[0]).toMatchObject({ circuit: 'closed' })
})
