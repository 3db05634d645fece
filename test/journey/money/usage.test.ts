import { expect, test } from 'bun:test'
import { jsonOf, streamOf } from '../../support/readAnswer.ts'
import { answers, openaiUsage, type OpenaiUsage } from '../../support/scriptedProvider.ts'
import { startWorld, type World } from '../../support/world.ts'
import {
  COUNTED_HELLO_WORLD,
  COUNTED_PROMPT,
  cost,
  expectChargedOnce,
  expectLinesExplainCharge,
  receiptOf,
  usd,
} from './purse.ts'

const MODES = {
  'one body': { max_tokens: 20 },
  'one body without max_tokens': {},
  'a stream': { max_tokens: 20, stream: true, stream_options: { include_usage: true } },
}

function startReporting(usage: OpenaiUsage | null): Promise<World> {
  return startWorld({ provider: answers({ pieces: ['Hello', ' world'], usage }) })
}

/** The answer's usage as the caller is told, streamed or not. */
async function usageTold(response: Response): Promise<unknown> {
  if (response.headers.get('content-type')?.startsWith('application/json')) {
    return (await jsonOf(response))['usage']
  }
  return (await streamOf(response)).chunks.at(-1)?.['usage']
}

const COUNTED = {
  prompt_tokens: COUNTED_PROMPT,
  completion_tokens: COUNTED_HELLO_WORLD,
  total_tokens: COUNTED_PROMPT + COUNTED_HELLO_WORLD,
}

for (const [mode, body] of Object.entries(MODES)) {
  test(`${mode} without reported usage is counted, charged by that and marked estimated`, async () => {
    await using world = await startReporting(null)
    const response = await world.chat(body)
    expect(await usageTold(response)).toMatchObject(COUNTED)
    await world.settled()
    const receipt = await receiptOf(world, response)
    expect(receipt.usage).toMatchObject({ ...COUNTED, source: 'estimated' })
    expectLinesExplainCharge(receipt)
    await expectChargedOnce(world, cost(COUNTED_PROMPT, COUNTED_HELLO_WORLD))
  })
}

test('the count includes every choice, reasoning and tool arguments', async () => {
  await using world = await startReporting(null)
  const response = await world.chat({ max_tokens: 20, n: 3 })
  expect(await usageTold(response)).toMatchObject({
    prompt_tokens: COUNTED_PROMPT,
    completion_tokens: 3 * COUNTED_HELLO_WORLD,
  })
  await world.settled()
  await expectChargedOnce(world, cost(COUNTED_PROMPT, 3 * COUNTED_HELLO_WORLD))
})

// The model takes 128,000 tokens of prompt and makes 8,192 of output.
test.each<[string, OpenaiUsage]>([
  ['a negative prompt', openaiUsage(-9, 12)],
  ['a negative completion', openaiUsage(9, -12)],
  ['a prompt of no tokens', openaiUsage(0, 12)],
  ['no completion where there is text', openaiUsage(9, 0)],
  ['a fraction of a token', openaiUsage(9, 12.5)],
  ['a prompt above the context length', openaiUsage(128_001, 12)],
  ['a completion above the output limit', openaiUsage(9, 8193)],
  ['an astronomical number', openaiUsage(9, 1e300)],
  ['more cached tokens than prompt', openaiUsage(9, 12, { prompt_tokens_details: { cached_tokens: 10 } })],
  ['negative cached tokens', openaiUsage(9, 12, { prompt_tokens_details: { cached_tokens: -1 } })],
  [
    'more reasoning than completion',
    openaiUsage(9, 12, { completion_tokens_details: { reasoning_tokens: 13 } }),
  ],
])('usage with %s is not billed as reported: it is counted and flagged', async (_, usage) => {
  await using world = await startReporting(usage)
  for (const body of Object.values(MODES)) {
    const response = await world.chat(body)
    expect(await usageTold(response)).toMatchObject(COUNTED)
    await world.settled()
    const receipt = await receiptOf(world, response)
    expect(receipt.usage).toMatchObject({ ...COUNTED, source: 'estimated' })
    expect(receipt.charge_usd).toBe(cost(COUNTED_PROMPT, COUNTED_HELLO_WORLD))
    expectLinesExplainCharge(receipt)
  }
  const metrics = await (await fetch(`${world.url}/metrics`)).text()
  expect(metrics).toContain('tollgate_usage_rejected_total 3')
})

test.each([
  [1, 8192, true],
  [2, 16_384, true],
  [2, 16_385, false],
])('with n = %d a completion of %d tokens is believable: %p', async (n, completionTokens, believable) => {
  await using world = await startReporting(openaiUsage(9, completionTokens))
  const response = await world.chat({ n })
  await response.text()
  await world.settled()
  const { usage } = await receiptOf(world, response)
  expect(usage.source).toBe(believable ? 'reported' : 'estimated')
  expect(usage.completion_tokens).toBe(believable ? completionTokens : n * COUNTED_HELLO_WORLD)
})

test('cached tokens are priced once, at their own price, and the receipt says so', async () => {
  const usage = openaiUsage(1000, 100, { prompt_tokens_details: { cached_tokens: 400 } })
  for (const body of Object.values(MODES)) {
    await using world = await startReporting(usage)
    const response = await world.chat({ ...body, ...('max_tokens' in body && { max_tokens: 100 }) })
    await response.text()
    await world.settled()
    const receipt = await receiptOf(world, response)
    expect(receipt.lines.map(({ class: of, tokens, unit_price_usd: price }) => [of, tokens, price])).toEqual([
      ['input', 600, '0.50'],
      ['cached_input', 400, '0.25'],
      ['output', 100, '1.50'],
    ])
    expectLinesExplainCharge(receipt)
    await expectChargedOnce(world, usd(600n * 500n + 400n * 250n + 100n * 1500n))
  }
})

test('a prompt that is cached whole has no line of uncached input', async () => {
  const usage = openaiUsage(1000, 1, { prompt_tokens_details: { cached_tokens: 1000 } })
  await using world = await startReporting(usage)
  const response = await world.chat({ max_tokens: 5 })
  await world.settled()
  const receipt = await receiptOf(world, response)
  expect(receipt.lines.map((line) => line.class)).toEqual(['cached_input', 'output'])
  expectLinesExplainCharge(receipt)
})
