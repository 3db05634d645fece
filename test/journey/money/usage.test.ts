import { describe, expect, test } from 'bun:test'
import { isJsonObject } from '../../../src/core/json.ts'
import { jsonOf, streamOf } from '../../support/readAnswer.ts'
import {
  answers,
  openaiChunk,
  openaiUsage,
  respond,
  sse,
  stream,
  type OpenaiUsage,
} from '../../support/scriptedProvider.ts'
import { standardConfig, standardModel, startWorld, type World } from '../../support/world.ts'
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

for (const [mode, body] of Object.entries(MODES)) {
  test(`${mode} in a field that nobody knows, without reported usage, is counted and charged`, async () => {
    const choice = { index: 0, message: { role: 'assistant', content: '', thoughts: 'Hello world' } }
    const whole = { body: { choices: [{ ...choice, finish_reason: 'stop' }] } }
    const streamed = [
      openaiChunk({ role: 'assistant', content: '' }),
      openaiChunk({ thoughts: 'Hello' }),
      openaiChunk({ thoughts: ' world' }),
      openaiChunk({}, { finishReason: 'stop' }),
      sse('[DONE]'),
    ]
    await using world = await startWorld({
      provider: ({ body: sent }) =>
        isJsonObject(sent) && sent.stream === true ? stream(streamed) : respond(whole),
    })
    expect(await usageTold(await world.chat(body))).toMatchObject(COUNTED)
    await world.settled()
    await expectChargedOnce(world, cost(COUNTED_PROMPT, COUNTED_HELLO_WORLD))
  })
}

for (const custom of [false, true])
  test(`a streamed call without arguments is charged as its provider reports, behind its end (custom tool: ${custom})`, async () => {
    const call = { index: 0, id: 'call_1', type: 'function', function: { name: 'look', arguments: '' } }
    const usage = openaiUsage(100, 15)
    const frames = [
      openaiChunk({ role: 'assistant', content: null, tool_calls: [call] }),
      openaiChunk({}, { finishReason: 'tool_calls' }),
      { ...openaiChunk({}), choices: [], usage },
      sse('[DONE]'),
    ]
    await using world = await startWorld({ provider: stream(frames) })
    const tool = custom
      ? { type: 'custom', custom: { name: 'look' } }
      : { type: 'function', function: { name: 'look' } }
    const response = await world.chat({ ...MODES['a stream'], tools: [tool] })
    expect(await usageTold(response)).toMatchObject({ prompt_tokens: 100, completion_tokens: 15 })
    await world.settled()
    const receipt = await receiptOf(world, response)
    expect(receipt.usage).toMatchObject({ completion_tokens: 15, source: 'reported' })
    await expectChargedOnce(world, cost(100, 15))
  })

describe('for an answer that its provider filtered', () => {
  const FREE = openaiUsage(0, 0)
  const FILTERED = { message: { role: 'assistant', content: 'Hello world' }, finish_reason: 'content_filter' }
  /** Where a provider may report: behind the last choice, beside its end, or before it. */
  const STREAMS = {
    behind: [
      openaiChunk({}, { finishReason: 'content_filter' }),
      { ...openaiChunk({}), choices: [], usage: FREE },
    ],
    beside: [{ ...openaiChunk({}, { finishReason: 'content_filter' }), usage: FREE }],
    before: [{ ...openaiChunk({}), usage: FREE }, openaiChunk({}, { finishReason: 'content_filter' })],
  }

  for (const [where, end] of Object.entries(STREAMS)) {
    for (const supportsN of [true, false]) {
      test(`a report of 0 stands and is no doubt, whole, streamed and by parallel calls (${where}, n ${supportsN ? 'taken' : 'by calls'})`, async () => {
        const choices = (n: number) => Array.from({ length: n }, (_each, index) => ({ index, ...FILTERED }))
        await using world = await startWorld({
          provider: ({ body: sent }) => {
            if (!isJsonObject(sent) || sent.stream !== true)
              return respond({
                body: { choices: choices(Number(isJsonObject(sent) ? (sent.n ?? 1) : 1)), usage: FREE },
              })
            return stream([openaiChunk({ content: 'Hello world' }), ...end, sse('[DONE]')])
          },
          config: (provider) => withAcme(provider, { quirks: { supports_n: supportsN } }),
        })
        const bodies = [...Object.values(MODES), { max_tokens: 20, n: 2 }]
        for (const body of supportsN ? bodies : [...bodies, { n: 2, stream: true }]) {
          const response = await world.chat(body)
          await response.text()
          await world.settled()
          const { usage, charge_usd: charge, ending } = await receiptOf(world, response)
          expect({ body, usage, charge, ending }).toMatchObject({
            usage: { prompt_tokens: 0, completion_tokens: 0, source: 'reported' },
            charge: '0.00',
            ending: 'content_filter',
          })
        }
        expect(await (await fetch(`${world.url}/metrics`)).text()).toContain(
          'tollgate_usage_rejected_total 0',
        )
      })
    }
  }

  test('a report of 0 is nothing for one that ended otherwise, and none for one without a report', async () => {
    for (const [finishReason, usage] of [
      ['stop', FREE],
      ['content_filter', null],
    ] as const) {
      await using world = await startWorld({
        provider: answers({ pieces: ['Hello', ' world'], finishReason, usage }),
      })
      const response = await world.chat({ max_tokens: 20, stream: true })
      await response.text()
      await world.settled()
      expect((await receiptOf(world, response)).usage).toMatchObject({ ...COUNTED, source: 'estimated' })
    }
  })
})

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

test('an answer of thousands of tool calls is passed on and charged, and closes its target to nobody', async () => {
  const calls = Array.from({ length: 2_000 }, (_, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name: 'f', arguments: '{}' },
  }))
  await using world = await startWorld({
    provider: stream([
      ...calls.map((call) => openaiChunk({ tool_calls: [call] })),
      openaiChunk({}, { finishReason: 'tool_calls' }),
      { ...openaiChunk({}), choices: [], usage: openaiUsage(9, 8_000) },
      sse('[DONE]'),
    ]),
  })
  for (let i = 0; i < 6; i++) {
    const { chunks } = await streamOf(await world.chat({ stream: true }))
    expect(chunks.flatMap(({ choices }) => choices[0]?.delta['tool_calls'] ?? [])).toHaveLength(2_000)
  }
  await world.settled()
  const { data } = await world.operations.requests({})
  expect(data.map(({ ending, charge_usd: charge }) => [ending, charge])).toEqual(
    Array.from({ length: 6 }, () => ['completed', cost(9, 8_000)]),
  )
})

/** What each figure of a report is where it cannot be true. */
interface Replaced {
  readonly prompt?: number
  readonly completion?: number
  /** Figures that are clamped, not replaced, are still the provider's. */
  readonly source?: 'reported'
}

const OUR_PROMPT = { prompt: COUNTED_PROMPT }
const OUR_COMPLETION = { completion: COUNTED_HELLO_WORLD }

// The model takes 128,000 tokens of prompt and makes 8,192 of output.
test.each<[string, OpenaiUsage, Replaced]>([
  ['a negative prompt', openaiUsage(-9, 12), OUR_PROMPT],
  ['a negative completion', openaiUsage(9, -12), OUR_COMPLETION],
  ['a prompt of no tokens', openaiUsage(0, 12), OUR_PROMPT],
  ['no completion where there is text', openaiUsage(9, 0), OUR_COMPLETION],
  ['a fraction of a token', openaiUsage(9, 12.5), OUR_COMPLETION],
  ['a prompt above the context length', openaiUsage(128_001, 12), OUR_PROMPT],
  ['a completion above the output limit', openaiUsage(9, 8193), OUR_COMPLETION],
  ['an astronomical number', openaiUsage(9, 1e300), OUR_COMPLETION],
  ['two figures that cannot be true', openaiUsage(-9, -12), { ...OUR_PROMPT, ...OUR_COMPLETION }],
  ['negative cached tokens', openaiUsage(9, 12, { prompt_tokens_details: { cached_tokens: -1 } }), {}],
  [
    'more reasoning than completion',
    openaiUsage(9, 12, { completion_tokens_details: { reasoning_tokens: 13 } }),
    { source: 'reported' },
  ],
])(
  'of usage with %s, what cannot be true is counted by us and flagged, the rest stays',
  async (_, usage, ours) => {
    await using world = await startReporting(usage)
    const { prompt = 9, completion = 12, source = 'estimated' } = ours
    const billed = {
      prompt_tokens: prompt,
      completion_tokens: completion,
      total_tokens: prompt + completion,
    }
    for (const body of Object.values(MODES)) {
      const response = await world.chat(body)
      expect(await usageTold(response)).toMatchObject(billed)
      await world.settled()
      const receipt = await receiptOf(world, response)
      expect(receipt.usage).toMatchObject({ ...billed, source })
      expect(receipt.charge_usd).toBe(cost(prompt, completion))
      expectLinesExplainCharge(receipt)
    }
    const metrics = await (await fetch(`${world.url}/metrics`)).text()
    expect(metrics).toContain('tollgate_usage_rejected_total 3')
  },
)

test('more cached tokens than prompt are clamped to the prompt and flagged', async () => {
  const usage = openaiUsage(9, 12, {
    prompt_tokens_details: { cached_tokens: 10, cache_write_tokens: 3 },
  })
  await using world = await startReporting(usage)
  const response = await world.chat({ max_tokens: 20 })
  await world.settled()
  const receipt = await receiptOf(world, response)
  expect(receipt.usage).toMatchObject({ cached_tokens: 9, cache_write_tokens: 0, source: 'reported' })
  expect(receipt.charge_usd).toBe(usd(9n * 250n + 12n * 1500n))
  expectLinesExplainCharge(receipt)
  expect(await (await fetch(`${world.url}/metrics`)).text()).toContain('tollgate_usage_rejected_total 1')
})

describe('reasoning that only the total tells', () => {
  const BESIDE = { ...openaiUsage(9, 12), total_tokens: 9 + 12 + 300 }
  const NAMED = { ...BESIDE, completion_tokens_details: { reasoning_tokens: 300 } }

  test.each<[string, OpenaiUsage, boolean]>([
    ['unnamed', BESIDE, false],
    ['named', NAMED, false],
    ['unnamed, of a provider that reports reasoning beside the completion', BESIDE, true],
    ['named, of a provider that reports reasoning beside the completion', NAMED, true],
  ])('is charged as part of the completion, once (%s)', async (_, usage, outside) => {
    await using world = await startWorld({
      provider: answers({ pieces: ['Hello', ' world'], usage }),
      config: (provider) => withAcme(provider, { quirks: { reasoning_outside_completion: outside } }),
    })
    for (const body of [{}, { stream: true }]) {
      const response = await world.chat(body)
      await response.text()
      await world.settled()
      const receipt = await receiptOf(world, response)
      expect(receipt.usage).toMatchObject({
        completion_tokens: 312,
        reasoning_tokens: 300,
        source: 'reported',
      })
      expect(receipt.charge_usd).toBe(cost(9, 312))
      expectLinesExplainCharge(receipt)
    }
    expect(await (await fetch(`${world.url}/metrics`)).text()).toContain('tollgate_usage_rejected_total 0')
  })
})

describe('output beyond max_tokens × n', () => {
  test.each([
    ['one body', { max_tokens: 20 }, 20],
    ['one body of two choices', { max_tokens: 20, n: 2 }, 40],
    ['a stream', { max_completion_tokens: 20, stream: true, stream_options: { include_usage: true } }, 20],
  ])('is told and never charged, and counts against its provider (%s)', async (_, body, most) => {
    await using world = await startReporting(openaiUsage(9, 100))
    const response = await world.chat(body)
    expect(await usageTold(response)).toMatchObject({ completion_tokens: 100 })
    await world.settled()
    const receipt = await receiptOf(world, response)
    expect(receipt.usage).toMatchObject({ completion_tokens: 100, source: 'reported' })
    expect(receipt.lines.map((line) => [line.class, line.tokens])).toEqual([
      ['input', 9],
      ['output', most],
    ])
    expectLinesExplainCharge(receipt)
    await expectChargedOnce(world, cost(9, most))
    expect(await (await fetch(`${world.url}/metrics`)).text()).toContain(
      `tollgate_excess_output_tokens_total{provider="acme"} ${100 - most}`,
    )
  })

  test('that is reasoning counts too: it is part of the completion', async () => {
    const usage = openaiUsage(9, 100, { completion_tokens_details: { reasoning_tokens: 90 } })
    await using world = await startReporting(usage)
    const response = await world.chat({ max_tokens: 95 })
    await world.settled()
    const { lines } = await receiptOf(world, response)
    expect(lines.map((line) => [line.class, line.tokens])).toEqual([
      ['input', 9],
      ['output', 5],
      ['reasoning', 90],
    ])
  })

  test.each([
    ['one choice', {}, 3_500],
    ['a stream of two choices', { n: 2, stream: true }, 7_000],
    ['a large max_tokens', { max_tokens: 32_000 }, 3_500],
  ])('or beyond a lower limit of ours counts against its provider (%s)', async (_, body, made) => {
    await using world = await startWorld({
      provider: answers({ pieces: ['Hello'], usage: openaiUsage(9, made) }),
      config: () => ({ models: [standardModel({ max_output_tokens: 64_000 })] }),
      balance: '0.005',
    })
    const response = await world.chat(body)
    await response.text()
    await world.settled()
    const { body: sent } = await world.provider.request()
    const { max_tokens: limit, n = 1 } = sent as { max_tokens: number; n?: number }
    expect(limit * n).toBeLessThan(made)
    const receipt = await receiptOf(world, response)
    expect(receipt).toMatchObject({ usage: { completion_tokens: made, source: 'reported' } })
    expect((await world.balance()).balance).toBe('0.00')
    expect(await (await fetch(`${world.url}/metrics`)).text()).toContain(
      `tollgate_excess_output_tokens_total{provider="acme"} ${made - limit * n}\n`,
    )
  })

  test('of a provider that reports nothing is neither counted nor charged', async () => {
    await using world = await startWorld({
      provider: answers({ pieces: Array<string>(50).fill(' word'), usage: null }),
    })
    const response = await world.chat({ max_tokens: 8, stream: true })
    await response.text()
    await world.settled()
    const receipt = await receiptOf(world, response)
    expect(receipt.usage).toMatchObject({ completion_tokens: 8, source: 'estimated' })
    await expectChargedOnce(world, cost(COUNTED_PROMPT, 8))
  })
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

function withAcme(
  provider: World['provider'],
  changes: Readonly<Record<string, unknown>>,
): Record<string, unknown> {
  const config = standardConfig(provider)
  const { acme } = config['providers'] as { acme: object }
  return { ...config, providers: { acme: { ...acme, ...changes } } }
}
