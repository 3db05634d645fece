import { expect, test } from 'bun:test'
import type { JsonObject } from '../../../src/core/json.ts'
import { jsonOf, streamOf } from '../../support/readAnswer.ts'
import { inTurn, respond, type Script, stream } from '../../support/scriptedProvider.ts'
import { standardModel, startWorld, type World } from '../../support/world.ts'
import { onlyReceipt } from './purse.ts'

/** As much base64 as an image of 1,024 by 1,024 pixels has. */
const DATA = 'iVBORw0KGgoA'.repeat(170_000)
const IMAGES = [{ type: 'image_url', image_url: { url: `data:image/png;base64,${DATA}` }, index: 0 }]

function frame(part: JsonObject, more: JsonObject = {}, usageMetadata?: JsonObject): JsonObject {
  return {
    candidates: [{ index: 0, content: { role: 'model', parts: [part] }, ...more }],
    ...(usageMetadata && { usageMetadata }),
  }
}

const REPORT = { promptTokenCount: 9, candidatesTokenCount: 1_296, totalTokenCount: 1_305 }
const IMAGE = { inlineData: { mimeType: 'image/png', data: DATA } }

/** On a balance that pays for an image, and not for its bytes as if they were text. */
function startPainter(provider: Script): Promise<World> {
  return startWorld({
    provider,
    config: ({ baseUrl }) => ({
      providers: { acme: { wire: 'google-generate', base_url: baseUrl, api_key: 'k' } },
      models: [standardModel({ max_output_tokens: 8_192 })],
    }),
    balance: '0.05',
  })
}

test('an image is passed on, whole or streamed, and charged as it is reported', async () => {
  const whole = respond({ body: frame(IMAGE, { finishReason: 'STOP' }, REPORT) })
  const streamed = stream([
    frame({ text: 'Here.' }),
    frame(IMAGE),
    frame({ text: '' }, { finishReason: 'STOP' }, REPORT),
  ])
  await using world = await startPainter(inTurn(whole, streamed))
  const answer = await jsonOf(await world.chat({}))
  expect(answer['choices']).toMatchObject([
    { message: { content: '', images: IMAGES }, finish_reason: 'stop' },
  ])
  expect(answer['usage']).toMatchObject({ completion_tokens: 1_296 })

  const { chunks } = await streamOf(await world.chat({ stream: true }))
  const images = chunks.flatMap(({ choices }) => choices[0]?.delta['images'] ?? [])
  expect(images).toEqual(IMAGES as never)
  expect(chunks.at(-1)?.choices[0]).toMatchObject({ finish_reason: 'stop' })
})

test.each([false, true])('an image of 40 MiB in one frame is passed on, streamed: %p', async (streamed) => {
  const data = 'iVBORw0KGgoA'.repeat(3_495_000)
  const image = { inlineData: { mimeType: 'image/png', data } }
  const last = frame(image, { finishReason: 'STOP' }, REPORT)
  await using world = await startPainter(inTurn(stream([last]), respond({ body: last })))
  for (let i = 0; i < 2; i++) {
    const text = await (await world.chat({ stream: streamed })).text()
    expect(text.length).toBeGreaterThan(data.length)
    expect(text).toContain('"finish_reason":"stop"')
  }
})

test('an image without a report is counted as an image, not as text', async () => {
  await using world = await startPainter(
    stream([frame({ text: 'Here.' }), frame(IMAGE, { finishReason: 'STOP' })]),
  )
  const { chunks } = await streamOf(await world.chat({ stream: true }))
  expect(chunks.at(-1)?.choices[0]).toMatchObject({ finish_reason: 'stop' })
  await world.settled()
  const { usage } = await onlyReceipt(world)
  expect(usage.completion_tokens).toBeWithin(1_000, 2_000)
})
