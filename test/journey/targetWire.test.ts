import { expect, test } from 'bun:test'
import type { JsonObject } from '../../src/core/json.ts'
import { anthropicMessage } from '../support/scriptedAnthropic.ts'
import { openaiCompletion, respond } from '../support/scriptedProvider.ts'
import { type World, standardConfig, standardModel, startWorld } from '../support/world.ts'

/** Targets of one provider that are asked in different wire formats. */

const HI = {
  model: 'acme/chat-1',
  messages: [{ role: 'user', content: 'Hi' }],
  max_tokens: 10,
  temperature: 0,
}

/** A provider whose quirk is that it takes no temperature. */
function startWith(target: object, answer: object): Promise<World> {
  return startWorld({
    provider: respond({ body: answer as JsonObject }),
    config(scripted) {
      const { acme } = standardConfig(scripted)['providers'] as { acme: object }
      return {
        providers: { acme: { ...acme, quirks: { drop_fields: ['temperature'] } } },
        models: [standardModel({ targets: [{ provider: 'acme', model: 'upstream-chat-1', ...target }] })],
      }
    },
  })
}

async function ask(
  world: World,
): Promise<{ said: string; path: string; sent: string; key: string | undefined }> {
  const response = await world.request('POST', '/v1/chat/completions', HI)
  const { choices } = (await response.json()) as { choices: [{ message: { content: string } }] }
  const { path, text, headers } = await world.provider.request()
  return { said: choices[0].message.content, path, sent: text, key: headers['authorization'] }
}

test('a target is asked in the format that it names: at its path, with the key of the provider, without quirks of another format', async () => {
  await using world = await startWith(
    { wire: 'anthropic-messages' },
    anthropicMessage([{ type: 'text', text: 'Hello' }]),
  )
  const { said, path, sent, key } = await ask(world)
  expect({ said, path, key }).toEqual({
    said: 'Hello',
    path: '/v1/messages',
    key: 'Bearer provider-secret',
  })
  expect(JSON.parse(sent)).toMatchObject({ temperature: 0 })
})

test('another is asked in the format of its provider', async () => {
  await using world = await startWith({}, openaiCompletion('Hello'))
  const { said, path, sent } = await ask(world)
  expect({ said, path }).toEqual({ said: 'Hello', path: '/v1/chat/completions' })
  expect(JSON.parse(sent)).not.toHaveProperty('temperature')
})
