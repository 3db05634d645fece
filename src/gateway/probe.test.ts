import { expect, test } from 'bun:test'
import { startScriptedProvider, streams } from '../../test/support/scriptedProvider.ts'
import { settingsOf, standardModel } from '../../test/support/world.ts'
import type { ChatRequest } from '../core/chat/request.ts'
import { createPlatform } from '../platform.ts'
import { createProbe } from './probe.ts'

test('a probe calls the provider that is asked for, with its first key and a model that it serves', async () => {
  await using first = await startScriptedProvider(streams('Hello'))
  await using second = await startScriptedProvider(streams('Hello'))
  const settings = settingsOf(
    {
      providers: {
        first: { wire: 'openai-chat', base_url: first.baseUrl, api_key: 'first-key' },
        second: { wire: 'openai-chat', base_url: second.baseUrl, api_keys: ['second-key', 'spare-key'] },
        unused: { wire: 'openai-chat', base_url: first.baseUrl, api_key: 'unused-key' },
      },
      models: [modelAt('first'), modelAt('second')],
    },
    'sqlite:unused.db',
  )
  const probe = createProbe(settings, createPlatform())
  expect(['first', 'second', 'unused'].map(probe.modelOf)).toEqual(['at/first', 'at/second', undefined])
  const request: ChatRequest = {
    model: 'at/second',
    messages: [{ role: 'user', content: 'Hi' }],
    n: 1,
    stream: false,
    includeUsage: false,
    extra: {},
  }
  await probe.call('second', request)
  probe.close()
  expect(first.requests).toHaveLength(0)
  expect(await second.request()).toMatchObject({
    headers: { authorization: 'Bearer second-key' },
    body: { model: 'second-model' },
  })
  expect(probe.secrets).toEqual(['first-key', 'second-key', 'spare-key', 'unused-key'])
})

/** A model that one provider serves. */
function modelAt(provider: string): Record<string, unknown> {
  return standardModel({
    id: `at/${provider}`,
    aliases: [],
    targets: [{ provider, model: `${provider}-model` }],
  })
}
