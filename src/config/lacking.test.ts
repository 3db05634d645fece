import { expect, test } from 'bun:test'
import { problemsOf, withModel } from '../../test/support/settings.ts'

const OPENAI =
  'providers: { openai: { api_key: k }, acme: { wire: openai-chat, base_url: http://127.0.0.1/v1 } }\n'

/** Each mistake without the name of the file and the place in it. */
function mistakesIn(models: string): string[] {
  return problemsOf(`${OPENAI}models:\n${models}`).map((line) => line.replace(/^tollgate\.yaml:\d+:\d+ /, ''))
}

const NEEDS = 'one of your own needs targets, our_price, context_length and max_output_tokens'

test('a misspelt model is one mistake, at its name', () => {
  const mistake = `models[0].id is not a known model: "openai/gpt5.4-mni" (did you mean "openai/gpt-5.4-mini"?); ${NEEDS}`
  expect(mistakesIn('  - openai/gpt5.4-mni')).toEqual([mistake])
  expect(mistakesIn('  - { id: openai/gpt5.4-mni }')).toEqual([mistake])
  expect(
    mistakesIn('  - { id: openai/gpt5.4-mni, our_price: { markup: 5% }, official_price: auto }'),
  ).toEqual([mistake.replace('our_price', 'official_price')])
  expect(mistakesIn('  - acme/unheard-of')).toEqual([
    `models[0].id is not a known model: "acme/unheard-of"; ${NEEDS}`,
  ])
})

test('a misspelt model names the other places of its name', () => {
  const successor = `
  - openai/gpt5.4-mni
  - { id: old, retired: { at: 2020-01-01, successor: openai/gpt5.4-mni } }`
  expect(mistakesIn(successor)).toEqual([
    `models[0].id is not a known model: "openai/gpt5.4-mni" (did you mean "openai/gpt-5.4-mini"?), as at models[1].retired.successor; ${NEEDS}`,
  ])
})

test('a model that is misspelt at its targets is one mistake, wherever it is named so', () => {
  const targets = `
  - { id: house/one, targets: [{ provider: openai, model: gpt5.4-mni }] }
  - { id: house/two, targets: [{ provider: openai, model: gpt-5.4 }, { provider: openai, model: gpt5.4-mni }] }
  - { id: house/three, targets: [{ provider: openai, model: gpt5.4-mni }] }`
  expect(mistakesIn(targets)).toEqual([
    'models[0].targets[0].model is not a known model of "openai": "gpt5.4-mni" (did you mean "gpt-5.4-mini"?), as at models[1].targets[1].model and models[2].targets[0].model; one of your own needs our_price, context_length and max_output_tokens',
  ])
})

test('a mistake in a target is not followed by what the model would lack', () => {
  expect(mistakesIn('  - { id: house/one, targets: [{ provider: opnai, model: gpt-5.4 }] }')).toEqual([
    'models[0].targets[0].provider is not a provider of this file: "opnai" (did you mean "openai"?)',
  ])
  expect(mistakesIn('  - { id: house/one, targets: [{ provider: nobody, model: gpt-5.4 }] }')).toEqual([
    'models[0].targets[0].provider is not a provider of this file: "nobody"',
  ])
  expect(mistakesIn('  - { id: house/one, targets: [{ provider: openai }] }')).toEqual([
    'models[0].targets[0].model is missing',
  ])
})

test('one setting that is missing is named at its own place', () => {
  const lacks = (setting: string) =>
    problemsOf(withModel().replace(new RegExp(`^ *${setting}:.*\n`, 'm'), '')).map((line) =>
      line.replace(/^\S+ /, ''),
    )
  for (const setting of ['context_length', 'max_output_tokens', 'our_price', 'targets'])
    expect(lacks(setting)).toEqual([`models[0].${setting} is missing`])
})

test('a markup or a discount without an official price says what it lacks', () => {
  const told = (price: string) => problemsOf(withModel(`our_price: { ${price} }`)).join()
  const instead =
    'without an official price to apply it to: set official_price, or write input and output instead'
  expect(told('markup: 20%')).toEndWith(` models[0].our_price is a markup ${instead}`)
  expect(told('discount: 20%')).toEndWith(` models[0].our_price is a discount ${instead}`)
})

test('`stream_lacks` says which words it takes', () => {
  const told = (value: string) =>
    problemsOf(`providers: { acme: { wire: openai-chat, base_url: http://127.0.0.1/v1, quirks: { stream_lacks: ${value} } } }
models: [{ id: gone, retired: { at: 2020-01-01 } }]`).map((line) => line.replace(/^\S+ /, ''))
  const path = 'providers.acme.quirks.stream_lacks'
  expect(told('usage')).toEqual([`${path} must be a list of usage or logprobs, such as [usage]`])
  expect(told('[use]')).toEqual([`${path}[0] must be usage or logprobs, not "use"`])
})
