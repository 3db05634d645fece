import { expect, test } from 'bun:test'
import { startWorld } from '../support/world.ts'

test('a chat completion is answered and charged once', async () => {
  await using world = await startWorld()
  const response = await world.chat({ max_tokens: 20, stream: true })
  expect(response.status).toBe(200)
  const text = await response.text()
  expect(text).toContain('Hello')
  expect(text.endsWith('data: [DONE]\n\n')).toBe(true)
  await world.settled()
  expect((await world.ledger()).map(({ kind }) => kind)).toEqual(['topup', 'hold', 'release', 'charge'])
  expect((await world.balance()).held).toBe('0.00')
})
