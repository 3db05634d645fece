import { expect, test } from 'bun:test'
import type { ModelFacts } from '../core/modelFacts.ts'
import { modelOf, settingsOf } from '../../test/support/settings.ts'

/** The facts of each target, in the order of the file. */
function factsOf(providers: string, ...targets: readonly [provider: string, model: string][]): ModelFacts[] {
  const list = targets.map(([provider, model]) => `{ provider: ${provider}, model: ${model} }`)
  const { targets: resolved } = modelOf(`
providers: { ${providers} }
models:
  - id: acme/chat
    context_length: 1000
    max_output_tokens: 100
    our_price: { input: 1, output: 2 }
    targets: [${list.join(', ')}]
`)
  return resolved.map(({ facts }) => facts)
}

const ADAPTIVE: ModelFacts = { reasoning: { kind: 'adaptive' } }
const BUDGET: ModelFacts = { reasoning: { kind: 'budget' } }
const AT_TOP: ModelFacts = { systemInPlace: false }

test('every target has the facts of its own model: of a known one, else guessed', () => {
  expect(
    factsOf(
      'anthropic: { api_key: k }',
      ['anthropic', 'claude-opus-4-6'],
      ['anthropic', 'claude-opus-4-5'],
      ['anthropic', 'claude-3-7-sonnet-latest'],
      ['anthropic', 'claude-3-opus-20240229'],
    ),
  ).toEqual([
    { ...ADAPTIVE, refusesPrefill: true, ...AT_TOP },
    { ...BUDGET, ...AT_TOP },
    { ...BUDGET, ...AT_TOP },
    AT_TOP,
  ])
})

test('a provider of another name has the facts of the row that it is like', () => {
  const mine = 'mine: { like: google, api_key: k }'
  expect(factsOf(mine, ['mine', 'gemini-2.5-pro'])).toEqual([
    { reasoning: { kind: 'budget', tokensMin: 128 }, formatOrTools: true },
  ])
})

test('facts that a row states for its own format do not apply in another', () => {
  const other = 'mine: { like: google, wire: anthropic-messages, base_url: https://mine.example, api_key: k }'
  expect(factsOf(other, ['mine', 'gemini-2.5-pro'])).toEqual([ADAPTIVE])
})

test('a known model brings its facts, whether it is named or served with all others', () => {
  for (const models of ['[anthropic/claude-opus-5-5]', 'all']) {
    const settings = settingsOf(`providers: { anthropic: { api_key: k } }\nmodels: ${models}`)
    const model = settings.models.find(({ id }) => id === 'anthropic/claude-opus-5-5')
    expect(model?.targets[0]?.facts).toEqual({
      reasoning: { kind: 'adaptive', always: true },
      refusesPrefill: true,
      systemInPlace: true,
    })
  }
})

test('a target is asked in the format that the file names, with the facts of that format', () => {
  const { targets } = modelOf(`
providers: { mine: { like: google, api_key: k } }
models:
  - id: acme/chat
    context_length: 1000
    max_output_tokens: 100
    our_price: { input: 1, output: 2 }
    targets:
      - { provider: mine, model: gemini-2.5-pro, wire: anthropic-messages }
      - { provider: mine, model: gemini-2.5-pro, wire: google-generate }
`)
  expect(targets.map(({ wire, facts }) => ({ wire, facts }))).toEqual([
    { wire: 'anthropic-messages', facts: ADAPTIVE },
    { wire: undefined, facts: { reasoning: { kind: 'budget', tokensMin: 128 }, formatOrTools: true } },
  ])
})

test('a known model is asked in the format of its row, at the address of its provider alone', () => {
  const wireOf = (provider: string, target = 'model: gpt-5.5'): string | undefined =>
    modelOf(`
providers: { openai: ${provider} }
models: [{ id: openai/gpt-5.5, targets: [{ provider: openai, ${target} }] }]
`).targets[0]?.wire
  expect(wireOf('{ api_key: k }')).toBe('openai-responses')
  expect(wireOf('{ api_key: k }', 'model: gpt-4.1')).toBeUndefined()
  expect(wireOf('{ api_key: k }', 'model: gpt-5.5, wire: openai-chat')).toBeUndefined()
  expect(wireOf('{ api_key: k, base_url: https://proxy.example/v1 }')).toBeUndefined()
  expect(
    wireOf('{ api_key: k, base_url: https://proxy.example/v1 }', 'model: x, wire: openai-responses'),
  ).toBe('openai-responses')
})
