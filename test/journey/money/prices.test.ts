import { expect, test } from 'bun:test'
import { jsonOf } from '../../support/readAnswer.ts'
import { answers, openaiUsage, respond } from '../../support/scriptedProvider.ts'
import { standardModel, startWorld } from '../../support/world.ts'
import { expectLinesExplainCharge, receiptOf, usd } from './purse.ts'

/** Five classes with prices of their own, and a tier that names all but two of them. */
const PRICES = {
  input: 1,
  cached_input: 0.1,
  cache_write: 1.25,
  output: 10,
  reasoning: 12,
  tiers: [{ above_prompt_tokens: 1000, input: 2, cached_input: 0.2, output: 15 }],
}

test.each([
  [1000, 'below the tier', ['1.00', '0.10', '10.00', '12.00']],
  [1001, 'above the tier', ['2.00', '0.20', '15.00', '15.00']],
] as const)('a prompt of %d tokens is %s, and so is the whole request', async (promptTokens, _, prices) => {
  const usage = openaiUsage(promptTokens, 50, {
    prompt_tokens_details: { cached_tokens: 300 },
    completion_tokens_details: { reasoning_tokens: 20 },
  })
  for (const body of [{ max_tokens: 100 }, {}, { stream: true }]) {
    await using world = await startWorld({
      provider: answers({ pieces: ['Hello'], usage }),
      config: () => ({ models: [standardModel({ our_price: PRICES })] }),
    })
    const response = await world.chat(body)
    await response.text()
    await world.settled()
    const receipt = await receiptOf(world, response)
    const [input, cached, output, reasoning] = prices
    expect(receipt.lines.map((line) => [line.class, line.tokens, line.unit_price_usd])).toEqual([
      ['input', promptTokens - 300, input],
      ['cached_input', 300, cached],
      ['output', 30, output],
      ['reasoning', 20, reasoning],
    ])
    expectLinesExplainCharge(receipt)
    expect(receipt.writeoff_usd).toBe('0.00')
  }
})

test('a provider that reports cached tokens beside its prompt is charged as one that reports them in it', async () => {
  await using world = await startWorld({
    provider: respond({
      body: {
        id: 'msg_1',
        type: 'message',
        role: 'assistant',
        model: 'upstream-chat-1',
        content: [{ type: 'text', text: 'Hello' }],
        stop_reason: 'end_turn',
        stop_sequence: null,
        usage: {
          input_tokens: 100,
          cache_read_input_tokens: 300,
          cache_creation_input_tokens: 60,
          output_tokens: 7,
        },
      },
    }),
    config: (provider) => ({
      providers: {
        acme: { wire: 'anthropic-messages', base_url: provider.baseUrl, api_key: 'provider-secret' },
      },
      models: [standardModel({ our_price: PRICES })],
    }),
  })
  const response = await world.chat({ max_tokens: 100 })
  expect(await jsonOf(response)).toMatchObject({
    usage: { prompt_tokens: 460, completion_tokens: 7, prompt_tokens_details: { cached_tokens: 300 } },
  })
  await world.settled()
  const receipt = await receiptOf(world, response)
  expect(receipt.lines.map((line) => [line.class, line.tokens, line.unit_price_usd])).toEqual([
    ['input', 100, '1.00'],
    ['cached_input', 300, '0.10'],
    ['cache_write', 60, '1.25'],
    ['output', 7, '10.00'],
  ])
  expectLinesExplainCharge(receipt)
  expect(receipt.charge_usd).toBe(usd(100n * 1000n + 300n * 100n + 60n * 1250n + 7n * 10_000n))
})
