import { expect, test } from 'bun:test'
import { openaiError, streams } from '../../support/scriptedProvider.ts'
import { startRoutingWorld } from './routingWorld.ts'

const FINE = streams('Hello')

test('providers are shown as they fare, without a secret and without a provider’s own', async () => {
  await using world = await startRoutingWorld({
    providers: { good: FINE, sick: FINE, idle: FINE },
    model: { strategy: 'priority' },
  })
  expect(Object.values(await world.health()).map(({ status }) => status)).toEqual([
    'unknown',
    'unknown',
    'unknown',
  ])
  const now = Date.UTC(2026, 10, 20, 12)
  world.clock.set(now)
  const words = 'key sick-secret of org-Acme123 at https://x.example/?api_key=abcdefgh12345 is out of luck'
  world.provider('sick').play(openaiError(500, { message: words }))
  for (let i = 0; i < 3; i++) {
    await (await world.chat({ stream: true })).text()
    await (await world.chat({ stream: true, provider: { order: ['sick'] } })).text()
  }
  const { good, sick, idle } = await world.health()
  expect(good).toMatchObject({
    id: 'good',
    wire: 'openai-chat',
    status: 'healthy',
    credentials: [{ name: 'good#1', status: 'ready', retry_at: null }],
    routes: [
      {
        upstream_model: 'm',
        circuit: 'closed',
        requests: 6,
        failures: 0,
        open_calls: 0,
        error_rate: 0,
        last_error: null,
        retry_at: null,
      },
    ],
  })
  expect(good?.routes[0]?.first_event_ms?.samples).toBe(6)
  expect(sick).toMatchObject({
    status: 'degraded',
    routes: [
      {
        circuit: 'open_for_some',
        requests: 5,
        failures: 5,
        error_rate: 1,
        first_event_ms: null,
        last_error: { kind: 'server', status: 500, at: now / 1000 },
        retry_at: null,
      },
    ],
    blocks: [
      {
        what: 'circuit',
        upstream_model: 'm',
        credential: null,
        workspace_id: world.workspaceId,
        reason: 'server',
        message: 'The provider failed.',
        last_choice: false,
        retry_at: now / 1000 + 10,
      },
    ],
    blocks_not_shown: 0,
  })
  expect(idle?.status).toBe('unknown')
  expect(sick?.routes[0]?.last_error?.message).toBe('The provider failed.')
  const text = JSON.stringify(await world.health())
  for (const secret of ['out of luck', 'sick-secret', 'good-secret', 'org-Acme123', 'abcdefgh12345']) {
    expect(text).not.toContain(secret)
  }
})
