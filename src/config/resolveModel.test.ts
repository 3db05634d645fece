import { expect, test } from 'bun:test'
import type { Model } from '../core/model.ts'
import { settingsOf, problemsOf, modelOf, warningsOf, withModel } from '../../test/support/settings.ts'

test('a target must name a provider of the file', () => {
  const yaml = withModel().replace('provider: acme', 'provider: acne')
  expect(problemsOf(yaml)).toEqual([
    'tollgate.yaml:7:27 models[0].targets[0].provider is not a provider of this file: "acne" (did you mean "acme"?)',
  ])
})

test('a known model needs its id alone and costs its official price', () => {
  const model = modelOf('providers: { openai: { api_key: k } }\nmodels: [{ id: openai/gpt-5 }]')
  expect(model).toMatchObject({
    id: 'openai/gpt-5',
    displayName: 'GPT-5',
    ownedBy: 'openai',
    contextLength: 400_000,
    maxOutputTokens: 128_000,
    aliases: ['gpt-5'],
    targets: [{ provider: 'openai', upstreamModel: 'gpt-5', facts: {}, weight: 1, priority: 0 }],
    officialPrice: { input: 1_250_000_000n, output: 10_000_000_000n, source: 'openai' },
  })
  expect(model.prices).toEqual([
    { input: 1_250_000_000n, output: 10_000_000_000n, cachedInput: 125_000_000n },
  ] as unknown as Model['prices'])
  expect(model.unsupportedFields).toContain('temperature')
})

test('a known model under its bare name keeps that name and answers to the full one', () => {
  const model = modelOf('providers: { openai: { api_key: k } }\nmodels: [gpt-5]')
  expect(model).toMatchObject({ id: 'gpt-5', ownedBy: 'openai', aliases: ['openai/gpt-5'] })
})

test('a known model whose provider is not there names it', () => {
  expect(problemsOf('models: [openai/gpt-5]')).toEqual([
    'tollgate.yaml:1:10 models[0].id is served by "openai", which is not among the providers',
  ])
})

test("a model of one's own name for a known target needs no further words", () => {
  const model = modelOf(`
providers: { openai: { api_key: k } }
models: [{ id: house/best, targets: [{ provider: openai, model: gpt-5 }], official_price: auto }]
`)
  expect(model).toMatchObject({ id: 'house/best', ownedBy: 'house', contextLength: 400_000, aliases: [] })
  expect(model.officialPrice?.source).toBe('openai')
  expect(model.targets[0]?.cost).toEqual({ input: 1_250_000_000n, output: 10_000_000_000n } as never)
})

test('`models: all` serves every known model of the providers', () => {
  const { models } = settingsOf('providers: { cohere: { api_key: k }, mistral: { api_key: k } }\nmodels: all')
  expect(models.length).toBeGreaterThan(4)
  expect(new Set(models.map(({ ownedBy }) => ownedBy))).toEqual(new Set(['cohere', 'mistral']))
})

test('an alias must not hide a model or another alias', () => {
  const yaml = `${withModel('aliases: [one, two]')}
  - id: two
    context_length: 1000
    max_output_tokens: 100
    our_price: { input: 1, output: 1 }
    targets: [{ provider: acme, model: up }]
    aliases: [one]
`
  expect(problemsOf(yaml).map((line) => line.replace(/^\S+ /, ''))).toEqual([
    'models[0].aliases[1] hides the model with the id "two"',
    'models[1].aliases[0] is taken: a model before has the alias "one"',
  ])
})

test('a name that the file gives away is no alias of a known model any more', () => {
  const yaml = `
providers: { openai: { api_key: k } }
models:
  - openai/gpt-5
  - { id: gpt-5, targets: [{ provider: openai, model: gpt-5-mini }] }
`
  const [first, second] = settingsOf(yaml).models
  expect([first?.aliases, second?.id]).toEqual([[], 'gpt-5'])
})

test('a retired model needs a date and a successor that exists, and no price or place', () => {
  const retired = (entry: string) => `${withModel()}\n  - { id: acme/old, retired: ${entry} }\n`
  const { models } = settingsOf(retired('{ at: 2026-01-31, successor: acme/chat }'))
  expect(models[1]).toMatchObject({
    id: 'acme/old',
    retirement: { at: Date.parse('2026-01-31'), successor: 'acme/chat' },
    targets: [],
  })
  expect(problemsOf(retired('{ successor: acme/chat }'))[0]).toContain('models[1].retired.at is missing')
  expect(problemsOf(retired('{ at: 2026-01-31, successor: acme/chut }'))[0]).toContain(
    'models[1].retired.successor is not a model of this file: "acme/chut" (did you mean "acme/chat"?)',
  )
  expect(problemsOf(retired('{ at: 2027-01-31 }')).join()).toContain(
    'models[1].id is not a known model: "acme/old"; one of your own needs targets, our_price, context_length and max_output_tokens',
  )
})

test('a deprecated model keeps its dates, in order', () => {
  expect(
    modelOf(withModel('deprecated: { at: 2026-10-01, sunset: 2027-01-01T12:00:00Z }')).deprecation,
  ).toEqual({
    at: Date.parse('2026-10-01'),
    sunset: Date.parse('2027-01-01T12:00:00Z'),
  })
  expect(problemsOf(withModel('deprecated: { at: 2026-10-01, sunset: 2026-09-01 }'))[0]).toContain(
    'models[0].deprecated.sunset must be after the date it is deprecated at',
  )
  expect(problemsOf(withModel('deprecated: { at: 2026-02-31 }'))[0]).toContain('must be an ISO date')
})

test('limits of a model must fit each other', () => {
  expect(modelOf(withModel('max_output_tokens: 100')).assumedOutputTokens).toBe(100)
  expect(modelOf(withModel('max_output_tokens: 900')).assumedOutputTokens).toBe(512)
  expect(problemsOf(withModel('assumed_output_tokens: 101'))[0]).toContain(
    'must not be above max_output_tokens (100)',
  )
  expect(problemsOf(withModel('max_output_tokens: 1001'))[0]).toContain(
    'must not be above context_length (1000)',
  )
})

test('the strategy "cheapest" needs what each place costs', () => {
  expect(problemsOf(withModel('strategy: cheapest'))[0]).toContain('models[0].targets[0].cost is missing')
  expect(problemsOf(withModel('strategy: fastest'))).toEqual([])
})

test('what an image costs is configured, else known, else taken high', () => {
  expect(modelOf(withModel('image_tokens: 6404')).imageTokens).toBe(6_404)
  expect(modelOf(withModel('image_tokens: 0')).imageTokens).toBe(0)
  expect(modelOf(withModel()).imageTokens).toBe(16_384)
  const known = (entry: string): number =>
    modelOf(`providers: { openai: { api_key: k } }\nmodels: [${entry}]`).imageTokens
  expect(known('gpt-4o-mini')).toBe(48_169)
  expect(known('{ id: gpt-4o-mini, image_tokens: 2833 }')).toBe(2_833)
  const own = '{ id: house/eyes, targets: [{ provider: openai, model: gpt-4o-mini }] }'
  expect(known(own)).toBe(48_169)
  expect(problemsOf(withModel('image_tokens: -1'))[0]).toContain('models[0].image_tokens')
})

test('whether a model reasons out of sight is known, or said', () => {
  expect(modelOf(withModel('hidden_reasoning: always')).hiddenReasoning).toBe('always')
  expect(modelOf(withModel('hidden_reasoning: never')).hiddenReasoning).toBeUndefined()
  expect(modelOf(withModel()).hiddenReasoning).toBeUndefined()
})

const HAIKU = 'providers: { anthropic: { api_key: k } }\nmodels: [claude-haiku-4-5-20251001]'

test('a dated snapshot of a known model needs its id alone, and is sent under it', () => {
  const model = modelOf(HAIKU)
  expect(model).toMatchObject({
    id: 'claude-haiku-4-5-20251001',
    ownedBy: 'anthropic',
    contextLength: 200_000,
    aliases: ['anthropic/claude-haiku-4-5-20251001'],
    targets: [{ provider: 'anthropic', upstreamModel: 'claude-haiku-4-5-20251001' }],
  })
  expect(model.prices).toEqual(modelOf(HAIKU.replace('-20251001', '')).prices)
})

test('a snapshot of an unknown model is unknown', () => {
  expect(problemsOf(HAIKU.replace('haiku-4-5-20251001', 'sonnet-4-20250514'))[0]).toContain(
    'is not a known model: "claude-sonnet-4-20250514"',
  )
})

test('the check says whose prices a snapshot takes, unless the file has its price', () => {
  const said = [
    'tollgate.yaml:2:10 models[0].id "claude-haiku-4-5-20251001" is known as a snapshot of "anthropic/claude-haiku-4-5": its prices and limits apply; set our_price if it costs another price',
  ]
  expect(warningsOf(HAIKU)).toEqual(said)
  const priced = (setting: string) =>
    HAIKU.replace('[claude-haiku-4-5-20251001]', `[{ id: claude-haiku-4-5-20251001, ${setting} }]`)
  expect(warningsOf(priced('our_price: { markup: 20% }'))).toEqual([
    expect.stringContaining('is known as a snapshot'),
  ])
  expect(warningsOf(priced('our_price: { input: 1, output: 2 }'))).toEqual([])
  expect(warningsOf(priced('official_price: { input: 1, output: 2 }'))).toEqual([])
  expect(warningsOf(HAIKU.replace('-20251001', ''))).toEqual([])
})

test('a list of rejected fields in the file takes the place of all that is known', () => {
  const fields = (setting: string) => {
    const { unsupportedFields, unsupportedWhileReasoning } = modelOf(
      `providers: { openai: { api_key: k } }\nmodels: [{ id: gpt-5.4${setting} }]`,
    )
    return [unsupportedFields.includes('stop'), unsupportedWhileReasoning?.includes('logprobs')]
  }
  expect(fields('')).toEqual([true, true])
  expect(fields(', unsupported_fields: [seed]')).toEqual([false, undefined])
})
