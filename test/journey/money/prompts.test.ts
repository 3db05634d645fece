import { describe, expect, test } from 'bun:test'
import { jsonOf } from '../../support/readAnswer.ts'
import { answers, hang, openaiUsage } from '../../support/scriptedProvider.ts'
import { MESSAGES, standardModel, startWorld } from '../../support/world.ts'
import { COUNTED_PROMPT, onlyReceipt, receiptOf, startRequest } from './purse.ts'

/** Some 15,000 tokens: $0.0075, and the balance is less. */
const LONG = 'The morning ferry crosses the strait. '.repeat(2_000)
const BALANCE = '0.005'
const HELLO = MESSAGES[0]

/** A conversation whose last message but one is this one. */
function withMessage(message: object): object {
  return { messages: [message, HELLO] }
}

function withPart(part: object): object {
  return { messages: [{ role: 'user', content: [part] }] }
}

const IMAGE = { url: 'data:image/png;base64,iVBORw0KGgo=' }
const CALL = { id: 'call_1', type: 'custom', custom: { name: 'f', input: LONG } }

describe('a prompt that cannot be paid is a 402 before anything is sent, wherever it stands', () => {
  test.each<[string, object]>([
    [
      'in response_format',
      { response_format: { type: 'json_schema', json_schema: { name: 'a', description: LONG } } },
    ],
    ['in functions', { functions: [{ name: 'f', description: LONG }] }],
    ['in function_call', { functions: [{ name: 'f' }], function_call: { name: LONG } }],
    [
      'in tool_choice',
      { tools: [{ type: 'custom', custom: { name: 'x' } }], tool_choice: { type: 'x', x: LONG } },
    ],
    ['in prediction', { prediction: { type: 'content', content: LONG } }],
    ['in metadata', { metadata: { a: LONG } }],
    ['in the refusal of a message', withMessage({ role: 'assistant', refusal: LONG })],
    [
      'in the function_call of a message',
      withMessage({ role: 'assistant', content: null, function_call: { name: 'f', arguments: LONG } }),
    ],
    ['in a custom tool call', withMessage({ role: 'assistant', content: null, tool_calls: [CALL] })],
    ['in a field of a message that nobody knows', withMessage({ role: 'user', content: 'x', mood: [LONG] })],
    ['in a part that nobody knows', withPart({ type: 'x', text: LONG })],
    ['in a part of type refusal', withPart({ type: 'refusal', refusal: LONG })],
    ['beside an image', withPart({ type: 'image_url', image_url: IMAGE, text: LONG })],
    ['in the detail of an image', withPart({ type: 'image_url', image_url: { ...IMAGE, detail: LONG } })],
    [
      'in a data URL that is not base64',
      withPart({ type: 'image_url', image_url: { url: `data:image/png,${LONG}` } }),
    ],
    ['in a file', withPart({ type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } })],
    [
      'in a file that is an image by name',
      withPart({ type: 'image_url', image_url: { url: 'data:text/plain;base64,AA==' } }),
    ],
    ['in a video', withPart({ type: 'video_url', video_url: { url: 'https://example.com/film.mp4' } })],
  ])('%s', async (_, body) => {
    await using world = await startWorld({ balance: BALANCE })
    const response = await world.chat({ max_tokens: 5, ...body })
    expect(response.status).toBe(402)
    expect(world.provider.requests).toHaveLength(0)
    await using rich = await startWorld()
    expect((await rich.chat({ max_tokens: 5, ...body })).status).toBe(200)
  })

  test('in an image, at the price of the model', async () => {
    const body = { max_tokens: 5, ...withPart({ type: 'image_url', image_url: IMAGE }) }
    const statusAt = async (imageTokens: number): Promise<number> => {
      await using world = await startWorld({
        balance: BALANCE,
        config: () => ({ models: [standardModel({ image_tokens: imageTokens })] }),
      })
      const { status } = await world.chat(body)
      expect(world.provider.requests).toHaveLength(status === 200 ? 1 : 0)
      return status
    }
    expect(await statusAt(48_169)).toBe(402)
    expect(await statusAt(1_445)).toBe(200)
  })
})

test('where no usage is reported, the whole prompt is counted and charged', async () => {
  await using world = await startWorld({ provider: answers({ pieces: ['Hello'], usage: null }) })
  const call = { ...CALL, custom: { name: 'f', input: 'x' } }
  const response = await world.chat({
    max_tokens: 5,
    ...withMessage({ role: 'assistant', content: null, tool_calls: [call] }),
    response_format: { type: 'json_schema', json_schema: { name: 'a', description: LONG } },
  })
  expect(response.status).toBe(200)
  await world.settled()
  const { usage } = await receiptOf(world, response)
  expect(usage.source).toBe('estimated')
  expect(usage.prompt_tokens).toBeWithin(14_000, 20_000)
})

test('a document whose usage is reported costs what was reported, however much was held', async () => {
  const usage = openaiUsage(300, 2)
  await using world = await startWorld({ provider: answers({ pieces: ['Hello'], usage }) })
  const part = { type: 'file', file: { file_data: 'data:application/pdf;base64,JVBERi0=' } }
  const response = await world.chat({ max_tokens: 5, ...withPart(part) })
  expect((await jsonOf(response))['usage']).toMatchObject({ prompt_tokens: 300 })
  await world.settled()
  expect((await world.ledger()).at(-1)).toEqual({ kind: 'charge', amount_usd: '0.000153' })
})

describe('text that the provider was not sent is not charged by our own count, beyond the bytes that it was sent', () => {
  const SAID = { role: 'assistant', content: 'Hello' }
  test.each<[string, string, object]>([
    ['reasoning', 'anthropic-messages', withMessage({ ...SAID, reasoning_content: LONG })],
    ['reasoning', 'google-generate', withMessage({ ...SAID, reasoning_content: LONG })],
    ['a prediction', 'anthropic-messages', { prediction: { type: 'content', content: LONG } }],
    ['a prediction', 'google-generate', { prediction: { type: 'content', content: LONG } }],
    ['a field of a message that nobody knows', 'anthropic-messages', withMessage({ ...SAID, mood: [LONG] })],
    ['a field of a message that nobody knows', 'google-generate', withMessage({ ...SAID, mood: [LONG] })],
    ['a name', 'anthropic-messages', withMessage({ ...SAID, name: LONG })],
    ['a name', 'google-generate', withMessage({ ...SAID, name: LONG })],
  ])('%s towards %s', async (_, wire, body) => {
    await using world = await startWorld({
      provider: hang(),
      config: ({ baseUrl }) => ({ providers: { acme: { wire, base_url: baseUrl, api_key: 'k' } } }),
    })
    const caller = startRequest(world, { ...body })
    const { body: sent } = await world.provider.request()
    expect(JSON.stringify(sent)).not.toContain('ferry')
    caller.leave()
    await world.provider.connectionClosed()
    await world.settled()
    const { usage } = await onlyReceipt(world)
    const { length: bytes } = JSON.stringify(sent)
    expect(bytes).toBeLessThan(300)
    expect(usage.prompt_tokens).toBeWithin(COUNTED_PROMPT, bytes + 1)
  })
})

test('text that the provider was sent is charged whole by our own count, however short its tokens are', async () => {
  await using world = await startWorld({ provider: answers({ pieces: ['Hm.'], usage: null }) })
  const response = await world.chat({ messages: [{ role: 'user', content: '1 '.repeat(5_000) }] })
  await response.text()
  await world.settled()
  expect((await receiptOf(world, response)).usage.prompt_tokens).toBeGreaterThan(9_990)
})
