import { expect, test } from 'bun:test'
import { errorOf } from '../../support/readAnswer.ts'
import { type Act, answers, hang, openaiChunk, respond, sse, stream } from '../../support/scriptedProvider.ts'
import { standardConfig, startWorld } from '../../support/world.ts'
import { openStream, receiptOf, startRequest } from '../money/purse.ts'

const CALLS = 8
/** Of a line that does not end: twice as much in memory. */
const LINE_BYTES = 400 * 1024
const ROOM = '2MiB'
/** As many fit. */
const FITTING = 2

/** Each answer is a line without an end; where the prompt says so, an ordinary one. */
function startCrowded(line: Act) {
  return startWorld({
    provider: (request) =>
      JSON.stringify(request.body).includes('ordinary') ? answers({ pieces: ['Hello'] }) : line,
    config: (scripted) => ({ ...standardConfig(scripted), server: { answers_in_flight: ROOM } }),
  })
}

test('answers that are not whole yet take no more than their room together, and nobody is blamed for it', async () => {
  const begun = `data: ${'x'.repeat(LINE_BYTES)}`
  await using world = await startCrowded(stream([begun, hang()]))
  const calls = Array.from({ length: CALLS }, () => startRequest(world, { stream: true }))
  const refused = async (): Promise<number> =>
    (await world.operations.requests({})).data.filter(({ status }) => status === 503).length
  while ((await refused()) < CALLS - FITTING) await Bun.sleep(10)
  const ordinary = await world.chat({ messages: [{ role: 'user', content: 'an ordinary question' }] })
  expect(ordinary.status).toBe(200)
  for (const call of calls) call.leave()
  await world.settled()
  const { data } = await world.operations.requests({})
  for (const { id } of data.filter(({ status }) => status === 503))
    expect(await receiptOf(world, id)).toMatchObject({
      attempts: [{ outcome: 'no_room' }],
      charge_usd: '0.00',
    })
  expect((await world.operations.providers()).data[0]?.routes[0]).toMatchObject({ circuit: 'closed' })
})

test('a stream that finds no more room ends with an error, and costs nothing', async () => {
  const begun = [openaiChunk({ role: 'assistant', content: '' }), openaiChunk({ content: 'Hello' })]
  await using world = await startCrowded(stream([...begun, `data: ${'x'.repeat(4 * LINE_BYTES)}`, hang()]))
  const caller = await openStream(world)
  const text = await caller.rest()
  expect(text).toContain('"code":"service_unavailable"')
  await world.settled()
  expect((await world.operations.requests({})).data).toMatchObject([
    { ending: 'gateway_failed', charge_usd: '0.00' },
  ])
})

test.each<[string, Act, Record<string, unknown>]>([
  [
    'an event of 250,000 values',
    stream([sse(`{"choices":[${'[],'.repeat(250_000)}[]]}`), hang()]),
    { stream: true },
  ],
  [
    'a whole answer of a million and a half',
    respond({
      body: `{"choices":[${'[],'.repeat(1_500_000)}[]]}`,
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
