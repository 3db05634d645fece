import { expect, test } from 'bun:test'
import type { Model } from '../core/model.ts'
import { formatUsd } from '../core/money.ts'
import { problemsOf, modelOf, withModel } from '../../test/support/settings.ts'

test('prices are read from their digits, never from a float', () => {
  const price = (digits: string) =>
    formatUsd(modelOf(withModel(`our_price: { input: ${digits}, output: 1 }`)).prices[0].input)
  expect(price('0.1')).toBe('0.10')
  expect(price('0.000000001')).toBe('0.000000001')
  expect(price('1234567.123456789')).toBe('1234567.123456789')
  expect(price('.5')).toBe('0.50')
  expect(price('1e-3')).toBe('0.001')
  expect(price('"2.50"')).toBe('2.50')
  expect(price('0')).toBe('0.00')
  for (const digits of [
    '-1',
    '1,5',
    '0x10',
    '1_000',
    '0.0000000001',
    'NaN',
    '.inf',
    '1e99',
    '$1',
    '9999999999.1',
  ])
    expect(problemsOf(withModel(`our_price: { input: ${JSON.stringify(digits)}, output: 1 }`))[0]).toContain(
      'models[0].our_price.input must be a price',
    )
})

test('a markup or a discount is reckoned from the official price, exactly and in every class', () => {
  const priced = (ours: string) =>
    modelOf(`providers: { openai: { api_key: k } }\nmodels: [{ id: gpt-5.4, our_price: ${ours} }]`)
  expect(priced('{ markup: 20% }').prices).toEqual([
    {
      input: 3_000_000_000n,
      output: 18_000_000_000n,
      cachedInput: 300_000_000n,
      tiers: [
        {
          abovePromptTokens: 271_999,
          input: 6_000_000_000n,
          output: 27_000_000_000n,
          cachedInput: 600_000_000n,
        },
      ],
    },
  ] as unknown as Model['prices'])
  expect(priced('{ discount: 12.5% }').prices[0].input).toBe(2_187_500_000n as never)
  expect(priced('{ discount: 100% }').prices[0].output).toBe(0n as never)
  expect(
    problemsOf(
      'providers: { openai: { api_key: k } }\nmodels: [{ id: gpt-5.4, our_price: { discount: 101% } }]',
    ),
  ).toHaveLength(1)
  expect(problemsOf(withModel('our_price: { markup: 5% }'))).toEqual([
    'tollgate.yaml:10:16 models[0].our_price is a markup without an official price to apply it to: set official_price, or write input and output instead',
  ])
  const own = withModel('our_price: { discount: 10% }', 'official_price: { input: 2, output: 4 }')
  expect(modelOf(own)).toMatchObject({ officialPrice: { source: 'acme' } })
  expect(modelOf(own).prices).toEqual([{ input: 1_800_000_000n, output: 3_600_000_000n }] as never)
})

test('prices may change on a day and with the length of the prompt', () => {
  const { prices } = modelOf(
    withModel(
      'our_price:',
      '  - { input: 1, output: 2, tiers: [{ above_prompt_tokens: 100, input: 2, output: 4, reasoning: 5 }] }',
      '  - { valid_from: 2027-01-01, input: 3, output: 4, cache_write: 3.75 }',
    ),
  )
  expect(prices).toEqual([
    {
      input: 1_000_000_000n,
      output: 2_000_000_000n,
      tiers: [
        { abovePromptTokens: 100, input: 2_000_000_000n, output: 4_000_000_000n, reasoning: 5_000_000_000n },
      ],
    },
    {
      validFrom: Date.parse('2027-01-01'),
      input: 3_000_000_000n,
      output: 4_000_000_000n,
      cacheWrite: 3_750_000_000n,
    },
  ] as unknown as Model['prices'])
  const wrong = withModel(
    'our_price:',
    '  - { valid_from: 2027-01-01, input: 1, output: 2 }',
    '  - { valid_from: 2026-01-01, input: 1, output: 2, tiers: [{ above_prompt_tokens: 9, input: 1, output: 1 }, { above_prompt_tokens: 9, input: 1, output: 1 }] }',
    '  - { input: 1, output: 2 }',
  )
  expect(problemsOf(wrong).map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'models[0].our_price[1].valid_from must be after that of the price before',
    'models[0].our_price[1].tiers[1].above_prompt_tokens must be above that of the tier before',
    'models[0].our_price[2].valid_from is missing: only the first price may omit it',
  ])
})

test('an official price that is announced for later is kept for later', () => {
  const { officialPrice } = modelOf('providers: { google: { api_key: k } }\nmodels: [gemini-3.8-flash]')
  expect(officialPrice).toMatchObject({ input: 750_000_000n, output: 3_750_000_000n })
  expect(officialPrice?.later).toEqual([
    { validFrom: Date.parse('2027-01-01'), input: 1_500_000_000n, output: 7_500_000_000n },
  ] as never)
})

test('auto is refused when the catalogue has no such model', () => {
  expect(problemsOf(withModel('official_price: auto'))).toEqual([
    'tollgate.yaml:11:21 models[0].official_price cannot be `auto`: the price catalogue has no such model',
  ])
})
