import { expect, test } from 'bun:test'
import { chatRequest } from '../../test/support/chatSamples.ts'
import { settingsOf } from '../../test/support/settings.ts'
import { testRoute } from '../../test/support/testRoute.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import { encodeTargetOf } from '../upstream/route.ts'
import type { EncodedRequest } from '../wire/wire.ts'
import { UnsupportedField } from '../wire/wire.ts'

/** What goes to the provider of a known model. */
function sentTo(name: string, more: Partial<ChatRequest>): EncodedRequest {
  const settings = settingsOf(`
providers: { openai: { api_key: k }, xai: { api_key: k }, google: { api_key: k }, moonshot: { api_key: k } }
models: ["${name}"]`)
  const [model] = settings.models
  const [target] = model?.targets ?? []
  const provider = target && settings.providers.get(target.provider)?.provider
  if (model === undefined || target === undefined || provider === undefined) throw new Error(`no ${name}`)
  const route = { ...testRoute({ model, provider }), target }
  const request = chatRequest(more)
  return route.format.client.encodeRequest(request, encodeTargetOf(route, request))
}

const SAMPLED: Partial<ChatRequest> = { temperature: 0.2, topP: 0.9 }

test.each([
  ['gpt-5.4', undefined],
  ['gpt-5.4-mini', undefined],
  ['gpt-5.1', 'none'],
  ['gpt-5.5', 'none'],
  ['gpt-5.6-luna', 'none'],
])(
  '%s takes sampling and log probabilities while it does not reason (effort %p)',
  (name, reasoningEffort) => {
    const asked = { ...SAMPLED, logprobs: true, topLogprobs: 2, ...(reasoningEffort && { reasoningEffort }) }
    const { body, dropped } = sentTo(name, asked)
    expect(body).toMatchObject({ temperature: 0.2, top_p: 0.9, logprobs: true, top_logprobs: 2 })
    expect(dropped).toEqual([])
  },
)

test.each([
  ['gpt-5.4', 'low'],
  ['gpt-5.5', undefined],
  ['gpt-5', undefined],
  ['gpt-6-sol', 'none'],
])('%s takes neither with the effort %p', (name, reasoningEffort) => {
  const effort = { ...(reasoningEffort && { reasoningEffort }) }
  expect(sentTo(name, { ...SAMPLED, ...effort }).dropped).toEqual(['temperature', 'top_p'])
  expect(() => sentTo(name, { logprobs: true, ...effort })).toThrow(UnsupportedField)
})

test.each([
  'grok-4.3',
  'grok-4.20-0309-reasoning',
  'grok-4.20-0309-non-reasoning',
  'gemini-2.5-flash',
  'gemini-3.8-flash',
])('%s is sent no penalty, not even 0', (name) => {
  const { body, dropped } = sentTo(name, { presencePenalty: 0, frequencyPenalty: 0 })
  expect(JSON.stringify(body)).not.toMatch(/penalty/i)
  expect(dropped).toEqual(expect.arrayContaining(['presence_penalty', 'frequency_penalty']))
})

test('only the models of xAI that take an effort are sent one', () => {
  expect(sentTo('grok-4.3', { reasoningEffort: 'low' }).body).toMatchObject({ reasoning_effort: 'low' })
  for (const name of ['grok-4.20-0309-reasoning', 'grok-4.20-0309-non-reasoning'])
    expect(sentTo(name, { reasoningEffort: 'low' }).dropped).toEqual(['reasoning_effort'])
})

test('no model of Moonshot is sent a temperature, its own default neither', () => {
  for (const name of ['kimi-k2.5', 'kimi-k2.6', 'kimi-k2.7-code']) {
    expect(sentTo(name, {}).body).not.toHaveProperty('temperature')
    expect(sentTo(name, SAMPLED).dropped).toEqual(['temperature', 'top_p'])
  }
})
