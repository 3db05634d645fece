import { expect, test } from 'bun:test'

const TAKES_MS = 1_500

test('takes its time', async () => {
  await Bun.sleep(TAKES_MS)
  expect(1 + 1).toBe(2)
})
